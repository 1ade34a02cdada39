#include <bfc/base/checked.hpp>
#include <bfc/base/contract.hpp>
#include <bfc/base/error.hpp>
#include <bfc/replay/dry_run.hpp>
#include <bfc/replay/fit_search.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bfc::replay {
namespace {

constexpr std::uint64_t grid_points = fit_grid_points;  // 1.000 to 1.500 in steps of 0.001

// Capacity number i. Split so that nothing overflows where the result does not.
std::uint64_t grid_capacity(std::uint64_t peak, std::uint64_t unit, std::uint64_t i) {
  const std::uint64_t more = peak / 1000 * i + (peak % 1000 * i + 999) / 1000;
  const auto sum = checked_add(peak, more);
  const auto capacity = sum ? checked_align_up(*sum, unit) : std::nullopt;
  if (!capacity) {
    throw error(status::invalid_input, "1.5 times the peak of live bytes passes 2^64 bytes");
  }
  return *capacity;
}

// Deals candidates 0, 1, 2, ... out to threads and finds the least that `wanted` accepts: each one
// below it has been refused, whatever the number of threads.
class least_wanted {
 public:
  least_wanted(std::uint64_t count, std::function<bool(std::uint64_t)> wanted,
               std::function<void(std::uint64_t)> settled)
      : wanted_(std::move(wanted)), settled_(std::move(settled)), least_(count) {}

  // Returns `count` when none is accepted.
  std::uint64_t run(unsigned thread_count) {
    std::vector<std::thread> others;
    for (unsigned i = 1; i < thread_count; ++i) others.emplace_back([this] { work(); });
    work();
    for (std::thread& t : others) t.join();
    if (failure_) std::rethrow_exception(failure_);
    return least_;
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (next_ < least_ && !failure_) {
      const std::uint64_t mine = next_++;
      bool accepted = false;
      lock.unlock();
      std::exception_ptr failure;
      try {
        accepted = wanted_(mine);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure && !failure_) failure_ = failure;
      if (accepted) least_ = std::min(least_, mine);
      if (settled_) settled_(next_);
    }
  }

  std::function<bool(std::uint64_t)> wanted_;
  std::function<void(std::uint64_t)> settled_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::uint64_t next_ = 0;
  std::uint64_t least_;
};

}  // namespace

fit_result fit_search(std::uint64_t peak_live_bytes, std::uint64_t unit_bytes,
                      const capacity_test& succeeds, const fit_options& how) {
  BFC_EXPECT(is_power_of_two(unit_bytes), "the unit is a power of two");
  fit_result result;
  result.peak_live_bytes = peak_live_bytes;
  if (peak_live_bytes == 0) return result;

  const auto capacity = [&](std::uint64_t i) {
    return grid_capacity(peak_live_bytes, unit_bytes, i);
  };
  const auto ratio = [&](std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(peak_live_bytes);
  };
  // From the top down to the first failure, then from the bottom up to the first success.
  std::uint64_t settled_above = 0;
  const auto report = [&](std::uint64_t done) {
    if (how.progress) how.progress(std::min(settled_above + done, grid_points), grid_points);
  };
  least_wanted failures(
      grid_points, [&](std::uint64_t i) { return !succeeds(capacity(grid_points - 1 - i)); },
      report);
  const std::uint64_t safe_count = failures.run(how.thread_count);
  settled_above = safe_count;
  // The highest failing capacity and all above it are known: what is left is below.
  const std::uint64_t unknown_count = safe_count < grid_points ? grid_points - safe_count - 1 : 0;
  least_wanted successes(
      unknown_count, [&](std::uint64_t i) { return succeeds(capacity(i)); }, report);
  const std::uint64_t first = successes.run(how.thread_count);

  if (safe_count > 0) {
    result.safe_capacity_bytes = capacity(grid_points - safe_count);
    result.fit_ratio = ratio(*result.safe_capacity_bytes);
  }
  if (first < unknown_count) {
    result.first_capacity_bytes = capacity(first);
  } else {
    result.first_capacity_bytes = result.safe_capacity_bytes;
  }
  if (result.first_capacity_bytes) result.first_fit_ratio = ratio(*result.first_capacity_bytes);
  if (how.progress) how.progress(grid_points, grid_points);
  return result;
}

fit_result fit_search(const program& what, const core::heap_options& heap, const fit_options& how) {
  const live_peak peak = peak_live(what, heap.unit_bytes);
  const capacity_test succeeds = [&](std::uint64_t capacity_bytes) {
    core::heap_options options = heap;
    options.capacity_bytes = capacity_bytes;
    return dry_run(what, options, how.alignment_bytes).ok();
  };
  return fit_search(peak.rounded_bytes, heap.unit_bytes, succeeds, how);
}

}  // namespace bfc::replay
