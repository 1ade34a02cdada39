/// From a live block's offset to its record in O(1). Layer: core.
#pragma once

#include <bfc/base/table_memory.hpp>
#include <bfc/core/block_table.hpp>

#include <cstddef>
#include <cstdint>

namespace bfc::core {

/// Open addressing with linear probing and backward-shift deletion: one cache line a look-up, no
/// tombstones, size proportional to the blocks and not, as a dense handle array, to the capacity.
///
/// Thread safety: none. `insert` never allocates within what `reserve` prepared.
class offset_map {
 public:
  /// Prepares for `count` entries. Fails: throws std::bad_alloc, nothing changed.
  void reserve(std::size_t count);

  /// Requires: the offset is not in the map, and fewer entries than were prepared for.
  void insert(std::uint32_t offset, block_id id) noexcept {
    std::size_t at = home(offset);
    while (slots_[at].id != no_block) at = (at + 1) & mask_;
    slots_[at] = {offset, id};
  }

  /// Brings the place of an offset that will be inserted soon into the cache.
  void prefetch(std::uint32_t offset) const noexcept { __builtin_prefetch(&slots_[home(offset)]); }

  /// A place in the map; `nowhere` when the offset is not in it. Invalidated by any change.
  using position = std::size_t;
  static constexpr position nowhere = static_cast<position>(-1);

  [[nodiscard]] position find(std::uint32_t offset) const noexcept {
    std::size_t at = home(offset);
    while (slots_[at].id != no_block) {
      if (slots_[at].offset == offset) return at;
      at = (at + 1) & mask_;
    }
    return nowhere;
  }

  /// Requires: a valid position.
  [[nodiscard]] block_id at(position where) const noexcept { return slots_[where].id; }

  /// Requires: a valid position.
  void erase(position where) noexcept {
    if (slots_[(where + 1) & mask_].id == no_block) {
      slots_[where].id = no_block;  // The end of its chain, as most are.
    } else {
      close_hole(where);
    }
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return slots_.capacity() * sizeof(slot);
  }

 private:
  struct slot {
    std::uint32_t offset = 0;
    block_id id = no_block;
  };

  /// Multiplicative hashing: offsets are multiples of large powers of two as often as not, and the
  /// product's high bits depend on all of theirs.
  [[nodiscard]] std::size_t home(std::uint32_t offset) const noexcept {
    return static_cast<std::size_t>((offset * std::uint64_t{0x9E3779B97F4A7C15}) >> shift_);
  }

  void close_hole(std::size_t hole) noexcept;

  table<slot> slots_;
  std::size_t mask_ = 0;
  unsigned shift_ = 64;
  std::size_t limit_ = 0;
};

}  // namespace bfc::core
