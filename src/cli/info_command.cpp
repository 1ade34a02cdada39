#include "cli/commands.hpp"
#include "cli/loading.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include <bfc/base/units.hpp>
#include <bfc/replay/trace_summary.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bfc::cli {
namespace {

struct trace_info {
  std::string trace;
  std::uint64_t unknown_frees = 0;
  std::uint64_t failed_allocations = 0;
  std::uint64_t reissued_pointers = 0;
  bool truncated = false;
  replay::trace_summary summary;
};

std::string percent_name(unsigned percent) {
  return percent == 100 ? "max" : fmt::format("p{}", percent);
}

nlohmann::ordered_json lifetimes_json(const replay::lifetime_percentiles& values) {
  nlohmann::ordered_json out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[percent_name(replay::lifetime_percents[i])] = values[i];
  }
  return out;
}

nlohmann::ordered_json as_json(const trace_info& info) {
  const replay::trace_summary& s = info.summary;
  nlohmann::ordered_json histogram = nlohmann::ordered_json::array();
  for (const replay::size_class& c : s.sizes) {
    nlohmann::ordered_json row;
    row["least_bytes"] = c.least_bytes;
    row["allocations"] = c.allocation_count;
    row["bytes"] = c.total_bytes;
    histogram.push_back(std::move(row));
  }
  nlohmann::ordered_json out;
  out["trace"] = info.trace;
  out["events"] = s.event_count;
  out["allocations"] = s.allocation_count;
  out["frees"] = s.free_count;
  out["threads"] = s.thread_count;
  out["duration_us"] = s.duration_us;
  out["total_bytes"] = s.total_bytes;
  out["largest_bytes"] = s.largest_bytes;
  out["distinct_sizes"] = s.distinct_size_count;
  out["zero_sized_allocations"] = s.zero_sized_count;
  out["size_histogram"] = std::move(histogram);
  out["peak_live_bytes"] = s.peak.requested_bytes;
  out["peak_event"] = s.peak_event;
  out["peak_time_us"] = s.peak_time_us;
  out["peak_live_blocks"] = s.peak.block_count;
  out["peak_blocks_event"] = s.peak_block_event;
  out["lifetime_events"] = lifetimes_json(s.lifetime_events);
  out["lifetime_us"] = lifetimes_json(s.lifetime_us);
  out["leaked_blocks"] = s.leaked_block_count;
  out["leaked_bytes"] = s.leaked_bytes;
  out["unknown_frees"] = info.unknown_frees;
  out["failed_allocations"] = info.failed_allocations;
  out["reissued_pointers"] = info.reissued_pointers;
  out["truncated"] = info.truncated;
  return out;
}

std::string duration_text(std::uint64_t us) {
  const auto value = static_cast<double>(us);
  if (us < 1'000) return fmt::format("{} us", us);
  if (us < 1'000'000) return fmt::format("{:.1f} ms", value / 1e3);
  return fmt::format("{:.1f} s", value / 1e6);
}

std::string histogram_text(const replay::trace_summary& s) {
  std::uint64_t most = 0;
  for (const replay::size_class& c : s.sizes) most = std::max(most, c.allocation_count);
  constexpr double full_width = 40;
  table out({"  sizes from", "allocations", "bytes", ""});
  std::vector<std::string> bars;
  for (const replay::size_class& c : s.sizes) {
    const double share = static_cast<double>(c.allocation_count) / static_cast<double>(most);
    // At least one mark, so that a rare size is seen to be there.
    const auto marks = std::max<std::size_t>(1, static_cast<std::size_t>(share * full_width));
    out.add({"  " + format_size(c.least_bytes), fmt::format("{}", c.allocation_count),
             format_size(c.total_bytes), fmt::format("{:<40}", std::string(marks, '#'))});
  }
  // Bars are set to the left by trailing blanks, which nobody wants in a file.
  std::string text = out.text();
  std::string trimmed;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::size_t last = text.find_last_not_of(' ', end - 1);
    trimmed.append(text, at, last + 1 - at).push_back('\n');
    at = end + 1;
  }
  return trimmed;
}

std::string lifetimes_text(const replay::trace_summary& s) {
  std::vector<std::string> heading{"  lifetimes of freed blocks"};
  std::vector<std::string> events{"  in events"};
  std::vector<std::string> times{"  in time"};
  for (std::size_t i = 0; i < replay::lifetime_percents.size(); ++i) {
    heading.push_back(percent_name(replay::lifetime_percents[i]));
    events.push_back(fmt::format("{}", s.lifetime_events[i]));
    times.push_back(duration_text(s.lifetime_us[i]));
  }
  table out(std::move(heading));
  out.add(std::move(events));
  out.add(std::move(times));
  return out.text();
}

std::string as_text(const trace_info& info) {
  const replay::trace_summary& s = info.summary;
  std::string out = fmt::format(
      "{}{}\n"
      "  {} events in {}: {} allocations, {} frees, {} thread{}\n"
      "  {} allocated in {} distinct sizes, the largest {}\n"
      "  peak live: {} ({} bytes) at event {}, {} after the start; {} blocks at event {}\n"
      "  live at the end: {} blocks, {}\n",
      info.trace, info.truncated ? " (truncated)" : "", s.event_count, duration_text(s.duration_us),
      s.allocation_count, s.free_count, s.thread_count, s.thread_count == 1 ? "" : "s",
      format_size(s.total_bytes), s.distinct_size_count, format_size(s.largest_bytes),
      format_size(s.peak.requested_bytes), s.peak.requested_bytes, s.peak_event,
      duration_text(s.peak_time_us), s.peak.block_count, s.peak_block_event, s.leaked_block_count,
      format_size(s.leaked_bytes));
  const auto tell = [&out](std::uint64_t count, const char* what) {
    if (count > 0) out += fmt::format("  {}: {}\n", what, count);
  };
  tell(info.unknown_frees, "frees of unknown pointers, skipped");
  tell(info.failed_allocations, "allocations that failed when recorded, skipped");
  tell(info.reissued_pointers, "pointers issued again while live, taken as freed unseen");
  tell(s.zero_sized_count, "allocations of zero bytes");
  if (!s.sizes.empty()) out += "\n" + histogram_text(s);
  if (s.free_count > 0) out += "\n" + lifetimes_text(s);
  return out;
}

}  // namespace

exit_code run_info(const info_flags& flags) {
  check_paths(flags.paths);
  exit_code code = exit_code::done;
  std::vector<trace_info> infos;
  for (const std::string& path : flags.paths) {
    const loaded input = load(path, flags.tolerant);
    code = worse(code, input.code);
    infos.push_back({input.data.name, input.data.unknown_frees, input.data.failed_allocations,
                     input.data.reissued_pointers, input.data.truncated,
                     replay::summarise(input.data)});
  }
  if (flags.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const trace_info& info : infos) all.push_back(as_json(info));
    write_json(all);
  } else {
    std::string text;
    for (const trace_info& info : infos) text += (text.empty() ? "" : "\n") + as_text(info);
    write_result(text);
  }
  return code;
}

}  // namespace bfc::cli
