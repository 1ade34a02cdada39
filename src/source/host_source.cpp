#include "address_space.hpp"
#include "held_ranges.hpp"
#include "host_memory.hpp"
#include <bfc/source/host_source.hpp>

#include <exception>

namespace bfc {
namespace {

class host_source final : public source {
 public:
  host_source() = default;
  host_source(const host_source&) = delete;
  host_source& operator=(const host_source&) = delete;
  ~host_source() override {
    for (const auto& held : held_.entries()) (void)detail::unmap(held.lent, calls_);
  }

  std::string_view name() const noexcept override { return "host"; }
  int device() const noexcept override { return -1; }
  bool host_accessible() const noexcept override { return true; }
  bool survives_fork() const noexcept override { return true; }

  std::size_t available_bytes() noexcept override {
    ++calls_;
    try {
      return detail::host_available_bytes();
    } catch (const std::exception&) {
      return 0;
    }
  }

  range_result reserve(std::size_t bytes, std::size_t alignment) noexcept override {
    if (!held_.prepare()) return {status::host_memory, {}};
    const range_result result =
        detail::map_aligned(bytes, alignment, detail::access::read_write, calls_);
    if (result.code == status::ok) held_.add({result.range, result.range.base, bytes});
    return result;
  }

  status release(memory_range range) noexcept override {
    if (!held_.remove(range)) return status::foreign_pointer;
    return detail::unmap(range, calls_);
  }

  std::uint64_t driver_calls() const noexcept override { return calls_; }

 private:
  detail::held_ranges held_;
  std::uint64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<source> make_host_source() {
  return std::make_unique<host_source>();
}

}  // namespace bfc
