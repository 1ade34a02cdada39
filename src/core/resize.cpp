// Growing and shrinking a live block in place. See heap.hpp.
#include "heap_blocks.hpp"
#include <bfc/core/heap.hpp>

namespace bfc::core {

status heap::try_expand(std::uint64_t offset, std::uint64_t bytes) noexcept {
  const offset_map::position where = live_at(offset);
  if (where == offset_map::nowhere) return why_not_live(offset);
  const block_id id = live_.at(where);
  if (bytes == 0 || bytes > UINT64_MAX - unit_mask_) return status::invalid_size;
  const live_block before = describe(blocks_[id]);
  const std::uint64_t sequence = blocks_[id].sequence();
  if (bytes <= before.requested_bytes) return status::ok;
  if (bytes > capacity_bytes_ - offset) return status::cannot_expand;

  const std::uint32_t wanted = to_units(bytes);
  std::uint32_t reach = blocks_[id].size;
  for (block_id at = blocks_[id].next; reach < wanted; at = blocks_[at].next) {
    if (at == no_block || blocks_[at].is_live() || blocks_[at].marks() != mark_set::none) {
      return status::cannot_expand;
    }
    reach += blocks_[at].size;
  }
  while (blocks_[id].size < wanted) {
    const block_id next = blocks_[id].next;
    const std::uint32_t missing = wanted - blocks_[id].size;
    erase_free(next);
    if (blocks_[next].size <= missing) {
      absorb_next(id);
      continue;
    }
    // The rest of the last free block keeps its record and begins later.
    blocks_[next].offset += missing;
    blocks_[next].size -= missing;
    blocks_[id].size = wanted;
    // A hole stays one. An unmerged block is entered anew: its size is another one now.
    if (blocks_[next].is_unmerged()) {
      make_free(next, mark_set::none);
    } else {
      insert_free(next);
    }
  }
  blocks_[id].make_live(static_cast<std::uint32_t>(to_bytes(wanted) - bytes), before.tag, sequence);
  counters_.live_bytes += to_bytes(wanted) - before.size_bytes;
  counters_.live_requested_bytes += bytes - before.requested_bytes;
  counters_.allocated_bytes += to_bytes(wanted) - before.size_bytes;
  counters_.allocated_requested_bytes += bytes - before.requested_bytes;
  note_footprint(blocks_[id].end());
  audit();
  return status::ok;
}

status heap::shrink(std::uint64_t offset, std::uint64_t bytes, mark_set marks) noexcept {
  const offset_map::position where = live_at(offset);
  if (where == offset_map::nowhere) return why_not_live(offset);
  const block_id id = live_.at(where);
  const live_block before = describe(blocks_[id]);
  const std::uint64_t sequence = blocks_[id].sequence();
  if (bytes == 0 || bytes > before.requested_bytes) return status::invalid_size;
  const std::uint32_t keep = to_units(bytes);
  if (keep < blocks_[id].size) {
    if (!prepare_blocks(1)) return status::host_memory;
    const std::uint32_t start = blocks_[id].offset + keep;
    const block_id tail = blocks_.add_after(id, start, blocks_[id].size - keep);
    blocks_[id].size = keep;
    make_free(tail, marks);
  }
  blocks_[id].make_live(static_cast<std::uint32_t>(to_bytes(keep) - bytes), before.tag, sequence);
  counters_.live_bytes -= before.size_bytes - to_bytes(keep);
  counters_.live_requested_bytes -= before.requested_bytes - bytes;
  audit();
  return status::ok;
}

}  // namespace bfc::core
