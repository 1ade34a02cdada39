/// A heap's whole state as plain values. Layer: core.
#pragma once

#include <bfc/core/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bfc::core {

enum class block_state : std::uint8_t { free, live };

/// One block of a snapshot.
struct block_info {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;  ///< Rounded.
  block_state state = block_state::free;
  std::uint64_t requested_bytes = 0;  ///< Live blocks only.
  tag_id tag = tag_id::none;          ///< Live blocks only.
  std::uint64_t sequence = 0;         ///< Live blocks only: the event that allocated it.
  mark_set marks = mark_set::none;    ///< Free blocks only: none means usable at once.
  bool unmerged = false;              ///< Free blocks only: not offered to its neighbours yet.
};

/// One entry of the fit index, in its own order.
struct index_entry {
  std::uint64_t size_bytes = 0;
  std::uint64_t offset = 0;
};

/// Everything the validator needs, and everything a report draws. Independent of the heap.
struct snapshot {
  std::uint64_t capacity_bytes = 0;
  std::uint64_t unit_bytes = 0;
  coalescing policy = coalescing::threshold;
  std::vector<block_info> blocks;          ///< In address order.
  std::vector<index_entry> hole_index;     ///< Usable free blocks that are merged, as indexed.
  std::vector<index_entry> pending_index;  ///< Free blocks with marks, likewise.
  std::vector<index_entry> unmerged;       ///< Usable free blocks that are not merged, unsorted.
  std::uint64_t unmerged_bytes = 0;        ///< As counted by the heap.
  std::uint64_t live_bytes = 0;
  std::uint64_t live_requested_bytes = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t free_blocks = 0;
  std::uint64_t footprint_bytes = 0;
  std::vector<std::string> structural_faults;  ///< What the containers say of themselves.
};

}  // namespace bfc::core
