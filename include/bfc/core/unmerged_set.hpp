/// The blocks freed since the last merge, a few of them. Layer: core.
#pragma once

#include <bfc/core/block_table.hpp>

#include <array>
#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bfc::core {

/// A program that repeats itself asks for the sizes it has just freed: taking one of them back is a
/// few instructions, where merging it and splitting it off again is a hundred.
///
/// Room for 16, in two cache lines, found by one comparison of all sizes at once. More waiting
/// blocks were measured to be hardly ever asked for, and to make the merge that ends their waiting
/// long (DECISIONS.md).
///
/// Complexity: O(1) an operation. Thread safety: none. Nothing allocates.
class unmerged_set {
 public:
  static constexpr std::uint32_t capacity = 16;

  /// `room`: how many blocks may wait, at most `capacity`.
  explicit unmerged_set(std::uint32_t room = capacity) noexcept : room_(room) {}

  [[nodiscard]] bool full() const noexcept { return count_ == room_; }

  /// Enters a block as free and unmerged. Requires: not full.
  void push(block_table& blocks, block_id id) noexcept {
    enter(blocks, count_, id);
    ++count_;
  }

  /// Enters a block in the place of one that has waited long, and returns that one, which is in
  /// no set then. Requires: full, with room for any.
  block_id exchange(block_table& blocks, block_id id) noexcept {
    next_out_ = next_out_ + 1 < count_ ? next_out_ + 1 : 0;
    const block_id longest = ids_[next_out_];
    units_ -= sizes_[next_out_];
    enter(blocks, next_out_, id);
    return longest;
  }

  /// Takes a block of exactly `size` out, or returns no_block. Requires: size > 0.
  block_id take(block_table& blocks, std::uint32_t size) noexcept {
    const std::uint32_t found = places_of(size);
    if (found == 0) return no_block;
    const auto at = static_cast<std::uint32_t>(std::bit_width(found)) - 1;
    const block_id id = ids_[at];
    vacate(blocks, at);
    return id;
  }

  /// Takes any block out. Requires: not empty.
  block_id take_any() noexcept {
    const std::uint32_t at = --count_;
    units_ -= sizes_[at];
    sizes_[at] = 0;
    return ids_[at];
  }

  /// Requires: the block is in the set.
  void remove(block_table& blocks, block_id id) noexcept { vacate(blocks, blocks[id].place()); }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t units() const noexcept { return units_; }
  [[nodiscard]] block_id operator[](std::uint32_t at) const noexcept { return ids_[at]; }

 private:
  /// Bit i: place i holds a block of this size. Vacant places have size 0.
  [[nodiscard]] std::uint32_t places_of(std::uint32_t size) const noexcept {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(size));
    const auto* four = reinterpret_cast<const __m128i*>(sizes_.data());
    const __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(four), wanted),
                                        _mm_cmpeq_epi32(_mm_load_si128(four + 1), wanted));
    const __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(four + 2), wanted),
                                         _mm_cmpeq_epi32(_mm_load_si128(four + 3), wanted));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < capacity; ++i) {
      found |= static_cast<std::uint32_t>(sizes_[i] == size) << i;
    }
    return found;
#endif
  }

  void enter(block_table& blocks, std::uint32_t at, block_id id) noexcept {
    block& b = blocks[id];
    const std::uint32_t size = b.size;
    blocks.prefetch_neighbours(b);
    b.make_free(mark_set::none, true);
    b.place() = at;
    sizes_[at] = size;
    ids_[at] = id;
    units_ += size;
  }

  void vacate(block_table& blocks, std::uint32_t at) noexcept {
    units_ -= sizes_[at];
    const std::uint32_t last = --count_;
    const block_id moved = ids_[last];
    ids_[at] = moved;
    sizes_[at] = sizes_[last];
    blocks[moved].place() = at;
    sizes_[last] = 0;
  }

  alignas(64) std::array<std::uint32_t, capacity> sizes_{};
  std::array<block_id, capacity> ids_{};
  std::uint64_t units_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t room_;
  std::uint32_t next_out_ = 0;  ///< Goes round; so nobody waits for much more than `room_` frees.
};

}  // namespace bfc::core
