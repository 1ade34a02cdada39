/// The path that nearly every call takes: a size that was freed a moment ago. Part of heap.hpp.
/// Layer: core.
#pragma once

#include <bfc/core/heap.hpp>

namespace bfc::core {

inline status heap::allocate_plain(std::uint64_t bytes, tag_id tag, std::uint64_t sequence,
                                   placed& where) noexcept {
  if (bytes - 1 >= capacity_bytes_) return refuse(bytes, 0);  // Zero, too, wraps to above.
  const std::uint32_t size = to_units(bytes);
  block_id id = unmerged_.take(blocks_, size);
  if (id == no_block) {
    id = take_hole(size);
    if (id >= no_room) return id == no_block ? status::out_of_memory : status::host_memory;
  }
  hand_out(id, size, bytes, tag, sequence, where);
  return status::ok;
}

/// Enters a block that is in no index as live.
inline void heap::hand_out(block_id id, std::uint32_t size, std::uint64_t bytes, tag_id tag,
                           std::uint64_t sequence, placed& where) noexcept {
  block& b = blocks_[id];
  const std::uint64_t rounded = to_bytes(size);
  where.offset = to_bytes(b.offset);
  where.size_bytes = rounded;
  b.make_live(static_cast<std::uint32_t>(rounded - bytes), tag, sequence);
  live_.insert(b.offset, id);
  ++counters_.live_blocks;
  counters_.live_bytes += rounded;
  counters_.live_requested_bytes += bytes;
  ++counters_.allocations;
  counters_.allocated_bytes += rounded;
  counters_.allocated_requested_bytes += bytes;
  audit();
}

inline live_block heap::describe(const block& b) const noexcept {
  const std::uint64_t bytes = to_bytes(b.size);
  return {status::ok, b.tag(), bytes, bytes - b.slack()};
}

inline offset_map::position heap::live_at(std::uint64_t offset) const noexcept {
  if (offset >= capacity_bytes_ || (offset & unit_mask_) != 0) return offset_map::nowhere;
  return live_.find(static_cast<std::uint32_t>(offset >> unit_shift_));
}

inline status heap::release_into(live_block& former, std::uint64_t offset, mark_set marks,
                                 std::uint64_t expected_bytes) noexcept {
  const offset_map::position where = live_at(offset);
  if (where == offset_map::nowhere) return why_not_live(offset);
  const block_id id = live_.at(where);
  const block& b = blocks_[id];
  const std::uint64_t bytes = to_bytes(b.size);
  const std::uint64_t requested = bytes - b.slack();
  if (expected_bytes != any_size && expected_bytes != requested) return status::wrong_size;
  live_.erase(where);
  former.tag = b.tag();
  former.size_bytes = bytes;
  former.requested_bytes = requested;
  --counters_.live_blocks;
  counters_.live_bytes -= bytes;
  counters_.live_requested_bytes -= requested;
  if (marks == mark_set::none && !unmerged_.full()) {
    unmerged_.push(blocks_, id);
    if (trigger_.on_release(unmerged_.units(), counters_.allocations)) coalesce_on_trigger();
  } else {
    release_full(id, marks);
  }
  audit();
  return status::ok;
}

}  // namespace bfc::core
