/// Times contenders on one workload, interleaved. Part of: bench.
#pragma once

#include "cli/progress.hpp"
#include "contender.hpp"
#include "workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bfc::bench {

struct trace_bench_options {
  int repetitions = 9;     ///< Whole passes for the medians.
  int latency_passes = 5;  ///< Further passes with every call timed alone.
  bool with_fit = true;
  std::uint32_t unit_bytes = 256;
};

/// One contender on one trace.
struct trace_row {
  std::string trace;
  std::string contender;
  double ns_per_op_median = 0;
  double p50_ns = 0;
  double p99_ns = 0;
  double p999_ns = 0;
  std::optional<double> fit_ratio;
  double ns_per_op_quiet = 0;  ///< Each stretch counts with its fastest repetition.
  double p999_ns_quiet = 0;    ///< Each call counts with its fastest pass.
  std::optional<double> ratio_to_floor;
  std::optional<double> ratio_to_map;
};

struct trace_result {
  std::vector<trace_row> rows;
  double loop_ns = 0;  ///< What the measuring loop costs an operation when nothing is called.
};

/// 1.5 times the peak and 64 MiB, rounded up to 2 MiB: room enough that nobody fails.
[[nodiscard]] std::uint64_t timing_capacity(const workload& what);

/// Verifies every contender, then times them in turn, repetition by repetition, on instances that
/// stay warm. Requires: a parked second thread.
/// Fails: throws wrong_answer.
[[nodiscard]] trace_result bench_trace(const std::vector<contender_entry>& contenders,
                                       const workload& what, const trace_bench_options& how,
                                       cli::progress& shown);

}  // namespace bfc::bench
