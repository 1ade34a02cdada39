/// Offsets in, offsets out: exact best fit over one address range. Layer: core.
///
/// A heap knows no memory, clock, lock or thread. It answers where a request goes, and keeps the
/// books: which blocks there are, which are free, and which of those wait to be merged.
#pragma once

#include <bfc/base/contract.hpp>
#include <bfc/base/status.hpp>
#include <bfc/core/block_table.hpp>
#include <bfc/core/coalesce_trigger.hpp>
#include <bfc/core/fit_index.hpp>
#include <bfc/core/offset_map.hpp>
#include <bfc/core/snapshot.hpp>
#include <bfc/core/types.hpp>
#include <bfc/core/unmerged_set.hpp>

#include <cstddef>
#include <cstdint>

namespace bfc::core {

struct heap_options {
  std::uint64_t capacity_bytes = 0;  ///< Multiple of `unit_bytes`, above 0, below 2^32 units.
  std::uint32_t unit_bytes = 256;    ///< Power of two, 16 B to 2 MiB. Sizes are rounded up to it.
  coalescing policy = coalescing::threshold;
  trigger_options trigger;               ///< For the policies `threshold` and `ratio`.
  std::uint32_t expected_blocks = 1024;  ///< Bookkeeping prepared in advance for so many blocks.
};

struct request {
  std::uint64_t bytes = 0;      ///< Above 0.
  std::uint64_t alignment = 0;  ///< Of the offset; 0 means one unit; else a power of two.
  placement place = placement::low;
  tag_id tag = tag_id::none;
  std::uint64_t sequence = 0;  ///< The caller's event number, kept with the block.
};

/// What `allocate` answers. `offset` and `size_bytes` hold only when `code` is ok.
struct placed {
  status code = status::ok;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;  ///< Rounded up to the unit.
};

/// As a size at deallocation: whatever it is.
inline constexpr std::uint64_t any_size = UINT64_MAX;

/// What `release` and `find_live` answer about the block at an offset.
struct live_block {
  status code = status::ok;  ///< ok, or why there is no live block to speak of.
  tag_id tag = tag_id::none;
  std::uint64_t size_bytes = 0;  ///< Rounded.
  std::uint64_t requested_bytes = 0;
};

/// Running totals, O(1) to read.
struct heap_counters {
  std::uint64_t live_bytes = 0;  ///< Rounded.
  std::uint64_t live_requested_bytes = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t allocated_bytes = 0;  ///< Rounded, ever; growth in place included.
  std::uint64_t allocated_requested_bytes = 0;
  std::uint64_t allocations = 0;
  std::uint64_t footprint_bytes = 0;        ///< Highest end of a live block ever.
  std::uint64_t merges = 0;                 ///< Pairs of free blocks joined, whenever.
  std::uint64_t coalesce_passes = 0;        ///< Merges of all that waited, for whatever reason.
  std::uint64_t coalesce_on_trigger = 0;    ///< Of those: a limit was passed.
  std::uint64_t coalesce_before_split = 0;  ///< Of those: nothing of the exact size was free.
  std::uint64_t coalesce_on_failure = 0;    ///< Of those: no block could host the request.
  std::uint64_t merged_for_room = 0;        ///< Waiting blocks merged since another one came.
  std::uint64_t unfit_probes = 0;           ///< Blocks looked at that could not host.
};

/// Ownership: the heap owns only its bookkeeping. Thread safety: none; one thread at a time.
/// Invariants: see validator.hpp, which checks them by number.
///
/// Complexity, with f free blocks: `allocate` and `release` O(log f) amortised; an alignment above
/// the unit adds one step for each block in [n, n + alignment) that cannot host the request.
/// No call allocates host memory once as many blocks existed as ever will; `release` never does.
class heap {
 public:
  /// Fails: throws bfc::error(invalid_option) naming the option and its rule.
  explicit heap(const heap_options& options);
  heap(const heap&) = delete;
  heap& operator=(const heap&) = delete;

  /// Places a request in the smallest hole that can host it; of equally large ones in the lowest
  /// (placement::high: the highest). A plain request takes an unmerged block of its exact size
  /// first, if one waits. What is left of the block before and behind stays free.
  /// Only blocks whose mark set is `none` are considered.
  /// Fails: invalid_size (0, or rounding it up to the unit passes 2^64 - 1), invalid_alignment (no
  /// power of two), out_of_memory (no place even after merging), host_memory (bookkeeping could not
  /// grow). Nothing has changed then, except that adjacent free blocks may have been merged.
  [[nodiscard]] placed allocate(const request& what) noexcept;

  /// As allocate, for low placement at any unit. Inline: it is what programs do all day.
  [[nodiscard]] status allocate_plain(std::uint64_t bytes, tag_id tag, std::uint64_t sequence,
                                      placed& where) noexcept;

  /// Gives the block that starts at `offset` back. `marks`: who may still touch it.
  /// Fails: invalid offsets as in `find_live`; nothing has changed then.
  /// `expected_bytes`, unless any_size, must be what was asked for: else wrong_size.
  live_block release(std::uint64_t offset, mark_set marks = mark_set::none,
                     std::uint64_t expected_bytes = any_size) noexcept;

  /// The same, inline; the status is returned and the block's description put into `former`, in
  /// registers both, where a struct of the two would go through memory in pieces.
  status release_into(live_block& former, std::uint64_t offset, mark_set marks,
                      std::uint64_t expected_bytes) noexcept;

  /// Looks the block at `offset` up, without changing anything.
  /// Fails: foreign_pointer (outside the range), interior_pointer (inside a live block),
  /// not_allocated (free memory). O(1) when it succeeds, O(blocks) when it fails.
  [[nodiscard]] live_block find_live(std::uint64_t offset) const noexcept;

  /// The block that `offset` lies in, whatever its state. Requires: offset < capacity. O(blocks).
  [[nodiscard]] block_info block_around(std::uint64_t offset) const noexcept;

  /// Grows the live block at `offset` in place to hold `bytes`. ok also when it already does.
  /// Succeeds exactly when the free memory right behind the block suffices, merged or not.
  /// Fails: as `find_live`, invalid_size, cannot_expand, host_memory; nothing has changed then.
  status try_expand(std::uint64_t offset, std::uint64_t bytes) noexcept;

  /// Gives the end of the live block at `offset` back, keeping `bytes` (above 0, at most what
  /// was requested). Fails: as `find_live`, invalid_size, host_memory.
  /// `marks`: who may still touch the end.
  status shrink(std::uint64_t offset, std::uint64_t bytes,
                mark_set marks = mark_set::none) noexcept;

  /// Declares that everyone in `marks` is done: such blocks become usable. O(free blocks).
  void settle(mark_set marks) noexcept;

  /// Offers every unmerged block to its neighbours. O(unmerged · log f). Returns the merges.
  std::uint64_t coalesce() noexcept;

  /// The largest request of this alignment (0: one unit) that `allocate` would grant now.
  [[nodiscard]] std::uint64_t largest_available(std::uint64_t alignment = 0) const noexcept;

  [[nodiscard]] const heap_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::uint64_t capacity_bytes() const noexcept { return capacity_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept {
    return capacity_bytes_ - counters_.live_bytes;
  }
  /// Pending ones included.
  [[nodiscard]] std::uint64_t free_blocks() const noexcept {
    return blocks_.size() - counters_.live_blocks;
  }
  [[nodiscard]] std::uint32_t unit_bytes() const noexcept { return options_.unit_bytes; }
  [[nodiscard]] const heap_options& options() const noexcept { return options_; }

  /// A copy of the whole state, for reports and for the validator. O(blocks · log f).
  [[nodiscard]] snapshot take_snapshot() const;

  /// Host memory held by the bookkeeping.
  [[nodiscard]] std::uint64_t metadata_bytes() const noexcept;

 private:
  /// A request in units, for the searches that look inside blocks.
  struct demand {
    std::uint32_t size = 0;
    std::uint64_t alignment = 1;
    placement place = placement::low;
  };
  /// A free block that can host a demand, and where in it.
  struct choice {
    block_id id = no_block;
    std::uint32_t start = 0;
  };

  /// What take_hole answers instead of a block when bookkeeping could not grow; no_block: no place.
  static constexpr block_id no_room = no_block - 1;

  // The common path (heap_inline.hpp).
  void hand_out(block_id id, std::uint32_t size, std::uint64_t bytes, tag_id tag,
                std::uint64_t sequence, placed& where) noexcept;
  [[nodiscard]] live_block describe(const block& b) const noexcept;
  [[nodiscard]] offset_map::position live_at(std::uint64_t offset) const noexcept;

  // Search (heap.cpp, search.cpp).
  [[nodiscard]] fit_entry find_hole(std::uint32_t size) noexcept;
  [[nodiscard]] choice find_place(const demand& want) noexcept;
  [[nodiscard]] static bool place_in(const fit_entry& block, const demand& want,
                                     std::uint32_t& start) noexcept;

  // Blocks (heap_blocks.hpp, heap.cpp).
  void insert_free(block_id id) noexcept;
  void erase_free(block_id id) noexcept;
  [[nodiscard]] block_id take_hole(std::uint32_t size) noexcept;
  void take_front(const fit_entry& from, std::uint32_t size) noexcept;
  block_id take_middle(const choice& from, std::uint32_t size) noexcept;
  [[nodiscard]] status refuse(std::uint64_t bytes, std::uint64_t alignment) const noexcept;
  block_id make_free(block_id id, mark_set marks) noexcept;
  void release_full(block_id id, mark_set marks) noexcept;
  void coalesce_on_trigger() noexcept;
  bool prepare_blocks(std::uint32_t more) noexcept;
  void reserve_blocks(std::size_t count);
  [[nodiscard]] block_info inspect(block_id id) const noexcept;
  [[nodiscard]] status why_not_live(std::uint64_t offset) const noexcept;
  void note_footprint(std::uint32_t end) noexcept;
  void audit_now() const noexcept;
  /// The audit build validates the whole heap after every mutation.
  void audit() const noexcept {
    if constexpr (audit_enabled) audit_now();
  }

  // Merging (heap_blocks.hpp, merging.cpp).
  [[nodiscard]] bool joins(const block& a, const block& b) const noexcept;
  [[nodiscard]] bool touches_unmerged(const block& b) const noexcept;
  void absorb_next(block_id id) noexcept;
  block_id merge_around(block_id id) noexcept;
  [[nodiscard]] bool begins_run(block_id id, block_id& first) const noexcept;

  [[nodiscard]] std::uint64_t to_bytes(std::uint64_t units) const noexcept {
    return units << unit_shift_;
  }
  [[nodiscard]] std::uint32_t to_units(std::uint64_t bytes) const noexcept {
    return static_cast<std::uint32_t>((bytes + unit_mask_) >> unit_shift_);
  }

  // In the order in which the common path meets them.
  std::uint64_t capacity_bytes_ = 0;
  std::uint64_t unit_mask_ = 0;
  unsigned unit_shift_ = 0;
  heap_counters counters_;
  std::size_t prepared_ = 0;  ///< Blocks the containers have room for.
  coalesce_trigger trigger_;
  unmerged_set unmerged_;  ///< Freed since the last merge: they serve their exact size only.
  block_table blocks_;
  offset_map live_;
  key_tree_pool nodes_;
  fit_index holes_{nodes_};    ///< Free blocks that no merge could make larger.
  fit_index pending_{nodes_};  ///< Free blocks with marks.
  heap_options options_;
};

}  // namespace bfc::core

#include <bfc/core/heap_inline.hpp>
