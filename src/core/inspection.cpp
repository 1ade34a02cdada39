// What can be read off a heap without changing it. See heap.hpp.
#include "heap_blocks.hpp"
#include <bfc/base/checked.hpp>
#include <bfc/core/heap.hpp>

#include <algorithm>

namespace bfc::core {

namespace {

/// The longest aligned piece of [offset, end).
std::uint64_t aligned_length(std::uint64_t offset, std::uint64_t end, std::uint64_t alignment) {
  const auto start = checked_align_up(offset, alignment);
  return start && *start < end ? end - *start : 0;
}

}  // namespace

/// Whether `id` is the first unmerged block of its run of free neighbours; `first` is the run's
/// first block then. Holes are never neighbours, so at most one stands before it.
bool heap::begins_run(block_id id, block_id& first) const noexcept {
  first = id;
  for (block_id before = blocks_[id].prev;
       before != no_block && joins(blocks_[before], blocks_[first]);
       before = blocks_[before].prev) {
    if (blocks_[before].is_unmerged()) return false;
    first = before;
  }
  return true;
}

std::uint64_t heap::largest_available(std::uint64_t alignment) const noexcept {
  if (alignment == 0) alignment = options_.unit_bytes;
  if (!is_power_of_two(alignment)) return 0;
  std::uint64_t largest = 0;
  // Holes, from the largest down: the first that is no longer than the best piece ends the search.
  for (auto at = holes_.last(); at && to_bytes(at.block.size) > largest; at = holes_.previous(at)) {
    const std::uint64_t offset = to_bytes(at.block.offset);
    largest =
        std::max(largest, aligned_length(offset, offset + to_bytes(at.block.size), alignment));
  }
  // Runs that a merge would make one hole of.
  for (std::uint32_t i = 0; i < unmerged_.count(); ++i) {
    block_id first = no_block;
    if (!begins_run(unmerged_[i], first)) continue;
    block_id last = unmerged_[i];
    while (blocks_[last].next != no_block && joins(blocks_[last], blocks_[blocks_[last].next])) {
      last = blocks_[last].next;
    }
    largest = std::max(largest, aligned_length(to_bytes(blocks_[first].offset),
                                               to_bytes(blocks_[last].end()), alignment));
  }
  return largest;
}

std::uint64_t heap::metadata_bytes() const noexcept {
  return sizeof(*this) + blocks_.memory_bytes() + live_.memory_bytes() + nodes_.memory_bytes();
}

block_info heap::inspect(block_id id) const noexcept {
  const block& b = blocks_[id];
  block_info info;
  info.offset = to_bytes(b.offset);
  info.size_bytes = to_bytes(b.size);
  if (b.is_live()) {
    info.state = block_state::live;
    info.requested_bytes = info.size_bytes - b.slack();
    info.tag = b.tag();
    info.sequence = b.sequence();
  } else {
    info.marks = b.marks();
    info.unmerged = b.is_unmerged();
  }
  return info;
}

block_info heap::block_around(std::uint64_t offset) const noexcept {
  block_id id = blocks_.first();
  while (to_bytes(blocks_[id].offset) + to_bytes(blocks_[id].size) <= offset) id = blocks_[id].next;
  return inspect(id);
}

snapshot heap::take_snapshot() const {
  snapshot s;
  s.capacity_bytes = capacity_bytes_;
  s.unit_bytes = options_.unit_bytes;
  s.policy = options_.policy;
  s.live_bytes = counters_.live_bytes;
  s.live_requested_bytes = counters_.live_requested_bytes;
  s.live_blocks = counters_.live_blocks;
  s.free_blocks = free_blocks();
  s.footprint_bytes = counters_.footprint_bytes;
  s.unmerged_bytes = to_bytes(unmerged_.units());
  s.blocks.reserve(blocks_.size());
  block_id before = no_block;
  for (block_id id = blocks_.first(); id != no_block; before = id, id = blocks_[id].next) {
    const block& b = blocks_[id];
    const block_info info = inspect(id);
    s.blocks.push_back(info);
    if (b.prev != before) {
      s.structural_faults.push_back("back link of the block at " + std::to_string(info.offset));
    }
    const offset_map::position where = live_.find(b.offset);
    if (b.is_live() ? where == offset_map::nowhere || live_.at(where) != id
                    : where != offset_map::nowhere) {
      s.structural_faults.push_back("look-up of the block at " + std::to_string(info.offset));
    }
  }
  if (s.blocks.size() != blocks_.size()) s.structural_faults.emplace_back("count of records");
  const auto list = [&](const fit_index& index, std::vector<index_entry>& into) {
    for (auto at = index.first_at_least(1); at; at = index.next(at)) {
      into.push_back({to_bytes(at.block.size), to_bytes(at.block.offset)});
    }
    index.check(s.structural_faults);
  };
  list(holes_, s.hole_index);
  list(pending_, s.pending_index);
  for (std::uint32_t i = 0; i < unmerged_.count(); ++i) {
    const block& b = blocks_[unmerged_[i]];
    s.unmerged.push_back({to_bytes(b.size), to_bytes(b.offset)});
  }
  return s;
}

}  // namespace bfc::core
