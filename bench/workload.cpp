#include "workload.hpp"

#include <bfc/base/checked.hpp>
#include <bfc/replay/peak_live.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace bfc::bench {
namespace {

/// Hands slots out, the one freed last first, and keeps the books of what is live.
class slot_book {
 public:
  explicit slot_book(std::uint32_t unit_bytes) : unit_bytes_(unit_bytes) {}

  std::uint32_t take(std::uint64_t bytes, std::uint64_t sequence) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(bytes_.size()));
      bytes_.push_back(0);
      sequence_.push_back(0);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    bytes_[slot] = align_up(bytes, unit_bytes_);
    sequence_[slot] = sequence;
    live_bytes_ += bytes_[slot];
    ++live_blocks_;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
    peak_blocks_ = std::max(peak_blocks_, live_blocks_);
    return slot;
  }

  void give(std::uint32_t slot) {
    live_bytes_ -= bytes_[slot];
    --live_blocks_;
    bytes_[slot] = 0;
    free_.push_back(slot);
  }

  [[nodiscard]] std::uint64_t live_blocks() const noexcept { return live_blocks_; }

  void finish(workload& into) const {
    into.slot_count = static_cast<std::uint32_t>(bytes_.size());
    into.peak_live_bytes = peak_bytes_;
    into.peak_live_blocks = peak_blocks_;
    for (std::uint32_t slot = 0; slot < into.slot_count; ++slot)
      if (bytes_[slot] != 0) into.drain.push_back({slot, 0});
    std::sort(into.drain.begin(), into.drain.end(),
              [this](const op& a, const op& b) { return sequence_[a.slot] < sequence_[b.slot]; });
  }

 private:
  std::uint32_t unit_bytes_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint64_t> bytes_;  ///< By slot; 0: not live.
  std::vector<std::uint64_t> sequence_;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t live_blocks_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::uint64_t peak_blocks_ = 0;
};

class log_uniform {
 public:
  explicit log_uniform(size_range sizes)
      : exponent_(std::log(static_cast<double>(sizes.least_bytes)),
                  std::log(static_cast<double>(sizes.most_bytes))) {}

  std::uint64_t operator()(std::mt19937_64& random) {
    return static_cast<std::uint64_t>(std::exp(exponent_(random)));
  }

 private:
  std::uniform_real_distribution<double> exponent_;
};

}  // namespace

workload from_program(const replay::program& calls, std::uint32_t unit_bytes) {
  const replay::live_peak peak = replay::peak_live(calls, unit_bytes);
  workload made;
  made.name = calls.name;
  made.slot_count = calls.slot_count;
  made.peak_live_bytes = peak.rounded_bytes;
  made.peak_live_blocks = peak.block_count;
  made.ops.reserve(calls.steps.size());
  for (const replay::step& each : calls.steps)
    made.ops.push_back(
        {each.slot, each.is_free() ? 0 : static_cast<std::uint64_t>(each.size_bytes)});
  for (const std::uint32_t slot : calls.leftover_slots) made.drain.push_back({slot, 0});
  return made;
}

workload make_churn(const churn_options& how) {
  workload made;
  made.name = "churn";
  made.ops.reserve(how.live_blocks + how.churn_count);
  std::mt19937_64 random(how.seed);
  log_uniform size(how.sizes);
  slot_book slots(how.unit_bytes);
  std::vector<std::uint32_t> live;
  live.reserve(how.live_blocks + how.live_blocks / 10 + 1);

  const auto allocate = [&] {
    const std::uint64_t bytes = size(random);
    const std::uint32_t slot = slots.take(bytes, made.ops.size());
    live.push_back(slot);
    made.ops.push_back({slot, bytes});
  };
  const auto free = [&] {
    const std::size_t which = random() % live.size();
    const std::uint32_t slot = live[which];
    live[which] = live.back();
    live.pop_back();
    slots.give(slot);
    made.ops.push_back({slot, 0});
  };

  const std::uint64_t tenth = how.live_blocks / 10;
  for (std::uint64_t n = 0; n < how.live_blocks; ++n) allocate();
  for (std::uint64_t n = 0; n < how.churn_count; ++n) {
    const bool wants_free = (random() >> 63) != 0;
    const bool may_free = slots.live_blocks() > how.live_blocks - tenth;
    const bool may_allocate = slots.live_blocks() < how.live_blocks + tenth;
    if (!may_allocate || (wants_free && may_free)) {
      free();
    } else {
      allocate();
    }
  }
  slots.finish(made);
  return made;
}

std::vector<op> make_toggles(std::uint32_t slot_count, std::size_t count, size_range sizes,
                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  log_uniform size(sizes);
  std::vector<op> made;
  made.reserve(count);
  for (std::size_t n = 0; n < count; ++n)
    made.push_back({static_cast<std::uint32_t>(random() % slot_count), size(random)});
  return made;
}

double mean_bytes(size_range sizes) {
  const auto least = static_cast<double>(sizes.least_bytes);
  const auto most = static_cast<double>(sizes.most_bytes);
  return (most - least) / std::log(most / least);
}

}  // namespace bfc::bench
