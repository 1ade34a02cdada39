// The heap's steps on single blocks, inline because the hot path is made of them. Private to core.
#pragma once

#include <bfc/core/heap.hpp>

#include <algorithm>

namespace bfc::core {

/// Enters a free block that is not unmerged into its index.
inline void heap::insert_free(block_id id) noexcept {
  const block& b = blocks_[id];
  (b.marks() == mark_set::none ? holes_ : pending_).insert({b.size, b.offset, id});
}

/// Takes a free block out of wherever it is listed.
inline void heap::erase_free(block_id id) noexcept {
  const block& b = blocks_[id];
  if (b.is_unmerged()) {
    unmerged_.remove(blocks_, id);
  } else {
    (b.marks() == mark_set::none ? holes_ : pending_).erase(b.size, b.offset);
  }
}

inline void heap::note_footprint(std::uint32_t end) noexcept {
  const std::uint64_t bytes = to_bytes(end);
  if (bytes > counters_.footprint_bytes) counters_.footprint_bytes = bytes;
}

/// Whether two address neighbours may become one: both free, and the same streams to wait for.
inline bool heap::joins(const block& a, const block& b) const noexcept {
  return a.is_free() && b.is_free() && a.marks() == b.marks();
}

/// Whether a neighbour of this free block waits to be merged with it.
inline bool heap::touches_unmerged(const block& b) const noexcept {
  return (b.prev != no_block && blocks_[b.prev].is_unmerged()) ||
         (b.next != no_block && blocks_[b.next].is_unmerged());
}

/// Makes the next block part of this one. Requires: the next is in no index.
inline void heap::absorb_next(block_id id) noexcept {
  const block_id next = blocks_[id].next;
  blocks_[id].size += blocks_[next].size;
  blocks_.remove(next);
}

/// Joins a free block, in no index, with all free blocks on both sides. Returns what it became.
inline block_id heap::merge_around(block_id id) noexcept {
  while (blocks_[id].next != no_block && joins(blocks_[id], blocks_[blocks_[id].next])) {
    erase_free(blocks_[id].next);
    absorb_next(id);
    ++counters_.merges;
  }
  while (blocks_[id].prev != no_block && joins(blocks_[blocks_[id].prev], blocks_[id])) {
    id = blocks_[id].prev;
    erase_free(id);
    absorb_next(id);
    ++counters_.merges;
  }
  blocks_[id].make_free(blocks_[id].marks(), false);
  return id;
}

/// Puts a block that is in no index back among the free ones. Returns the block it is part of now.
inline block_id heap::make_free(block_id id, mark_set marks) noexcept {
  if (marks == mark_set::none && !unmerged_.full()) {
    unmerged_.push(blocks_, id);
    return id;
  }
  blocks_[id].make_free(marks, false);
  id = merge_around(id);
  insert_free(id);
  return id;
}

}  // namespace bfc::core
