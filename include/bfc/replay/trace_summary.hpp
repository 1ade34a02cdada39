/// What can be said of a trace before anything allocates. Layer: replay.
#pragma once

#include <bfc/replay/peak_live.hpp>
#include <bfc/trace/trace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bfc::replay {

/// Allocations of sizes in [least_bytes, 2 x least_bytes); sizes of 0 have a class of their own.
struct size_class {
  std::uint64_t least_bytes = 0;
  std::uint64_t allocation_count = 0;
  std::uint64_t total_bytes = 0;
};

/// The shares of blocks, in percent, whose lifetimes a summary tells; 100 is the longest.
inline constexpr std::array<unsigned, 6> lifetime_percents{1, 10, 50, 90, 99, 100};

/// Lifetimes of the blocks that were freed, one figure for each of `lifetime_percents`.
using lifetime_percentiles = std::array<std::uint64_t, lifetime_percents.size()>;

struct trace_summary {
  std::uint64_t event_count = 0;
  std::uint64_t allocation_count = 0;
  std::uint64_t free_count = 0;
  std::uint64_t thread_count = 0;
  std::uint64_t duration_us = 0;
  std::uint64_t total_bytes = 0;  ///< Sum of all sizes asked for.
  std::uint64_t largest_bytes = 0;
  std::uint64_t distinct_size_count = 0;
  std::uint64_t zero_sized_count = 0;
  std::vector<size_class> sizes;  ///< In order of size; classes in use only.
  live_peak peak;
  std::size_t peak_event = 0;        ///< The allocation that reaches peak.requested_bytes.
  std::uint64_t peak_time_us = 0;    ///< Since the first event.
  std::size_t peak_block_event = 0;  ///< The allocation that reaches peak.block_count.
  lifetime_percentiles lifetime_events{};
  lifetime_percentiles lifetime_us{};
  std::uint64_t leaked_block_count = 0;  ///< Live at the end; sizes of 0 are not counted.
  std::uint64_t leaked_bytes = 0;
};

/// Fails: as `translate` and `peak_live`, whose work it includes.
[[nodiscard]] trace_summary summarise(const trace::trace& what, std::uint64_t unit_bytes = 1);

}  // namespace bfc::replay
