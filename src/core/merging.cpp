// Merging what was left unmerged. See heap.hpp.
#include "heap_blocks.hpp"
#include <bfc/core/heap.hpp>

namespace bfc::core {

std::uint64_t heap::coalesce() noexcept {
  if (unmerged_.empty()) return 0;
  const std::uint64_t before = counters_.merges;
  while (!unmerged_.empty()) insert_free(merge_around(unmerged_.take_any()));
  ++counters_.coalesce_passes;
  return counters_.merges - before;
}

void heap::settle(mark_set marks) noexcept {
  if (marks == mark_set::none) return;
  for (block_id id = blocks_.first(); id != no_block; id = blocks_[id].next) {
    if (blocks_[id].is_live() || blocks_[id].marks() != marks) continue;
    erase_free(id);
    id = make_free(id, mark_set::none);  // Its record may be gone: go on from what took it in.
  }
  audit();
}

}  // namespace bfc::core
