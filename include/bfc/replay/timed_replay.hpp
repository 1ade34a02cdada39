/// Times a program on anything that allocates. Layer: replay.
///
///   parked_thread second;                       // keeps glibc's locks honest
///   timed_replay timer{what, target};
///   timer.warm_up();
///   for (int i = 0; i < 7; ++i) timer.time_stretches();
///   for (int i = 0; i < 3; ++i) timer.time_each_call();
///   timing t = timer.result();
///
/// To interleave contenders, hold one timer for each and call them in turn.
#pragma once

#include <bfc/replay/program.hpp>
#include <bfc/replay/tick_clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bfc::replay {

/// What a timer found. Times are in nanoseconds; those never measured are 0.
struct timing {
  /// Whole replay over its steps. Each stretch counts with its median over the passes, so that an
  /// interruption in one pass does not count, and a slow phase of the trace does.
  double ns_per_op_median = 0;
  double p50_ns = 0;  ///< Of single calls, all passes pooled; the clock's own cost is taken off.
  double p99_ns = 0;
  double p999_ns = 0;
  double max_ns = 0;
  double timer_overhead_ns = 0;  ///< What was taken off each single call.
  std::uint64_t stretch_passes = 0;
  std::uint64_t call_passes = 0;
};

/// Steps between two readings of the clock: at 20 ns a step the clock costs under 0.3%.
inline constexpr std::size_t steps_per_stretch = 512;

/// A target allocates and deallocates; what `allocate` returns when it fails must be a handle
/// that `deallocate` takes and ignores, so that the timed loop need not look.
/// A target may have `void reset()`: called untimed after every pass, when all blocks are freed.
template <typename Target>
concept timed_target = requires(Target& target, std::uint64_t bytes) {
  target.deallocate(target.allocate(bytes));
};

/// The raw samples of one target, and their summary.
class timing_samples {
 public:
  explicit timing_samples(std::size_t step_count);

  void add_stretch_pass(const std::vector<std::uint32_t>& nanoseconds);
  void add_call_pass(const std::vector<std::uint32_t>& ticks);
  [[nodiscard]] timing summarise() const;

 private:
  std::size_t step_count_;
  std::vector<std::vector<std::uint32_t>> stretches_;  // [pass][stretch], ns
  std::vector<std::uint32_t> calls_;                   // ticks, all passes
};

/// Requires: program and target outlive it. Thread safety: none.
/// Every pass frees what the trace left live, untimed, so that the next one starts alike.
template <timed_target Target>
class timed_replay {
 public:
  using handle = decltype(std::declval<Target&>().allocate(std::uint64_t{}));

  timed_replay(const program& what, Target& target)
      : what_(what),
        target_(target),
        handles_(what.slot_count),
        stretch_ns_((what.steps.size() + steps_per_stretch - 1) / steps_per_stretch),
        call_ticks_(what.steps.size()),
        samples_(what.steps.size()) {}

  /// One untimed pass: fills caches and lets the target's bookkeeping grow to its final size.
  void warm_up() {
    play(0, what_.steps.size());
    end_pass();
  }

  /// One pass under the steady clock, read every 512 steps.
  void time_stretches() {
    using clock = std::chrono::steady_clock;
    const std::size_t count = what_.steps.size();
    auto before = clock::now();
    for (std::size_t stretch = 0, first = 0; first < count; ++stretch) {
      const std::size_t last =
          first + steps_per_stretch < count ? first + steps_per_stretch : count;
      play(first, last);
      const auto after = clock::now();
      stretch_ns_[stretch] = clipped(static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(after - before).count()));
      before = after;
      first = last;
    }
    end_pass();
    samples_.add_stretch_pass(stretch_ns_);
  }

  /// One pass with every call timed by the tick clock.
  void time_each_call() {
    const std::size_t count = what_.steps.size();
    for (std::size_t i = 0; i < count; ++i) {
      const step next = what_.steps[i];
      // The slot is looked up outside the brackets: only the call itself is timed.
      handle& slot = handles_[next.slot];
      std::uint64_t ticks = 0;
      if (next.is_free()) {
        const handle held = slot;
        const std::uint64_t start = tick_clock::begin();
        target_.deallocate(held);
        ticks = tick_clock::end() - start;
      } else {
        const std::uint64_t start = tick_clock::begin();
        const handle got = target_.allocate(static_cast<std::uint64_t>(next.size_bytes));
        ticks = tick_clock::end() - start;
        slot = got;
      }
      call_ticks_[i] = clipped(ticks);
    }
    end_pass();
    samples_.add_call_pass(call_ticks_);
  }

  [[nodiscard]] timing result() const { return samples_.summarise(); }

 private:
  void play(std::size_t first, std::size_t last) {
    const step* const steps = what_.steps.data();
    handle* const handles = handles_.data();
    for (std::size_t i = first; i < last; ++i) {
      const step next = steps[i];
      if (next.is_free()) {
        target_.deallocate(handles[next.slot]);
      } else {
        handles[next.slot] = target_.allocate(static_cast<std::uint64_t>(next.size_bytes));
      }
    }
  }

  void end_pass() {
    for (const std::uint32_t slot : what_.leftover_slots) target_.deallocate(handles_[slot]);
    if constexpr (requires { target_.reset(); }) target_.reset();
  }

  static std::uint32_t clipped(std::uint64_t x) noexcept {
    return x < UINT32_MAX ? static_cast<std::uint32_t>(x) : UINT32_MAX;
  }

  const program& what_;
  Target& target_;
  std::vector<handle> handles_;
  std::vector<std::uint32_t> stretch_ns_;
  std::vector<std::uint32_t> call_ticks_;
  timing_samples samples_;
};

}  // namespace bfc::replay
