/// The finest clock there is, for timing single calls. Layer: replay.
#pragma once

#include <cstdint>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace bfc::replay {

/// On x86-64 the time-stamp counter, fenced so that the timed call cannot leak out of its
/// brackets; elsewhere the steady clock. Ticks become nanoseconds by `ns_per_tick`.
struct tick_clock {
#if defined(__x86_64__)
  static constexpr std::string_view name = "rdtsc";

  [[nodiscard]] static std::uint64_t begin() noexcept {
    _mm_lfence();
    const std::uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
  }

  [[nodiscard]] static std::uint64_t end() noexcept {
    unsigned core = 0;
    const std::uint64_t ticks = __rdtscp(&core);
    _mm_lfence();
    return ticks;
  }
#else
  static constexpr std::string_view name = "steady_clock";

  [[nodiscard]] static std::uint64_t begin() noexcept {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }
  [[nodiscard]] static std::uint64_t end() noexcept {
    return begin();
  }
#endif

  /// Measured once against the steady clock, over 20 ms.
  [[nodiscard]] static double ns_per_tick();

  /// What an empty begin/end pair reads, in ticks: the median of 10,001 pairs, measured once.
  [[nodiscard]] static std::uint64_t overhead_ticks();
};

}  // namespace bfc::replay
