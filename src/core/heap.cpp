#include "audit.hpp"
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

trigger_options in_units(const heap_options& o) {
  trigger_options t = o.trigger;
  if (t.unmerged_limit_bytes == 0) t.unmerged_limit_bytes = o.capacity_bytes / 2;
  t.unmerged_limit_bytes = std::max<std::uint64_t>(1, t.unmerged_limit_bytes / o.unit_bytes);
  return t;
}

}  // namespace

heap::heap(const heap_options& options) : options_(options) {
  check_options(options);
  unit_mask_ = options.unit_bytes - 1;
  unit_shift_ = static_cast<unsigned>(std::countr_zero(options.unit_bytes));
  deferred_ = options.policy != coalescing::immediate;
  trigger_ = coalesce_trigger(options.policy, in_units(options));
  reserve_blocks(std::max<std::size_t>(options.expected_blocks, 8));
  const block_id whole =
      blocks_.add_first(0, static_cast<std::uint32_t>(options.capacity_bytes >> unit_shift_));
  offsets_.insert(0, whole);
  blocks_[whole].make_free(mark_set::none, false);
  insert_free(whole);
}

// --- Bookkeeping of blocks ----------------------------------------------------------------------

/// Every container is prepared for the same number of blocks, so that one check covers them all.
void heap::reserve_blocks(std::size_t count) {
  blocks_.reserve(count);
  offsets_.reserve(count);
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

placed heap::allocate(const request& what) noexcept {
  if (what.bytes - 1 >= options_.capacity_bytes) {  // Zero, too, wraps to above.
    if (what.bytes == 0 || what.bytes > UINT64_MAX - unit_mask_) return {status::invalid_size};
    if (what.alignment != 0 && !is_power_of_two(what.alignment)) return {status::invalid_alignment};
    return {status::out_of_memory};
  }
  const std::uint32_t size = to_units(what.bytes);
  if (what.place != placement::low || what.alignment > options_.unit_bytes) {
    return allocate_placed(what, size);
  }
  if (what.alignment != 0 && !is_power_of_two(what.alignment)) return {status::invalid_alignment};

  block_id id = unmerged_.take(blocks_, size);
  if (id != no_block) return hand_out(id, what, size);
  id = holes_.best_fit(size);
  if (!unmerged_.empty()) id = search_merged(size, id);
  if (id == no_block) return {status::out_of_memory};
  if (blocks_[id].size != size && !prepare_blocks(1)) return {status::host_memory};
  return hand_out(take_front(id, size), what, size);
}

/// Cuts a request out of the front of a free block. What is left stays free behind it.
/// Requires: the block is a hole, or of exactly this size.
block_id heap::take_front(block_id id, std::uint32_t size) noexcept {
  erase_free(id);
  block& b = blocks_[id];
  if (b.size == size) return id;
  // What is left of a hole has no free neighbour either, so it is a hole again.
  const block_id rest = blocks_.add_after(id, b.offset + size, b.size - size);
  offsets_.insert(b.offset + size, rest);
  blocks_[rest].make_free(mark_set::none, false);
  insert_free(rest);
  b.size = size;
  return id;
}

/// As take_front, from anywhere in a hole.
block_id heap::take_middle(const choice& from, std::uint32_t size) noexcept {
  const std::uint32_t skipped = from.start - blocks_[from.id].offset;
  if (skipped == 0) return take_front(from.id, size);
  erase_free(from.id);
  const block_id id = blocks_.add_after(from.id, from.start, blocks_[from.id].size - skipped);
  offsets_.insert(from.start, id);
  blocks_[id].make_free(mark_set::none, false);
  blocks_[from.id].size = skipped;
  insert_free(from.id);
  insert_free(id);
  return take_front(id, size);
}

placed heap::allocate_placed(const request& what, std::uint32_t size) noexcept {
  if (what.alignment != 0 && !is_power_of_two(what.alignment)) return {status::invalid_alignment};
  const std::uint64_t unit = options_.unit_bytes;
  if (!unmerged_.empty()) {
    ++counters_.coalesce_before_split;
    coalesce();
  }
  const choice found =
      find_place({size, what.alignment <= unit ? 1 : what.alignment >> unit_shift_, what.place});
  if (found.id == no_block) return {status::out_of_memory};
  if (blocks_[found.id].size != size && !prepare_blocks(2)) return {status::host_memory};
  return hand_out(take_middle(found, size), what, size);
}

/// Enters a block that is in no index as live.
placed heap::hand_out(block_id id, const request& what, std::uint32_t size) noexcept {
  block& b = blocks_[id];
  const std::uint64_t bytes = to_bytes(size);
  b.make_live(static_cast<std::uint32_t>(bytes - what.bytes), what.tag, what.sequence);
  ++counters_.live_blocks;
  counters_.live_bytes += bytes;
  counters_.live_requested_bytes += what.bytes;
  note_footprint(b.end());
  trigger_.on_allocate();
  audit(*this);
  return {status::ok, to_bytes(b.offset), bytes};
}

// --- Release ------------------------------------------------------------------------------------

live_block heap::release(std::uint64_t offset, mark_set marks,
                         std::uint64_t expected_bytes) noexcept {
  const block_id id = live_at(offset);
  if (id == no_block) return {why_not_live(offset)};
  const live_block former = describe(id);
  if (expected_bytes != 0 && expected_bytes != former.requested_bytes) return {status::wrong_size};
  --counters_.live_blocks;
  counters_.live_bytes -= former.size_bytes;
  counters_.live_requested_bytes -= former.requested_bytes;
  make_free(id, marks);
  if (deferred_ && trigger_.on_release(unmerged_.count(), unmerged_.units())) {
    ++counters_.coalesce_on_trigger;
    coalesce();
  }
  audit(*this);
  return former;
}

live_block heap::find_live(std::uint64_t offset) const noexcept {
  const block_id id = live_at(offset);
  return id == no_block ? live_block{why_not_live(offset)} : describe(id);
}

status heap::why_not_live(std::uint64_t offset) const noexcept {
  if (offset >= options_.capacity_bytes) return status::foreign_pointer;
  return block_around(offset).state == block_state::live ? status::interior_pointer
                                                         : status::not_allocated;
}

}  // namespace bfc::core
