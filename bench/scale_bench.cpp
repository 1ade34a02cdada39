#include "scale_bench.hpp"

#include "heap_count.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "verify.hpp"
#include <bfc/base/checked.hpp>
#include <bfc/base/units.hpp>
#include <bfc/replay/tick_clock.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace bfc::bench {
namespace {

using replay::tick_clock;

struct point {
  workload what;
  setup room;
  std::uint64_t warm_ops = 0;   ///< Played untimed in front of the timed ones.
  std::uint64_t chunk_ops = 0;  ///< Timed at a time.
};

point make_point(size_range sizes, std::uint64_t live_blocks, std::uint32_t unit_bytes,
                 const scale_options& how) {
  point made;
  made.room.unit_bytes = unit_bytes;
  made.chunk_ops = std::clamp<std::uint64_t>(live_blocks, 20'000, 200'000);
  const std::uint64_t churn_before = std::max<std::uint64_t>(live_blocks, 10'000);
  made.warm_ops = live_blocks + churn_before;
  churn_options churn;
  churn.live_blocks = live_blocks;
  churn.churn_count = churn_before + made.chunk_ops * static_cast<std::uint64_t>(how.repetitions);
  churn.sizes = sizes;
  churn.unit_bytes = unit_bytes;
  churn.seed = how.seed;
  made.what = make_churn(churn);
  made.what.name = fmt::format("{} blocks of {} to {}", live_blocks, format_size(sizes.least_bytes),
                               format_size(sizes.most_bytes));
  made.room.capacity_bytes =
      align_up(made.what.peak_live_bytes + made.what.peak_live_bytes * 3 / 4 + 64 * MiB, 2 * MiB);
  return made;
}

/// Capacity in units must stay below 2^32: the largest points need a larger unit, for everyone.
point make_point(size_range sizes, std::uint64_t live_blocks, const scale_options& how) {
  for (std::uint32_t unit_bytes = 256;; unit_bytes *= 2) {
    const double expected = mean_bytes(sizes) * static_cast<double>(live_blocks) * 1.5;
    if (expected / unit_bytes >= 4294967296.0) continue;
    point made = make_point(sizes, live_blocks, unit_bytes, how);
    if (made.room.capacity_bytes / unit_bytes < std::uint64_t{1} << 32) return made;
  }
}

/// One warm instance and its samples.
class measured {
 public:
  measured(const contender_entry& entry, const point& at)
      : entry_(&entry), at_(&at), handles_(at.what.slot_count, refused) {
    const std::uint64_t before = heap_bytes_in_use();
    instance_ = entry.make(at.room);
    base_ = instance_->base();
    // The whole of it once, then freed: now its bookkeeping has the size it will ever need.
    play_one_by_one(at.what.ops);
    host_bytes_ = heap_bytes_in_use() - std::min(before, heap_bytes_in_use());
    play(at.what.drain);
    play(std::span(at.what.ops).first(at.warm_ops));
  }

  void time_chunk(std::size_t n, const std::vector<std::uint64_t>& live_after) {
    const auto part =
        std::span(at_->what.ops).subspan(at_->warm_ops + n * at_->chunk_ops, at_->chunk_ops);
    const std::uint64_t allocated = heap_allocations();
    const std::uint64_t begin = tick_clock::begin();
    const std::uint64_t failures = instance_->run(part, handles_.data());
    const std::uint64_t ticks = tick_clock::end() - begin;
    heap_allocations_ += heap_allocations() - allocated;
    check(failures);
    ticks_.push_back(ticks);
    verify_live(*entry_, at_->room, base_, live_after, handles_);
  }

  [[nodiscard]] scale_row row(size_range sizes, std::uint64_t live_blocks) const {
    scale_row made;
    made.sizes = sizes;
    made.live_blocks = live_blocks;
    made.unit_bytes = at_->room.unit_bytes;
    made.contender = entry_->name;
    const double scale = tick_clock::ns_per_tick() / static_cast<double>(at_->chunk_ops);
    made.ns_per_op_median = static_cast<double>(median(ticks_)) * scale;
    made.ns_per_op_quiet =
        static_cast<double>(*std::min_element(ticks_.begin(), ticks_.end())) * scale;
    if (entry_->reuses)
      made.extent_ratio =
          static_cast<double>(highest_end_) / static_cast<double>(at_->what.peak_live_bytes);
    made.host_bytes_per_block =
        static_cast<double>(host_bytes_) / static_cast<double>(at_->what.drain.size());
    made.heap_allocations = heap_allocations_;
    return made;
  }

  void check_heap() const {
    if (entry_->heap_free && heap_allocations_ != 0)
      throw wrong_answer(fmt::format("{} with {}: {} heap allocations after warm-up, none expected",
                                     entry_->name, at_->what.name, heap_allocations_));
  }

 private:
  void play_one_by_one(std::span<const op> ops) {
    for (const op& each : ops) {
      play({&each, 1});
      if (!each.is_free())
        highest_end_ = std::max(
            highest_end_, handles_[each.slot] - base_ + align_up(each.bytes, at_->room.unit_bytes));
    }
  }

  void play(std::span<const op> ops) { check(instance_->run(ops, handles_.data())); }

  void check(std::uint64_t failures) const {
    if (failures != 0)
      throw wrong_answer(
          fmt::format("{} with {}: {} failed operations", entry_->name, at_->what.name, failures));
  }

  const contender_entry* entry_;
  const point* at_;
  std::unique_ptr<runner> instance_;
  std::vector<std::uint64_t> handles_;
  std::vector<std::uint64_t> ticks_;
  std::uint64_t base_ = 0;
  std::uint64_t host_bytes_ = 0;
  std::uint64_t highest_end_ = 0;  ///< Of any block, from the base.
  std::uint64_t heap_allocations_ = 0;
};

/// Which bytes live in which slot, after any stretch of operations.
class live_book {
 public:
  explicit live_book(std::uint32_t slot_count) : bytes_(slot_count) {}
  void follow(std::span<const op> ops) {
    for (const op& each : ops) bytes_[each.slot] = each.bytes;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::uint64_t> bytes_;
};

std::vector<scale_row> bench_point(const std::vector<contender_entry>& contenders, size_range sizes,
                                   std::uint64_t live_blocks, const scale_options& how,
                                   cli::progress& shown) {
  const auto chunks = static_cast<std::size_t>(how.repetitions);
  const point at = make_point(sizes, live_blocks, how);
  shown.begin(at.what.name, "steps", contenders.size() * (chunks + 1));
  std::vector<measured> instances;
  for (const contender_entry& each : contenders) {
    instances.emplace_back(each, at);
    shown.step();
  }
  live_book live(at.what.slot_count);
  live.follow(std::span(at.what.ops).first(at.warm_ops));
  {
    const pinned to_one_core;
    for (std::size_t n = 0; n < chunks; ++n) {
      live.follow(std::span(at.what.ops).subspan(at.warm_ops + n * at.chunk_ops, at.chunk_ops));
      for (measured& each : instances) {
        each.time_chunk(n, live.bytes());
        shown.step();
      }
    }
  }
  std::vector<scale_row> rows;
  for (const measured& each : instances) {
    each.check_heap();
    rows.push_back(each.row(sizes, live_blocks));
  }
  const auto map = std::find_if(rows.begin(), rows.end(), [](const scale_row& each) {
    return each.contender == "map-bestfit";
  });
  if (map == rows.end()) return rows;
  for (scale_row& each : rows) {
    each.ratio_to_map = quotient(each.ns_per_op_median, map->ns_per_op_median);
    each.ratio_to_map_quiet = quotient(each.ns_per_op_quiet, map->ns_per_op_quiet);
  }
  return rows;
}

}  // namespace

std::vector<scale_row> bench_scale(const std::vector<contender_entry>& contenders,
                                   const scale_options& how, cli::progress& shown) {
  std::vector<scale_row> all;
  for (const size_range sizes : how.ranges) {
    std::vector<scale_row> before;
    for (const std::uint64_t live_blocks : how.live_blocks) {
      std::vector<scale_row> rows = bench_point(contenders, sizes, live_blocks, how, shown);
      for (std::size_t n = 0; n < before.size(); ++n)
        rows[n].growth = quotient(rows[n].ns_per_op_median, before[n].ns_per_op_median);
      all.insert(all.end(), rows.begin(), rows.end());
      before = std::move(rows);
    }
  }
  return all;
}

}  // namespace bfc::bench
