/// All results of one run, as a table for people and as JSON. Part of: bench.
#pragma once

#include "machine.hpp"
#include "scale_bench.hpp"
#include "thread_bench.hpp"
#include "trace_bench.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace bfc::bench {

struct report {
  machine_facts machine;
  double clock_step_ns = 0;
  bool pinned = false;
  int repetitions = 0;
  std::uint64_t seed = 0;
  std::optional<double> loop_ns;  ///< Geometric mean over the traces.
  std::vector<trace_row> traces;
  std::vector<scale_row> scale;
  std::vector<thread_row> threads;
};

/// One contender over all traces: geometric means.
struct summary_row {
  std::string contender;
  std::optional<double> ns_per_op_median;
  std::optional<double> ns_per_op_quiet;
  std::optional<double> p999_ns;
  std::optional<double> fit_ratio;
  std::optional<double> ratio_to_floor;
  std::optional<double> ratio_to_map;
  std::optional<double> ratio_to_floor_quiet;  ///< As ratio_to_floor, from ns_per_op_quiet.
  std::optional<double> ratio_to_map_quiet;
  std::optional<double> p999_ratio_to_map;
  std::optional<double> p999_ratio_to_map_quiet;
  std::optional<double> fit_above_map;  ///< Difference of the two means.
};

[[nodiscard]] std::vector<summary_row> summarise(const std::vector<trace_row>& rows);

void write_json(const report& what, std::ostream& out);
void write_tables(const report& what, std::ostream& out);

}  // namespace bfc::bench
