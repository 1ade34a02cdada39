#include "report.hpp"
#include <bfc/base/units.hpp>
#include <bfc/base/version.hpp>
#include <bfc/replay/tick_clock.hpp>

#include <ostream>

#include <fmt/format.h>

namespace bfc::bench {
namespace {

std::string or_dash(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

void write_head(const report& what, std::ostream& out) {
  const double clock_ns =
      static_cast<double>(replay::tick_clock::overhead_ticks()) * replay::tick_clock::ns_per_tick();
  out << fmt::format("bfc-bench {}.{}.{}, {} build, {}, {}\n", version.major, version.minor,
                     version.patch, what.machine.build, what.machine.compiler, what.machine.libc);
  out << fmt::format("{}, {} cores, {}, load {:.2f}\n", what.machine.processor,
                     what.machine.core_count, what.machine.system, what.machine.load_average);
  out << fmt::format(
      "{} repetitions, {}; clock {} in steps of {:.1f} ns; {:.1f} ns taken off the percentiles\n",
      what.repetitions, what.pinned ? "pinned to a core" : "not pinned", replay::tick_clock::name,
      what.clock_step_ns, clock_ns);
  if (what.loop_ns)
    out << fmt::format("the measuring loop itself: {:.2f} ns of every ns/op below\n",
                       *what.loop_ns);
}

/// The default policy in one line.
void write_verdict(const summary_row& ours, std::ostream& out) {
  out << fmt::format(
      "\n{} is the default: {} of floor-mutex, {} of map-bestfit an operation (quiet: {} and {}); "
      "p99.9 {} of map-bestfit's (quiet: {}); fit {} above it\n",
      ours.contender, or_dash(ours.ratio_to_floor, 2), or_dash(ours.ratio_to_map, 3),
      or_dash(ours.ratio_to_floor_quiet, 2), or_dash(ours.ratio_to_map_quiet, 3),
      or_dash(ours.p999_ratio_to_map, 3), or_dash(ours.p999_ratio_to_map_quiet, 3),
      or_dash(ours.fit_above_map, 4));
}

void write_traces(const report& what, std::ostream& out) {
  if (what.traces.empty()) return;
  out << fmt::format("\n{:<24}{:<15}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "trace",
                     "contender", "ns/op", "quiet", "p50", "p99", "p99.9", "quiet", "fit",
                     "x floor", "x map");
  std::string before;
  for (const trace_row& each : what.traces) {
    out << fmt::format(
        "{:<24}{:<15}{:>8.1f}{:>8.1f}{:>8.1f}{:>8.1f}{:>8.1f}{:>8.1f}{:>8}{:>8}{:>8}\n",
        each.trace == before ? "" : each.trace, each.contender, each.ns_per_op_median,
        each.ns_per_op_quiet, each.p50_ns, each.p99_ns, each.p999_ns, each.p999_ns_quiet,
        or_dash(each.fit_ratio, 3), or_dash(each.ratio_to_floor, 2), or_dash(each.ratio_to_map, 3));
    before = each.trace;
  }
  out << fmt::format("\n{:<24}{:>8}{:>8}{:>9}{:>9}{:>8}{:>9}{:>8}{:>9}{:>8}\n", "geometric means",
                     "ns/op", "x floor", "x map", "quiet", "x floor", "x map", "p99.9", "x map",
                     "fit");
  const std::vector<summary_row> rows = summarise(what.traces);
  for (const summary_row& each : rows)
    out << fmt::format("{:<24}{:>8}{:>8}{:>9}{:>9}{:>8}{:>9}{:>8}{:>9}{:>8}\n", each.contender,
                       or_dash(each.ns_per_op_median, 1), or_dash(each.ratio_to_floor, 2),
                       or_dash(each.ratio_to_map, 3), or_dash(each.ns_per_op_quiet, 1),
                       or_dash(each.ratio_to_floor_quiet, 2), or_dash(each.ratio_to_map_quiet, 3),
                       or_dash(each.p999_ns, 1), or_dash(each.p999_ratio_to_map, 3),
                       or_dash(each.fit_ratio, 4));
  for (const summary_row& each : rows)
    if (each.contender == "bfc-threshold") write_verdict(each, out);
}

void write_scale(const report& what, std::ostream& out) {
  if (what.scale.empty()) return;
  out << fmt::format("\n{:<20}{:>8}{:>6}  {:<15}{:>8}{:>7}{:>8}{:>7}{:>7}{:>8}{:>8}{:>8}\n",
                     "random churn", "blocks", "unit", "contender", "ns/op", "x map", "quiet",
                     "x map", "growth", "extent", "B/block", "heap");
  std::uint64_t before = 0;
  for (const scale_row& each : what.scale) {
    const bool first = each.live_blocks != before;
    before = each.live_blocks;
    const std::string sizes =
        format_size(each.sizes.least_bytes) + " to " + format_size(each.sizes.most_bytes);
    out << fmt::format(
        "{:<20}{:>8}{:>6}  {:<15}{:>8.1f}{:>7}{:>8.1f}{:>7}{:>7}{:>8}{:>8.1f}{:>8}\n",
        first ? sizes : "", first ? fmt::to_string(each.live_blocks) : "",
        first ? fmt::to_string(each.unit_bytes) : "", each.contender, each.ns_per_op_median,
        or_dash(each.ratio_to_map, 3), each.ns_per_op_quiet, or_dash(each.ratio_to_map_quiet, 3),
        or_dash(each.growth, 2), or_dash(each.extent_ratio, 3), each.host_bytes_per_block,
        each.heap_allocations);
  }
}

void write_threads(const report& what, std::ostream& out) {
  if (what.threads.empty()) return;
  out << fmt::format("\n{:<15}{:>8}{:>9}{:>7}{:>7}{:>7}{:>9}{:>7}{:>7}{:>8}{:>11}{:>8}{:>8}\n",
                     fmt::format("{} threads", what.threads.front().threads), "1: ns", "all: ns",
                     "ratio", "worst", "undist", "windows", "share", "least", "unfair", "disturbed",
                     "least*", "unfair*");
  for (const thread_row& each : what.threads)
    out << fmt::format(
        "{:<15}{:>8.1f}{:>9.1f}{:>7.2f}{:>7.2f}{:>7}{:>9}{:>7.3f}{:>7.3f}{:>8}{:>11}{:>8.3f}{:>8}"
        "\n",
        each.contender, each.one_thread_ns, each.all_threads_ns, each.ratio, each.worst_ratio,
        or_dash(each.ratio_undisturbed, 2), each.windows, each.median_share, each.least_share,
        each.unfair_windows, each.disturbed_windows, each.least_share_undisturbed,
        each.unfair_undisturbed_windows);
  out << "* in undisturbed windows: those in which the system took no core away\n";
}

}  // namespace

void write_tables(const report& what, std::ostream& out) {
  write_head(what, out);
  write_traces(what, out);
  write_scale(what, out);
  write_threads(what, out);
}

}  // namespace bfc::bench
