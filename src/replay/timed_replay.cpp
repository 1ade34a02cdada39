#include <bfc/base/contract.hpp>
#include <bfc/replay/timed_replay.hpp>

#include <algorithm>

namespace bfc::replay {
namespace {

// Nearest rank: the smallest sample that at least `share` of all samples do not exceed.
std::uint32_t percentile(std::vector<std::uint32_t>& samples, std::size_t per_thousand) {
  const std::size_t rank = (samples.size() * per_thousand + 999) / 1000;
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(rank == 0 ? 0 : rank - 1);
  std::nth_element(samples.begin(), place, samples.end());
  return *place;
}

double median(std::vector<std::uint32_t>& samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[half];
  return (static_cast<double>(samples[half - 1]) + samples[half]) / 2;
}

}  // namespace

timing_samples::timing_samples(std::size_t step_count) : step_count_(step_count) {}

void timing_samples::add_stretch_pass(const std::vector<std::uint32_t>& nanoseconds) {
  BFC_EXPECT(stretches_.empty() || stretches_.front().size() == nanoseconds.size(),
             "all passes have as many stretches");
  stretches_.push_back(nanoseconds);
}

void timing_samples::add_call_pass(const std::vector<std::uint32_t>& ticks) {
  BFC_EXPECT(ticks.size() == step_count_, "a pass times every step once");
  calls_.insert(calls_.end(), ticks.begin(), ticks.end());
}

timing timing_samples::summarise() const {
  timing result;
  result.stretch_passes = stretches_.size();
  if (step_count_ == 0) return result;
  if (!stretches_.empty()) {
    double total_ns = 0;
    std::vector<std::uint32_t> passes(stretches_.size());
    for (std::size_t i = 0; i < stretches_.front().size(); ++i) {
      for (std::size_t pass = 0; pass < passes.size(); ++pass) passes[pass] = stretches_[pass][i];
      total_ns += median(passes);
    }
    result.ns_per_op_median = total_ns / static_cast<double>(step_count_);
  }
  if (!calls_.empty()) {
    result.call_passes = calls_.size() / step_count_;
    const std::uint64_t overhead = tick_clock::overhead_ticks();
    const double scale = tick_clock::ns_per_tick();
    const auto in_ns = [&](std::uint32_t ticks) {
      return ticks > overhead ? static_cast<double>(ticks - overhead) * scale : 0.0;
    };
    std::vector<std::uint32_t> calls = calls_;
    result.p50_ns = in_ns(percentile(calls, 500));
    result.p99_ns = in_ns(percentile(calls, 990));
    result.p999_ns = in_ns(percentile(calls, 999));
    result.max_ns = in_ns(percentile(calls, 1000));
    result.timer_overhead_ns = static_cast<double>(overhead) * scale;
  }
  return result;
}

}  // namespace bfc::replay
