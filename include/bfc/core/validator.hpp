/// The independent checker of a heap's invariants. Layer: core.
///
/// It sees only a snapshot and derives everything anew; it shares no code with the heap.
///
///   1  Blocks tile [0, capacity) in address order, without gap or overlap.
///   2  Every block is a positive multiple of the unit.
///   3  The counters equal the sums over the blocks.
///   4  The hole index and the unmerged set list exactly the free blocks without marks, each once,
///   and
///      in the one that its unmerged state says.
///   5  The pending index lists exactly the free blocks with marks, each once.
///   6  Both indexes are sorted by size, then address.
///   7  Of two adjacent free blocks with equal mark sets, one at least is unmerged; no block with
///      marks is.
///   8  Under immediate coalescing nothing is unmerged.
///   9  No live block ends above the footprint, nor the footprint above the capacity.
///  10  A live block's requested size is above 0 and rounds up to its size.
///  11  The containers find no fault in themselves (tree order, fill, look-ups).
#pragma once

#include <bfc/core/snapshot.hpp>

#include <string>
#include <vector>

namespace bfc::core {

struct violation {
  int invariant = 0;  ///< The number above.
  std::string text;   ///< What was found where.
};

/// Returns every violation found; empty means valid. O(blocks · log blocks).
[[nodiscard]] std::vector<violation> validate(const snapshot& state);

}  // namespace bfc::core
