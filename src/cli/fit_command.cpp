#include "cli/commands.hpp"
#include "cli/flag_values.hpp"
#include "cli/loading.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include <bfc/replay/fit_search.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bfc::cli {
namespace {

struct trace_fit {
  std::string trace;
  std::uint64_t unknown_frees = 0;
  replay::live_peak peak;
  std::vector<replay::fit_result> results;  // one for each policy
};

std::vector<core::coalescing> policies_of(const std::string& text) {
  std::vector<core::coalescing> result;
  if (text == "all") {
    result.assign(std::begin(core::all_coalescing_policies),
                  std::end(core::all_coalescing_policies));
    return result;
  }
  std::istringstream words(text + ",");
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "all") {
      throw error(status::invalid_option,
                  "--policy: 'all' cannot be combined with names; leave one of them out");
    }
    const core::coalescing policy = policy_value("--policy", word);
    if (std::find(result.begin(), result.end(), policy) != result.end()) {
      throw error(status::invalid_option, "--policy: '" + word + "' is named twice");
    }
    result.push_back(policy);
  }
  return result;
}

trace_fit fit_one(const trace::trace& data, const std::vector<core::coalescing>& policies,
                  const alignment& align) {
  const replay::program what = replay::translate(data);
  trace_fit result;
  result.trace = data.name;
  result.unknown_frees = data.unknown_frees;
  result.peak = replay::peak_live(what, align.unit_bytes);
  if (!fit_addressable(result.peak.rounded_bytes, align.unit_bytes)) {
    throw error(status::invalid_option,
                fmt::format("{}: 1.5 times its peak of {} {}", data.name,
                            format_size(result.peak.rounded_bytes), above_units(align)));
  }
  for (const core::coalescing policy : policies) {
    core::heap_options heap;
    heap.unit_bytes = align.unit_bytes;
    heap.policy = policy;
    progress shown(fmt::format("{}: fit of {}", data.name, core::name(policy)), "capacities");
    replay::fit_options search;
    search.alignment_bytes = align.request_bytes;
    search.thread_count = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
    search.progress = [&](std::uint64_t done, std::uint64_t total) { shown.update(done, total); };
    result.results.push_back(replay::fit_search(what, heap, search));
  }
  return result;
}

template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json as_json(const trace_fit& fit,
                               const std::vector<core::coalescing>& policies) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const replay::fit_result& r = fit.results[i];
    nlohmann::ordered_json row;
    row["name"] = core::name(policies[i]);
    row["safe_capacity_bytes"] = or_null(r.safe_capacity_bytes);
    row["fit_ratio"] = or_null(r.fit_ratio);
    row["first_fit_ratio"] = or_null(r.first_fit_ratio);
    rows.push_back(std::move(row));
  }
  nlohmann::ordered_json out;
  out["trace"] = fit.trace;
  out["peak_live_bytes"] = fit.peak.rounded_bytes;
  out["policies"] = std::move(rows);
  out["peak_live_requested_bytes"] = fit.peak.requested_bytes;
  return out;
}

// A trace that holds nothing has no ratio at all; otherwise none means that the grid ends too low.
std::string ratio_text(const std::optional<double>& ratio, const trace_fit& fit) {
  if (ratio) return fmt::format("{:.3f}", *ratio);
  return fit.peak.rounded_bytes == 0 ? "-" : "> 1.5";
}

std::string mean_text(const std::vector<trace_fit>& fits, std::size_t policy,
                      std::optional<double> replay::fit_result::*which) {
  double log_sum = 0;
  for (const trace_fit& fit : fits) {
    const std::optional<double>& ratio = fit.results[policy].*which;
    if (!ratio) return "-";
    log_sum += std::log(*ratio);
  }
  return fmt::format("{:.3f}", std::exp(log_sum / static_cast<double>(fits.size())));
}

std::string as_text(const std::vector<trace_fit>& fits,
                    const std::vector<core::coalescing>& policies) {
  std::vector<std::string> heading{"trace", "peak live"};
  for (const core::coalescing policy : policies) {
    heading.emplace_back(core::name(policy));
    heading.emplace_back("(first)");
  }
  table out(std::move(heading));
  for (const trace_fit& fit : fits) {
    std::vector<std::string> row{fit.trace, format_size(fit.peak.rounded_bytes)};
    for (const replay::fit_result& r : fit.results) {
      row.push_back(ratio_text(r.fit_ratio, fit));
      row.push_back("(" + ratio_text(r.first_fit_ratio, fit) + ")");
    }
    out.add(std::move(row));
  }
  if (fits.size() > 1) {
    std::vector<std::string> row{"geometric mean", ""};
    for (std::size_t i = 0; i < policies.size(); ++i) {
      row.push_back(mean_text(fits, i, &replay::fit_result::fit_ratio));
      row.push_back("(" + mean_text(fits, i, &replay::fit_result::first_fit_ratio) + ")");
    }
    out.add(std::move(row));
  }
  return out.text() +
         "fit ratio: safe capacity / peak live bytes; 1.0 is the physical limit. From the safe\n"
         "capacity on, every larger one up to 1.5 x the peak succeeds; (first): the least that "
         "does.\n";
}

}  // namespace

exit_code run_fit(const fit_flags& flags) {
  const std::vector<core::coalescing> policies = policies_of(flags.policy);
  const alignment align = align_value(flags.align);
  check_paths(flags.paths);
  exit_code code = exit_code::done;
  std::vector<trace_fit> fits;
  for (const std::string& path : flags.paths) {
    const loaded input = load(path, flags.tolerant);
    code = worse(code, input.code);
    fits.push_back(fit_one(input.data, policies, align));
  }
  if (flags.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const trace_fit& fit : fits) all.push_back(as_json(fit, policies));
    write_json(all);
  } else {
    for (const trace_fit& fit : fits) note_skipped(fit.trace, fit.unknown_frees);
    write_result(as_text(fits, policies));
  }
  return code;
}

}  // namespace bfc::cli
