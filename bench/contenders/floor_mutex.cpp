/// The least a thread-safe allocator can do: take a mutex and move one number. What is freed is
/// never used again, so this is a floor for the time, not an allocator.
#include "contenders.hpp"
#include <bfc/base/checked.hpp>

#include <mutex>

namespace bfc::bench {
namespace {

class floor_mutex {
 public:
  explicit floor_mutex(const setup& how) : unit_bytes_(how.unit_bytes) {}

  // Not inlined, as a library's function would not be: the others are called, too.
  [[gnu::noinline]] std::uint64_t allocate(std::uint64_t bytes) noexcept {
    const std::scoped_lock hold(mutex_);
    const std::uint64_t offset = next_;
    next_ += align_up(bytes, unit_bytes_);
    return offset;
  }

  [[gnu::noinline]] bool deallocate(std::uint64_t where) noexcept {
    const std::scoped_lock hold(mutex_);
    last_freed_ = where;
    return true;
  }

  [[nodiscard]] std::uint64_t base() const noexcept { return 0; }

 private:
  std::mutex mutex_;
  std::uint64_t unit_bytes_;
  std::uint64_t next_ = 0;
  std::uint64_t last_freed_ = 0;
};

}  // namespace

contender_entry make_floor_mutex() {
  return {"floor-mutex", maker<floor_mutex>(), false, false, false};
}

}  // namespace bfc::bench
