#include "cli/commands.hpp"
#include "cli/flag_values.hpp"
#include "cli/loading.hpp"
#include "cli/pool_replay.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include <bfc/cuda/select.hpp>
#include <bfc/replay/dry_run.hpp>
#include <bfc/replay/fit_search.hpp>
#include <bfc/replay/peak_live.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bfc::cli {
namespace {

struct settings {
  std::uint64_t capacity_bytes = 0;  // 0: automatic
  alignment align;
  core::coalescing policy = core::coalescing::threshold;
};

// Everything that is known of one trace's replay.
struct outcome {
  std::string trace;
  std::uint64_t events = 0;
  std::uint64_t unknown_frees = 0;
  replay::live_peak peak;
  std::uint64_t capacity_bytes = 0;
  std::string device;
  std::string device_reason;
  pass_report pass;
  replay::timing timing;
  std::uint64_t driver_calls_after_start = 0;
};

// A replay asks for no alignment above --align, so the capacity need not be a multiple of the
// large page: what the user asks for is what is reserved, up to a small page.
std::uint64_t granule(const settings& how) {
  return std::max<std::uint64_t>(how.align.bytes(), 4 * KiB);
}

settings check(const replay_flags& flags) {
  settings how;
  how.align = align_value(flags.align);
  how.policy = policy_value("--coalesce", flags.coalesce);
  if (flags.capacity != "auto") {
    how.capacity_bytes = size_value("--capacity", flags.capacity);
    if (how.capacity_bytes < granule(how)) {
      const std::string least = granule(how) >= MiB ? fmt::format("{}M", granule(how) / MiB)
                                                    : fmt::format("{}K", granule(how) / KiB);
      throw error(status::invalid_option,
                  fmt::format("--capacity: '{}' is less than the least that can be reserved, {} "
                              "bytes; give at least {}{}",
                              flags.capacity, granule(how), least,
                              granule(how) > 4 * KiB ? ", or lower --align" : ""));
    }
    if (!addressable(how.capacity_bytes, how.align.unit_bytes)) {
      throw error(status::invalid_option,
                  fmt::format("--capacity: '{}' {}", flags.capacity, above_units(how.align)));
    }
  }
  if (flags.touch && flags.device == "sim") {
    throw error(status::invalid_option,
                "--touch contradicts --device sim: a simulated device holds nothing to touch; "
                "leave one of them out");
  }
  check_paths(flags.paths);
  return how;
}

options pool_options(const settings& how, const replay::program& what) {
  options result;
  result.capacity_bytes = how.capacity_bytes;
  result.unit_bytes = how.align.unit_bytes;
  result.max_alignment = granule(how);
  result.coalesce = how.policy;
  result.expected_blocks = std::max(result.expected_blocks, 2 * what.slot_count);
  result.name = what.name;
  return result;
}

outcome replay_one(const trace::trace& data, const replay_flags& flags, const settings& how) {
  const replay::program what = replay::translate(data);
  outcome result;
  result.trace = data.name;
  result.events = data.events.size();
  result.unknown_frees = data.unknown_frees;
  result.peak = replay::peak_live(what, how.align.unit_bytes);

  cuda::selected_source chosen = cuda::select_source(flags.device, how.capacity_bytes);
  result.device = chosen.where->name();
  result.device_reason = chosen.reason;
  std::unique_ptr<cuda::device_ops> touch;
  if (flags.touch) touch = cuda::make_device_ops(*chosen.where);
  allocator pool(std::move(chosen.where), pool_options(how, what));
  result.capacity_bytes = pool.capacity_bytes();
  {
    progress shown(data.name + (flags.touch ? ": filling and checking" : ": replaying"), "events");
    result.pass =
        check_pass(what, pool, how.align.request_bytes, touch.get(),
                   [&](std::uint64_t done, std::uint64_t total) { shown.update(done, total); });
  }
  {
    progress shown(data.name + ": timing", "events");
    result.timing =
        time_passes(what, pool, how.align.request_bytes, flags.repeat,
                    [&](std::uint64_t done, std::uint64_t total) { shown.update(done, total); });
  }
  result.driver_calls_after_start = pool.driver_calls_after_start();
  return result;
}

// Above so many steps over all the capacities of a search, nobody waits for the advice: at some
// 150 ns a step, on two cores, this is about five seconds.
constexpr std::uint64_t most_search_steps = 70'000'000;

// The least capacity at or above the safe one that a dry run confirms: what is reserved is a
// multiple of the granule, which need not be on the grid.
std::optional<std::uint64_t> enough(const replay::program& what, const settings& how) {
  const std::uint32_t unit_bytes = how.align.unit_bytes;
  if (!fit_addressable(replay::peak_live(what, unit_bytes).rounded_bytes, unit_bytes)) {
    return std::nullopt;
  }
  core::heap_options heap;
  heap.unit_bytes = unit_bytes;
  heap.policy = how.policy;
  progress shown(what.name + ": what would have been enough", "capacities");
  replay::fit_options search;
  search.alignment_bytes = how.align.request_bytes;
  search.thread_count = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  search.progress = [&](std::uint64_t done, std::uint64_t total) { shown.update(done, total); };
  const auto safe = replay::fit_search(what, heap, search).safe_capacity_bytes;
  if (!safe) return std::nullopt;
  heap.capacity_bytes = align_up(*safe, granule(how));
  for (int tries = 0; tries < 64; ++tries, heap.capacity_bytes += granule(how)) {
    if (!addressable(heap.capacity_bytes, unit_bytes)) return std::nullopt;
    if (replay::dry_run(what, heap, search.alignment_bytes).ok()) return heap.capacity_bytes;
  }
  return std::nullopt;
}

// What to do about allocations that found no place.
std::string advice(const trace::trace& data, const outcome& result, const replay_flags& flags,
                   const settings& how) {
  const replay::program what = replay::translate(data);
  std::string hint = fmt::format("bfc fit --policy {}", core::name(how.policy));
  if (how.align.bytes() != alignment{}.bytes()) hint += " --align " + flags.align;
  if (what.steps.size() > most_search_steps / replay::fit_grid_points) {
    return "what would have been enough takes long to find; see " + hint;
  }
  if (const auto capacity = enough(what, how)) {
    return fmt::format("{} bytes ({}) would have been enough ({})", *capacity,
                       format_size(*capacity), hint);
  }
  return fmt::format("even {} would not be enough for sure ({})",
                     format_size(result.peak.rounded_bytes / 2 * 3), hint);
}

exit_code judge(const outcome& result, const trace::trace& data, const replay_flags& flags,
                const settings& how) {
  exit_code code = exit_code::done;
  if (result.pass.refused_count > 0) {
    complain(fmt::format(
        "{}: {} of {} allocations found no place in {} bytes, the first at event {}; {}",
        result.trace, result.pass.refused_count, data.block_count, result.capacity_bytes,
        result.pass.first_refused_event, advice(data, result, flags, how)));
    code = exit_code::bad_result;
  }
  if (result.pass.damaged_count > 0) {
    complain(fmt::format("{}: {} blocks did not keep what was written; the first is {}",
                         result.trace, result.pass.damaged_count, result.pass.first_damage));
    code = exit_code::bad_result;
  }
  return code;
}

double rounded(double ns) {
  return std::round(ns * 10) / 10;
}

nlohmann::ordered_json as_json(const outcome& r, const replay_flags& flags) {
  nlohmann::ordered_json out;
  out["trace"] = r.trace;
  out["events"] = r.events;
  out["peak_live_bytes"] = r.peak.rounded_bytes;
  out["capacity_bytes"] = r.capacity_bytes;
  out["footprint_bytes"] = r.pass.statistics.footprint_bytes;
  out["ns_per_op_median"] = rounded(r.timing.ns_per_op_median);
  out["p50_ns"] = rounded(r.timing.p50_ns);
  out["p99_ns"] = rounded(r.timing.p99_ns);
  out["p999_ns"] = rounded(r.timing.p999_ns);
  out["oom_count"] = r.pass.refused_count;
  out["coalesce_count"] = r.pass.statistics.coalesce_count;
  out["driver_calls_after_start"] = r.driver_calls_after_start;
  out["peak_live_requested_bytes"] = r.peak.requested_bytes;
  out["timer_overhead_ns"] = rounded(r.timing.timer_overhead_ns);
  out["device"] = r.device;
  out["device_reason"] = r.device_reason;
  if (flags.touch) {
    out["touched_bytes"] = r.pass.touched_bytes;
    out["damaged_blocks"] = r.pass.damaged_count;
  }
  return out;
}

std::string as_text(const std::vector<outcome>& results) {
  table out({"trace", "events", "peak live", "capacity", "footprint", "/peak", "ns/op", "p50",
             "p99", "p99.9", "no place", "merge passes", "driver calls"});
  double log_sum = 0;
  std::size_t counted = 0;
  for (const outcome& r : results) {
    const std::uint64_t footprint = r.pass.statistics.footprint_bytes;
    std::string over_peak = "-";
    if (r.peak.rounded_bytes > 0 && r.pass.refused_count == 0) {
      const double ratio =
          static_cast<double>(footprint) / static_cast<double>(r.peak.rounded_bytes);
      over_peak = fmt::format("{:.3f}", ratio);
      log_sum += std::log(ratio);
      ++counted;
    }
    out.add({r.trace, fmt::format("{}", r.events), format_size(r.peak.rounded_bytes),
             format_size(r.capacity_bytes), format_size(footprint), over_peak,
             fmt::format("{:.1f}", r.timing.ns_per_op_median),
             fmt::format("{:.0f}", r.timing.p50_ns), fmt::format("{:.0f}", r.timing.p99_ns),
             fmt::format("{:.0f}", r.timing.p999_ns), fmt::format("{}", r.pass.refused_count),
             fmt::format("{}", r.pass.statistics.coalesce_count),
             fmt::format("{}", r.driver_calls_after_start)});
  }
  std::string text = out.text();
  if (counted > 1) {
    text += fmt::format("footprint over peak, geometric mean: {:.3f}\n",
                        std::exp(log_sum / static_cast<double>(counted)));
  }
  std::uint64_t touched = 0;
  for (const outcome& r : results) touched += r.pass.touched_bytes;
  if (touched > 0) text += fmt::format("filled and checked: {}\n", format_size(touched));
  return text;
}

}  // namespace

exit_code run_replay(const replay_flags& flags) {
  const settings how = check(flags);
  exit_code code = exit_code::done;
  std::vector<outcome> results;
  for (const std::string& path : flags.paths) {
    const loaded input = load(path, flags.tolerant);
    code = worse(code, input.code);
    results.push_back(replay_one(input.data, flags, how));
    code = worse(code, judge(results.back(), input.data, flags, how));
  }
  if (flags.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const outcome& r : results) all.push_back(as_json(r, flags));
    write_json(all);
  } else {
    // Only now, so that a mistake in a later trace is the only thing said.
    complain("device: " + results.front().device_reason);
    for (const outcome& r : results) note_skipped(r.trace, r.unknown_frees);
    write_result(as_text(results));
  }
  return code;
}

}  // namespace bfc::cli
