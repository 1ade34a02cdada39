#include "heap_blocks.hpp"
#include <bfc/base/checked.hpp>
#include <bfc/base/contract.hpp>
#include <bfc/base/error.hpp>
#include <bfc/core/heap.hpp>

#include <algorithm>
#include <bit>
#include <new>
#include <string>

namespace bfc::core {

namespace {

void check_options(const heap_options& o) {
  const auto refuse = [](const std::string& text) { throw error(status::invalid_option, text); };
  if (!is_power_of_two(o.unit_bytes) || o.unit_bytes < 16 || o.unit_bytes > 2 * 1024 * 1024) {
    refuse("unit_bytes = " + std::to_string(o.unit_bytes) +
           ": must be a power of two from 16 to 2097152");
  }
  if (o.capacity_bytes == 0 || o.capacity_bytes % o.unit_bytes != 0) {
    refuse("capacity_bytes = " + std::to_string(o.capacity_bytes) +
           ": must be a positive multiple of unit_bytes = " + std::to_string(o.unit_bytes));
  }
  if (o.capacity_bytes / o.unit_bytes > UINT32_MAX) {
    refuse("capacity_bytes = " + std::to_string(o.capacity_bytes) +
           ": above 4294967295 units; raise unit_bytes = " + std::to_string(o.unit_bytes));
  }
  if (o.trigger.unmerged_limit_count == 0) {
    refuse("unmerged_limit_count = 0: must be above 0; for merging at once set policy = immediate");
  }
  if (!(o.trigger.ratio_limit > 0.0 && o.trigger.ratio_limit <= 1.0)) {
    refuse("ratio_limit = " + std::to_string(o.trigger.ratio_limit) + ": must be in (0, 1]");
  }
  if (o.trigger.window_frees == 0) refuse("window_frees = 0: must be above 0");
}

std::uint64_t limit_units_of(const heap_options& o) {
  const std::uint64_t bytes =
      o.trigger.unmerged_limit_bytes != 0 ? o.trigger.unmerged_limit_bytes : o.capacity_bytes / 2;
  return std::max<std::uint64_t>(1, bytes / o.unit_bytes);
}

std::uint32_t room_of(const heap_options& o) {
  if (o.policy == coalescing::immediate) return 0;
  if (o.policy != coalescing::threshold) return unmerged_set::capacity;
  return std::min(o.trigger.unmerged_limit_count, unmerged_set::capacity);
}

}  // namespace

heap::heap(const heap_options& options)
    : capacity_bytes_(options.capacity_bytes), options_(options) {
  check_options(options);
  unit_mask_ = options.unit_bytes - 1;
  unit_shift_ = static_cast<unsigned>(std::countr_zero(options.unit_bytes));
  unmerged_ = unmerged_set(room_of(options));
  trigger_ = coalesce_trigger(options.policy, options.trigger, limit_units_of(options));
  reserve_blocks(std::max<std::size_t>(options.expected_blocks, 8));
  const block_id whole =
      blocks_.add_first(0, static_cast<std::uint32_t>(options.capacity_bytes >> unit_shift_));
  blocks_[whole].make_free(mark_set::none, false);
  insert_free(whole);
}

// --- Bookkeeping of blocks ----------------------------------------------------------------------

/// Every container is prepared for the same number of blocks, so that one check covers them all.
void heap::reserve_blocks(std::size_t count) {
  blocks_.reserve(count);
  live_.reserve(count);
  nodes_.reserve(key_tree_pool::nodes_for(count, fit_index::class_count * std::size_t{2}));
  prepared_ = count;
}

/// Makes room for `more` blocks. Only here does the bookkeeping ask for host memory: a call that
/// makes blocks asks before it changes anything, and calls that only remove blocks need none.
bool heap::prepare_blocks(std::uint32_t more) noexcept {
  const std::size_t wanted = blocks_.size() + more;
  if (wanted <= prepared_) return true;
  try {
    reserve_blocks(wanted + wanted / 2);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// --- Allocation ---------------------------------------------------------------------------------

/// Why a request that is no plain one, or too large, cannot be served.
status heap::refuse(std::uint64_t bytes, std::uint64_t alignment) const noexcept {
  if (bytes == 0 || bytes > UINT64_MAX - unit_mask_) return status::invalid_size;
  if (alignment != 0 && !is_power_of_two(alignment)) return status::invalid_alignment;
  return status::out_of_memory;
}

/// The best fit for a size that no unmerged block has.
///
/// Only whole holes are split: to split a piece of a hole, where the rest of it merely waits to be
/// merged, is to split a hole that best fit would not have chosen, and that is what makes deferred
/// merging fragment. So before a split all that waits is merged, unless the chosen hole touches
/// nothing that waits and all that waits together is smaller than the request: then a merge would
/// rarely change the choice, and is put off (DECISIONS.md has the figures).
inline fit_entry heap::find_hole(std::uint32_t size) noexcept {
  const fit_entry hole = holes_.best_fit(size);
  if (unmerged_.empty()) return hole;
  if (hole.id != no_block) {
    if (hole.size == size) return hole;
    if (unmerged_.units() < size && !touches_unmerged(blocks_[hole.id])) return hole;
    ++counters_.coalesce_before_split;
  } else {
    ++counters_.coalesce_on_failure;
  }
  coalesce();
  return holes_.best_fit(size);
}

/// Cuts a request out of the front of a hole. What is left stays free behind it.
inline void heap::take_front(const fit_entry& from, std::uint32_t size) noexcept {
  if (from.size == size) {
    holes_.erase(from.size, from.offset);
    return;
  }
  // What is left of a hole has no free neighbour either, so it is a hole again.
  const block_id rest = blocks_.add_after(from.id, from.offset + size, from.size - size);
  blocks_[rest].make_free(mark_set::none, false);
  blocks_[from.id].size = size;
  holes_.replace(from.size, from.offset, {from.size - size, from.offset + size, rest});
}

/// Takes a block of this size out of the holes, or answers no_block or no_room.
block_id heap::take_hole(std::uint32_t size) noexcept {
  const fit_entry hole = find_hole(size);
  if (hole.id == no_block) return no_block;
  live_.prefetch(hole.offset);
  if (hole.size != size && !prepare_blocks(1)) return no_room;
  take_front(hole, size);
  note_footprint(hole.offset + size);
  return hole.id;
}

placed heap::allocate(const request& what) noexcept {
  const std::uint64_t unit = options_.unit_bytes;
  if (what.bytes - 1 >= capacity_bytes_ ||
      (what.alignment != 0 && !is_power_of_two(what.alignment))) {
    return {refuse(what.bytes, what.alignment)};
  }
  if (what.place == placement::low && what.alignment <= unit) {
    placed where;
    where.code = allocate_plain(what.bytes, what.tag, what.sequence, where);
    return where;
  }
  if (!unmerged_.empty()) {
    ++counters_.coalesce_before_split;
    coalesce();
  }
  const std::uint32_t size = to_units(what.bytes);
  const choice found =
      find_place({size, what.alignment <= unit ? 1 : what.alignment >> unit_shift_, what.place});
  if (found.id == no_block) return {status::out_of_memory};
  if (blocks_[found.id].size != size && !prepare_blocks(2)) return {status::host_memory};
  const block_id id = take_middle(found, size);
  note_footprint(blocks_[id].end());
  placed where;
  hand_out(id, size, what.bytes, what.tag, what.sequence, where);
  return where;
}

/// As take_front, from anywhere in a hole.
block_id heap::take_middle(const choice& from, std::uint32_t size) noexcept {
  const block& hole = blocks_[from.id];
  const std::uint32_t skipped = from.start - hole.offset;
  const fit_entry whole{hole.size, hole.offset, from.id};
  if (skipped == 0) {
    take_front(whole, size);
    return from.id;
  }
  const block_id id = blocks_.add_after(from.id, from.start, whole.size - skipped);
  blocks_[id].make_free(mark_set::none, false);
  blocks_[from.id].size = skipped;
  holes_.replace(whole.size, whole.offset, {skipped, whole.offset, from.id});
  insert_free(id);
  take_front({whole.size - skipped, from.start, id}, size);
  return id;
}

// --- Release ------------------------------------------------------------------------------------

live_block heap::release(std::uint64_t offset, mark_set marks,
                         std::uint64_t expected_bytes) noexcept {
  live_block former;
  former.code = release_into(former, offset, marks, expected_bytes);
  return former;
}

/// A free that cannot simply wait: blocks with marks wait for their streams, not for an exact
/// match, and are merged at once; so is everything where there is no room to wait. Else the block
/// takes the place of one that has waited longer, which is merged: so no free merges more than one
/// block.
void heap::release_full(block_id id, mark_set marks) noexcept {
  if (marks == mark_set::none && !unmerged_.empty()) {
    id = unmerged_.exchange(blocks_, id);
    ++counters_.merged_for_room;
  }
  make_free(id, marks);  // Merges it: there is no room left to wait in.
}

void heap::coalesce_on_trigger() noexcept {
  ++counters_.coalesce_on_trigger;
  coalesce();
}

live_block heap::find_live(std::uint64_t offset) const noexcept {
  const offset_map::position where = live_at(offset);
  return where == offset_map::nowhere ? live_block{why_not_live(offset)}
                                      : describe(blocks_[live_.at(where)]);
}

status heap::why_not_live(std::uint64_t offset) const noexcept {
  if (offset >= capacity_bytes_) return status::foreign_pointer;
  return block_around(offset).state == block_state::live ? status::interior_pointer
                                                         : status::not_allocated;
}

}  // namespace bfc::core
