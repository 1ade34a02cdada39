#include "report.hpp"

#include "numbers.hpp"

#include <algorithm>

namespace bfc::bench {
namespace {

using field = double trace_row::*;

std::optional<double> mean_of(const std::vector<trace_row>& rows, const std::string& contender,
                              field which) {
  std::vector<double> values;
  for (const trace_row& each : rows)
    if (each.contender == contender) values.push_back(each.*which);
  return geometric_mean(values);
}

std::optional<double> mean_fit(const std::vector<trace_row>& rows, const std::string& contender) {
  std::vector<double> values;
  for (const trace_row& each : rows) {
    if (each.contender != contender) continue;
    if (!each.fit_ratio) return std::nullopt;
    values.push_back(*each.fit_ratio);
  }
  return geometric_mean(values);
}

}  // namespace

std::vector<summary_row> summarise(const std::vector<trace_row>& rows) {
  std::vector<summary_row> made;
  const auto floor = mean_of(rows, "floor-mutex", &trace_row::ns_per_op_median);
  const auto map = mean_of(rows, "map-bestfit", &trace_row::ns_per_op_median);
  const auto floor_quiet = mean_of(rows, "floor-mutex", &trace_row::ns_per_op_quiet);
  const auto map_quiet = mean_of(rows, "map-bestfit", &trace_row::ns_per_op_quiet);
  const auto map_p999 = mean_of(rows, "map-bestfit", &trace_row::p999_ns);
  const auto map_fit = mean_fit(rows, "map-bestfit");
  for (const trace_row& each : rows) {
    const auto same = [&](const summary_row& row) { return row.contender == each.contender; };
    if (std::any_of(made.begin(), made.end(), same)) continue;
    summary_row row;
    row.contender = each.contender;
    row.ns_per_op_median = mean_of(rows, each.contender, &trace_row::ns_per_op_median);
    row.ns_per_op_quiet = mean_of(rows, each.contender, &trace_row::ns_per_op_quiet);
    row.p999_ns = mean_of(rows, each.contender, &trace_row::p999_ns);
    row.fit_ratio = mean_fit(rows, each.contender);
    row.ratio_to_floor = quotient(row.ns_per_op_median, floor);
    row.ratio_to_map = quotient(row.ns_per_op_median, map);
    row.ratio_to_floor_quiet = quotient(row.ns_per_op_quiet, floor_quiet);
    row.ratio_to_map_quiet = quotient(row.ns_per_op_quiet, map_quiet);
    row.p999_ratio_to_map = quotient(row.p999_ns, map_p999);
    row.p999_ratio_to_map_quiet = quotient(mean_of(rows, each.contender, &trace_row::p999_ns_quiet),
                                           mean_of(rows, "map-bestfit", &trace_row::p999_ns_quiet));
    if (row.fit_ratio && map_fit) row.fit_above_map = *row.fit_ratio - *map_fit;
    made.push_back(row);
  }
  return made;
}

}  // namespace bfc::bench
