// The heap's searches beyond the plain best fit. See heap.hpp.
#include "heap_blocks.hpp"
#include <bfc/base/checked.hpp>
#include <bfc/core/heap.hpp>

namespace bfc::core {

/// Whether the free block can host the demand, and where: its first aligned place, or its last.
bool heap::place_in(const fit_entry& block, const demand& want, std::uint32_t& start) noexcept {
  const std::uint64_t end = std::uint64_t{block.offset} + block.size;
  const std::uint64_t place = want.place == placement::low
                                  ? align_up(block.offset, want.alignment)
                                  : align_down(end - want.size, want.alignment);
  if (place < block.offset || place + want.size > end) return false;
  start = static_cast<std::uint32_t>(place);
  return true;
}

/// Walks up from the smallest block that is large enough to the first that has a place. The walk
/// ends at the latest at the first block of size + alignment, which always has one.
heap::choice heap::find_place(const demand& want) noexcept {
  for (auto at = holes_.first_at_least(want.size); at; at = holes_.next(at)) {
    choice found{at.block.id, 0};
    if (!place_in(at.block, want, found.start)) {
      ++counters_.unfit_probes;
      continue;
    }
    if (want.place == placement::low) return found;
    // High placement takes the highest of the equally large blocks that have a place.
    for (auto top = holes_.last_of_size(at.block.size); top.block.offset != at.block.offset;
         top = holes_.previous(top)) {
      choice higher{top.block.id, 0};
      if (place_in(top.block, want, higher.start)) return higher;
      ++counters_.unfit_probes;
    }
    return found;
  }
  return {};
}

}  // namespace bfc::core
