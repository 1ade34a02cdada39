#include "address_space.hpp"
#include "held_ranges.hpp"
#include <bfc/base/error.hpp>
#include <bfc/source/simulated_source.hpp>

#include <algorithm>
#include <utility>

namespace bfc {
namespace {

class simulated_source final : public source {
 public:
  explicit simulated_source(simulated_options options) : options_(std::move(options)) {}
  simulated_source(const simulated_source&) = delete;
  simulated_source& operator=(const simulated_source&) = delete;
  ~simulated_source() override {
    for (const auto& held : held_.entries()) (void)detail::unmap(held.lent, system_calls_);
  }

  std::string_view name() const noexcept override { return "sim"; }
  int device() const noexcept override { return -1; }
  bool host_accessible() const noexcept override { return false; }
  bool survives_fork() const noexcept override { return options_.survives_fork; }

  std::size_t available_bytes() noexcept override {
    ++calls_;
    return options_.device_bytes - used_bytes_;
  }

  range_result reserve(std::size_t bytes, std::size_t alignment) noexcept override {
    ++calls_;
    ++reserve_calls_;
    if (scheduled_to_fail()) return {options_.failure, {}};
    if (bytes > options_.device_bytes - used_bytes_) return {status::out_of_memory, {}};
    if (!held_.prepare()) return {status::host_memory, {}};
    // Real but unreadable pages: the addresses are nobody else's, and touching one faults.
    const range_result result =
        detail::map_aligned(bytes, alignment, detail::access::none, system_calls_);
    if (result.code == status::ok) {
      held_.add({result.range, result.range.base, bytes});
      used_bytes_ += bytes;
    }
    return result;
  }

  status release(memory_range range) noexcept override {
    ++calls_;
    if (!held_.remove(range)) return status::foreign_pointer;
    used_bytes_ -= range.bytes;
    return detail::unmap(range, system_calls_);
  }

  std::uint64_t driver_calls() const noexcept override { return calls_; }

 private:
  bool scheduled_to_fail() const noexcept {
    return reserve_calls_ <= options_.fail_calls_until ||
           std::find(options_.fail_on_call.begin(), options_.fail_on_call.end(), reserve_calls_) !=
               options_.fail_on_call.end();
  }

  simulated_options options_;
  detail::held_ranges held_;
  std::size_t used_bytes_ = 0;
  std::uint64_t reserve_calls_ = 0;
  std::uint64_t calls_ = 0;         // of the device that is simulated
  std::uint64_t system_calls_ = 0;  // of the system beneath; not reported
};

}  // namespace

std::unique_ptr<source> make_simulated_source(const simulated_options& options) {
  if (options.failure == status::ok) {
    throw error(status::invalid_option,
                "simulated source: failure is ok, but a scheduled failure must report one; use "
                "e.g. out_of_memory");
  }
  return std::make_unique<simulated_source>(options);
}

}  // namespace bfc
