#include "trace_bench.hpp"

#include "contenders/contenders.hpp"
#include "fit.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "verify.hpp"
#include <bfc/base/checked.hpp>
#include <bfc/base/units.hpp>
#include <bfc/replay/tick_clock.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace bfc::bench {
namespace {

using replay::tick_clock;

/// Operations between two readings of the clock: few enough that an interruption spoils little,
/// many enough that reading costs nothing.
constexpr std::size_t stretch_ops = 512;

/// One warm instance and its samples.
class measured {
 public:
  measured(const contender_entry& entry, const workload& what, const setup& how)
      : entry_(&entry),
        what_(&what),
        instance_(entry.make(how)),
        handles_(what.slot_count, refused),
        stretch_((what.ops.size() + stretch_ops - 1) / stretch_ops),
        fastest_(stretch_.size(), ~std::uint64_t{0}),
        latency_(what.ops.size()),
        fastest_call_(what.ops.size(), ~std::uint32_t{0}) {}

  void warm_up() {
    count_failures(instance_->run(what_->ops, handles_.data()));
    drain();
  }

  void time_pass() {
    const std::span<const op> ops = what_->ops;
    std::uint64_t failures = 0;
    for (std::size_t n = 0; n < stretch_.size(); ++n) {
      const auto part =
          ops.subspan(n * stretch_ops, std::min(stretch_ops, ops.size() - n * stretch_ops));
      const std::uint64_t begin = tick_clock::begin();
      failures += instance_->run(part, handles_.data());
      stretch_[n] = tick_clock::end() - begin;
    }
    drain();
    count_failures(failures);
    std::uint64_t total = 0;
    for (std::size_t n = 0; n < stretch_.size(); ++n) {
      total += stretch_[n];
      fastest_[n] = std::min(fastest_[n], stretch_[n]);
    }
    totals_.push_back(total);
  }

  void time_each_call() {
    count_failures(instance_->run_each(what_->ops, handles_.data(), latency_.data()));
    drain();
    for (std::size_t n = 0; n < latency_.size(); ++n)
      fastest_call_[n] = std::min(fastest_call_[n], latency_[n]);
    samples_.insert(samples_.end(), latency_.begin(), latency_.end());
  }

  [[nodiscard]] trace_row row() const {
    trace_row made;
    made.trace = what_->name;
    made.contender = entry_->name;
    made.ns_per_op_median = per_op(median(totals_));
    std::uint64_t quiet = 0;
    for (const std::uint64_t each : fastest_) quiet += each;
    made.ns_per_op_quiet = per_op(quiet);
    made.p50_ns = call_ns(samples_, 0.5);
    made.p99_ns = call_ns(samples_, 0.99);
    made.p999_ns = call_ns(samples_, 0.999);
    made.p999_ns_quiet = call_ns(fastest_call_, 0.999);
    return made;
  }

 private:
  void drain() { count_failures(instance_->run(what_->drain, handles_.data())); }

  void count_failures(std::uint64_t failures) const {
    if (failures != 0)
      throw wrong_answer(fmt::format("{} on {}: {} failed operations while timed", entry_->name,
                                     what_->name, failures));
  }

  [[nodiscard]] double per_op(std::uint64_t ticks) const {
    if (what_->ops.empty()) return 0;
    return static_cast<double>(ticks) * tick_clock::ns_per_tick() /
           static_cast<double>(what_->ops.size());
  }

  [[nodiscard]] static double call_ns(const std::vector<std::uint32_t>& samples, double share) {
    const std::uint64_t ticks = percentile(samples, share);
    const std::uint64_t clock = tick_clock::overhead_ticks();
    return ticks <= clock ? 0 : static_cast<double>(ticks - clock) * tick_clock::ns_per_tick();
  }

  const contender_entry* entry_;
  const workload* what_;
  std::unique_ptr<runner> instance_;
  std::vector<std::uint64_t> handles_;
  std::vector<std::uint64_t> stretch_;       ///< Ticks of this pass.
  std::vector<std::uint64_t> fastest_;       ///< Ticks, least over the passes.
  std::vector<std::uint64_t> totals_;        ///< Ticks by pass.
  std::vector<std::uint32_t> latency_;       ///< Ticks of this pass's calls.
  std::vector<std::uint32_t> fastest_call_;  ///< Ticks, least over the passes.
  std::vector<std::uint32_t> samples_;       ///< Ticks of all passes' calls.
};

/// Exact best fit with immediate merging leaves no choice: whoever promises it answers the same.
void verify_all(const std::vector<contender_entry>& contenders, const workload& what,
                const setup& how, cli::progress& shown) {
  shown.begin(fmt::format("{}, verify", what.name), "contenders", contenders.size());
  const contender_entry* reference = nullptr;
  std::vector<std::uint64_t> expected;
  for (const contender_entry& each : contenders) {
    std::vector<std::uint64_t> offsets = verify(each, what, how);
    shown.step();
    if (!each.canonical) continue;
    if (reference == nullptr) {
      reference = &each;
      expected = std::move(offsets);
      continue;
    }
    const auto apart = std::mismatch(offsets.begin(), offsets.end(), expected.begin());
    if (apart.first != offsets.end())
      throw wrong_answer(
          fmt::format("{} and {} on {}: allocation {} is placed at {} by one and {} by the other, "
                      "though both promise exact best fit with immediate merging",
                      each.name, reference->name, what.name, apart.first - offsets.begin(),
                      *apart.first, *apart.second));
  }
}

void time_all(std::vector<measured>& instances, const workload& what,
              const trace_bench_options& how, cli::progress& shown) {
  const pinned to_one_core;
  const auto passes = static_cast<std::uint64_t>(how.repetitions + how.latency_passes);
  shown.begin(fmt::format("{}, time", what.name), "passes", passes * instances.size());
  for (int pass = 0; pass < how.repetitions; ++pass)
    for (measured& each : instances) {
      each.time_pass();
      shown.step();
    }
  for (int pass = 0; pass < how.latency_passes; ++pass)
    for (measured& each : instances) {
      each.time_each_call();
      shown.step();
    }
}

void add_fit(std::vector<trace_row>& rows, const std::vector<contender_entry>& contenders,
             const workload& what, const trace_bench_options& how, cli::progress& shown) {
  const trace_row* reference = nullptr;
  for (std::size_t n = 0; n < contenders.size(); ++n) {
    if (!contenders[n].reuses) continue;
    rows[n].fit_ratio = search_fit(contenders[n], what, how.unit_bytes, shown);
    if (!contenders[n].canonical) continue;
    if (reference == nullptr) {
      reference = &rows[n];
    } else if (reference->fit_ratio != rows[n].fit_ratio) {
      throw wrong_answer(
          fmt::format("{} and {} on {}: their fit ratios differ, though both "
                      "promise exact best fit with immediate merging",
                      rows[n].contender, reference->contender, what.name));
    }
  }
}

void add_ratios(std::vector<trace_row>& rows) {
  const auto find = [&](const char* name) -> std::optional<double> {
    for (const trace_row& each : rows)
      if (each.contender == name) return each.ns_per_op_median;
    return std::nullopt;
  };
  const std::optional<double> floor = find("floor-mutex");
  const std::optional<double> map = find("map-bestfit");
  for (trace_row& each : rows) {
    each.ratio_to_floor = quotient(each.ns_per_op_median, floor);
    each.ratio_to_map = quotient(each.ns_per_op_median, map);
  }
}

}  // namespace

std::uint64_t timing_capacity(const workload& what) {
  return align_up(what.peak_live_bytes + what.peak_live_bytes / 2 + 64 * MiB, 2 * MiB);
}

trace_result bench_trace(const std::vector<contender_entry>& contenders, const workload& what,
                         const trace_bench_options& how, cli::progress& shown) {
  const setup room{timing_capacity(what), how.unit_bytes};
  verify_all(contenders, what, room, shown);

  const contender_entry nothing = make_empty_loop();
  std::vector<measured> instances;
  for (const contender_entry& each : contenders) instances.emplace_back(each, what, room);
  instances.emplace_back(nothing, what, room);
  for (measured& each : instances) each.warm_up();

  time_all(instances, what, how, shown);

  trace_result result;
  for (const measured& each : instances) result.rows.push_back(each.row());
  result.loop_ns = result.rows.back().ns_per_op_median;
  result.rows.pop_back();
  instances.clear();
  if (how.with_fit) add_fit(result.rows, contenders, what, how, shown);
  add_ratios(result.rows);
  return result;
}

}  // namespace bfc::bench
