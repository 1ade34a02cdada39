/// A trace translated for replaying: nothing but sizes and block numbers. Layer: replay.
#pragma once

#include <bfc/trace/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bfc::replay {

/// One call on an allocator.
struct step {
  std::int64_t size_bytes = -1;  ///< Above 0: allocate so much; -1: free.
  std::uint32_t block = 0;       ///< Below program::block_count.
  std::uint32_t slot = 0;        ///< Below program::slot_count; no two live blocks share one.

  [[nodiscard]] bool is_free() const noexcept { return size_bytes < 0; }
};

/// The calls of a trace in order. Allocations of zero bytes take no place and are left out,
/// together with their frees. Every block is allocated exactly once and freed at most once.
/// A slot is used again after a free, the latest first, so that the handles that a replay keeps
/// stay in the nearest cache and do not disturb what is measured.
struct program {
  std::string name;
  std::vector<step> steps;
  std::vector<std::uint32_t> event_of_step;  ///< Index into the trace's events, for messages.
  std::uint32_t block_count = 0;
  std::uint32_t slot_count = 0;  ///< The peak of live blocks: a replay's handles fit in so many.
  std::vector<std::uint32_t> leftover_blocks;  ///< Allocated, never freed; in order of allocation.
  std::vector<std::uint32_t> leftover_slots;   ///< The same blocks' slots.
  std::uint64_t zero_sized_count = 0;          ///< Allocations left out.
};

/// Fails: throws bfc::error(invalid_input) when the events are no sound trace (a free of a block
/// that is not live), or more than 2^32 - 1 of them.
[[nodiscard]] program translate(const trace::trace& from);

}  // namespace bfc::replay
