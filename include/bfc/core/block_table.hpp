/// The records of all blocks, linked in address order. Layer: core.
#pragma once

#include <bfc/base/table_memory.hpp>
#include <bfc/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bfc::core {

/// Number of a block's record; reused after the block is gone.
using block_id = std::uint32_t;
inline constexpr block_id no_block = UINT32_MAX;

/// One block, in units. 32 bytes: two to a cache line, and everything the hot path reads.
struct block {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  block_id prev = no_block;  ///< Address neighbours, of whatever state.
  block_id next = no_block;

  /// live bit | unmerged bit | bytes by which the request is below the rounded size (under 2^21).
  std::uint32_t state = 0;

  /// Free: its mark set. Live: its tag.
  std::uint32_t label = 0;

  /// Live: the allocating event's number (as two, to stay at 32 bytes).
  /// Unmerged: its place in the unmerged set.
  std::uint32_t pair[2] = {0, 0};

  static constexpr std::uint32_t live_bit = 1U << 31;
  static constexpr std::uint32_t unmerged_bit = 1U << 30;
  static constexpr std::uint32_t slack_mask = (1U << 21) - 1;

  [[nodiscard]] bool is_live() const noexcept { return (state & live_bit) != 0; }
  [[nodiscard]] bool is_free() const noexcept { return !is_live(); }
  /// Free, and not offered to its neighbours yet.
  [[nodiscard]] bool is_unmerged() const noexcept { return (state & unmerged_bit) != 0; }
  [[nodiscard]] std::uint32_t slack() const noexcept { return state & slack_mask; }
  [[nodiscard]] std::uint32_t end() const noexcept { return offset + size; }
  [[nodiscard]] mark_set marks() const noexcept { return mark_set{label}; }
  [[nodiscard]] tag_id tag() const noexcept { return tag_id{label}; }
  [[nodiscard]] std::uint64_t sequence() const noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, pair, sizeof value);
    return value;
  }

  std::uint32_t& place() noexcept { return pair[0]; }

  void make_live(std::uint32_t slack_bytes, tag_id tag, std::uint64_t sequence) noexcept {
    state = live_bit | slack_bytes;
    label = static_cast<std::uint32_t>(tag);
    std::memcpy(pair, &sequence, sizeof sequence);
  }
  void make_free(mark_set marks, bool unmerged) noexcept {
    state = unmerged ? unmerged_bit : 0;
    label = static_cast<std::uint32_t>(marks);
  }
};
static_assert(sizeof(block) == 32);

/// Records in one array, recycled through a stack. The address-ordered list of *all* blocks is the
/// free list too: the free blocks of it, in address order. One list, because a free block's
/// neighbours are what merging asks for, and inserting into a list of free blocks alone would need
/// a search.
///
/// Thread safety: none. `add` never allocates within what `reserve` prepared.
class block_table {
 public:
  /// Prepares for `count` blocks in all. Fails: throws std::bad_alloc, nothing changed.
  void reserve(std::size_t count) { blocks_.reserve(count); }
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size() - vacant_count_; }

  block& operator[](block_id id) noexcept { return blocks_[id]; }
  const block& operator[](block_id id) const noexcept { return blocks_[id]; }

  /// Brings a block's neighbours into the cache: whoever merges it later asks for them first.
  void prefetch_neighbours(const block& b) const noexcept {
    if (b.prev != no_block) __builtin_prefetch(&blocks_[b.prev]);
    if (b.next != no_block) __builtin_prefetch(&blocks_[b.next]);
  }

  /// The block at offset 0.
  [[nodiscard]] block_id first() const noexcept { return first_; }

  /// Makes the first record, alone in the list. Requires: the table is empty.
  block_id add_first(std::uint32_t offset, std::uint32_t size) noexcept {
    first_ = new_record(offset, size);
    return first_;
  }

  /// Makes a record and links it behind `before`. Requires: fewer blocks than were prepared for.
  block_id add_after(block_id before, std::uint32_t offset, std::uint32_t size) noexcept {
    const block_id id = new_record(offset, size);
    const block_id after = blocks_[before].next;
    blocks_[id].prev = before;
    blocks_[id].next = after;
    blocks_[before].next = id;
    if (after != no_block) blocks_[after].prev = id;
    return id;
  }

  /// Unlinks and recycles a record. Requires: it is not the first.
  void remove(block_id id) noexcept {
    const block_id before = blocks_[id].prev;
    const block_id after = blocks_[id].next;
    blocks_[before].next = after;
    if (after != no_block) blocks_[after].prev = before;
    blocks_[id].next = vacant_;
    vacant_ = id;
    ++vacant_count_;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return blocks_.capacity() * sizeof(block);
  }

 private:
  block_id new_record(std::uint32_t offset, std::uint32_t size) noexcept {
    block_id id = vacant_;
    if (id != no_block) {
      vacant_ = blocks_[id].next;
      --vacant_count_;
    } else {
      id = static_cast<block_id>(blocks_.size());
      blocks_.emplace_back();
    }
    block& record = blocks_[id];
    record.offset = offset;
    record.size = size;
    record.prev = no_block;
    record.next = no_block;
    return id;
  }

  table<block> blocks_;
  block_id first_ = no_block;
  block_id vacant_ = no_block;  ///< Stack of recycled records, linked through `next`.
  std::size_t vacant_count_ = 0;
};

}  // namespace bfc::core
