/// How the cost of an operation grows with the number of live blocks. Part of: bench.
#pragma once

#include "cli/progress.hpp"
#include "contender.hpp"
#include "workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bfc::bench {

struct scale_options {
  std::vector<std::uint64_t> live_blocks = {100, 1'000, 10'000, 100'000, 1'000'000};
  std::vector<size_range> ranges = {{256, std::uint64_t{64} << 10}, {256, std::uint64_t{64} << 20}};
  int repetitions = 9;
  std::uint64_t seed = 1;
};

/// One contender at one point.
struct scale_row {
  size_range sizes;
  std::uint64_t live_blocks = 0;
  std::uint32_t unit_bytes = 0;
  std::string contender;
  double ns_per_op_median = 0;
  double ns_per_op_quiet = 0;  ///< Of the fastest repetition.
  std::optional<double> ratio_to_map;
  std::optional<double> ratio_to_map_quiet;
  std::optional<double> growth;        ///< Over the point before with the same sizes.
  std::optional<double> extent_ratio;  ///< Highest block end ever over the peak of live bytes.
  double host_bytes_per_block = 0;     ///< Heap memory the contender holds, by live block.
  std::uint64_t heap_allocations = 0;  ///< While timed.
};

/// Random churn (see make_churn) at every point, each contender warm and interleaved.
/// Requires: a parked second thread.
/// Fails: throws wrong_answer, also for a contender whose entry says heap_free and that allocated.
[[nodiscard]] std::vector<scale_row> bench_scale(const std::vector<contender_entry>& contenders,
                                                 const scale_options& how, cli::progress& shown);

}  // namespace bfc::bench
