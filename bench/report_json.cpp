#include "report.hpp"
#include <bfc/base/version.hpp>
#include <bfc/replay/tick_clock.hpp>

#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bfc::bench {
namespace {

using json = nlohmann::ordered_json;

json or_null(std::optional<double> value) {
  return value ? json(*value) : json(nullptr);
}

/// Nanoseconds to a hundredth: what lies below is noise, and hard to read.
json rounded(double value) {
  return std::round(value * 100) / 100;
}

json ratio(std::optional<double> value) {
  return value ? json(std::round(*value * 1e4) / 1e4) : json(nullptr);
}

json nanoseconds(std::optional<double> value) {
  return value ? rounded(*value) : json(nullptr);
}

json meta(const report& what) {
  const double clock_ns =
      static_cast<double>(replay::tick_clock::overhead_ticks()) * replay::tick_clock::ns_per_tick();
  return {{"version", fmt::format("{}.{}.{}", version.major, version.minor, version.patch)},
          {"processor", what.machine.processor},
          {"cores", what.machine.core_count},
          {"system", what.machine.system},
          {"libc", what.machine.libc},
          {"compiler", what.machine.compiler},
          {"build", what.machine.build},
          {"load_average", rounded(what.machine.load_average)},
          {"clock", std::string(replay::tick_clock::name)},
          {"clock_overhead_ns", rounded(clock_ns)},
          {"clock_step_ns", rounded(what.clock_step_ns)},
          {"loop_ns", nanoseconds(what.loop_ns)},
          {"pinned", what.pinned},
          {"parked_thread", true},
          {"repetitions", what.repetitions},
          {"seed", what.seed}};
}

json trace_rows(const std::vector<trace_row>& rows) {
  json all = json::array();
  for (const trace_row& each : rows)
    all.push_back({{"trace", each.trace},
                   {"contender", each.contender},
                   {"ns_per_op_median", rounded(each.ns_per_op_median)},
                   {"p50_ns", rounded(each.p50_ns)},
                   {"p99_ns", rounded(each.p99_ns)},
                   {"p999_ns", rounded(each.p999_ns)},
                   {"fit_ratio", or_null(each.fit_ratio)},
                   {"ns_per_op_quiet", rounded(each.ns_per_op_quiet)},
                   {"p999_ns_quiet", rounded(each.p999_ns_quiet)},
                   {"ratio_to_floor", ratio(each.ratio_to_floor)},
                   {"ratio_to_map", ratio(each.ratio_to_map)}});
  return all;
}

json summary_rows(const std::vector<trace_row>& rows) {
  json all = json::array();
  for (const summary_row& each : summarise(rows))
    all.push_back({{"contender", each.contender},
                   {"ns_per_op_median", nanoseconds(each.ns_per_op_median)},
                   {"ns_per_op_quiet", nanoseconds(each.ns_per_op_quiet)},
                   {"p999_ns", nanoseconds(each.p999_ns)},
                   {"fit_ratio", ratio(each.fit_ratio)},
                   {"ratio_to_floor", ratio(each.ratio_to_floor)},
                   {"ratio_to_map", ratio(each.ratio_to_map)},
                   {"ratio_to_floor_quiet", ratio(each.ratio_to_floor_quiet)},
                   {"ratio_to_map_quiet", ratio(each.ratio_to_map_quiet)},
                   {"p999_ratio_to_map", ratio(each.p999_ratio_to_map)},
                   {"p999_ratio_to_map_quiet", ratio(each.p999_ratio_to_map_quiet)},
                   {"fit_above_map", ratio(each.fit_above_map)}});
  return all;
}

json scale_rows(const std::vector<scale_row>& rows) {
  json all = json::array();
  for (const scale_row& each : rows)
    all.push_back({{"least_bytes", each.sizes.least_bytes},
                   {"most_bytes", each.sizes.most_bytes},
                   {"live_blocks", each.live_blocks},
                   {"unit_bytes", each.unit_bytes},
                   {"contender", each.contender},
                   {"ns_per_op_median", rounded(each.ns_per_op_median)},
                   {"ratio_to_map", ratio(each.ratio_to_map)},
                   {"ns_per_op_quiet", rounded(each.ns_per_op_quiet)},
                   {"ratio_to_map_quiet", ratio(each.ratio_to_map_quiet)},
                   {"growth", ratio(each.growth)},
                   {"extent_ratio", ratio(each.extent_ratio)},
                   {"host_bytes_per_block", rounded(each.host_bytes_per_block)},
                   {"heap_allocations", each.heap_allocations}});
  return all;
}

json thread_rows(const std::vector<thread_row>& rows) {
  json all = json::array();
  for (const thread_row& each : rows)
    all.push_back({{"contender", each.contender},
                   {"threads", each.threads},
                   {"one_thread_ns", rounded(each.one_thread_ns)},
                   {"all_threads_ns", rounded(each.all_threads_ns)},
                   {"ratio", ratio(each.ratio)},
                   {"worst_ratio", ratio(each.worst_ratio)},
                   {"ratio_undisturbed", ratio(each.ratio_undisturbed)},
                   {"windows", each.windows},
                   {"median_share", ratio(each.median_share)},
                   {"least_share", ratio(each.least_share)},
                   {"unfair_windows", each.unfair_windows},
                   {"disturbed_windows", each.disturbed_windows},
                   {"least_share_undisturbed", ratio(each.least_share_undisturbed)},
                   {"unfair_undisturbed_windows", each.unfair_undisturbed_windows}});
  return all;
}

}  // namespace

void write_json(const report& what, std::ostream& out) {
  json all = {{"meta", meta(what)}, {"rows", trace_rows(what.traces)}};
  if (!what.traces.empty()) all["summary"] = summary_rows(what.traces);
  if (!what.scale.empty()) all["scale"] = scale_rows(what.scale);
  if (!what.threads.empty()) all["threads"] = thread_rows(what.threads);
  // A trace's name that is no UTF-8 is shown with U+FFFD for what is wrong in it: the figures are
  // good.
  out << all.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
}

}  // namespace bfc::bench
