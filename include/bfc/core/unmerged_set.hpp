/// The blocks freed since the last merge, by exact size. Layer: core.
#pragma once

#include <bfc/core/block_table.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace bfc::core {

/// One stack of blocks for each size, in a small direct-mapped table. A program that repeats itself
/// asks for the sizes it has just freed: taking one of them back is a few instructions, where
/// merging it and splitting it off again is a hundred. The newest block of a size is taken first.
///
/// Complexity: O(1) an operation. Thread safety: none. The links are in the blocks: nothing
/// allocates.
class unmerged_set {
 public:
  /// Enters a block as free and unmerged. Returns whether it was: a table entry serves one size at
  /// a time, and a block that finds it taken by another size is not worth waiting with.
  bool push(block_table& blocks, block_id id) noexcept {
    block& b = blocks[id];
    const std::uint32_t at = slot_of(b.size);
    stack& s = stacks_[at];
    if (s.newest == no_block) {
      s.size = b.size;
      filled_[at / 64] |= std::uint64_t{1} << (at % 64);
    } else if (s.size != b.size) {
      return false;
    } else {
      blocks[s.newest].newer() = id;
    }
    b.make_free(mark_set::none, true);
    b.older() = s.newest;
    b.newer() = no_block;
    s.newest = id;
    ++count_;
    units_ += b.size;
    return true;
  }

  /// Takes the newest block of exactly `size` out, or returns no_block.
  block_id take(block_table& blocks, std::uint32_t size) noexcept {
    const std::uint32_t at = slot_of(size);
    stack& s = stacks_[at];
    const block_id id = s.newest;
    if (id == no_block || s.size != size) return no_block;
    s.newest = blocks[id].older();
    if (s.newest == no_block) {
      filled_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    } else {
      blocks[s.newest].newer() = no_block;
    }
    --count_;
    units_ -= size;
    return id;
  }

  /// Takes any block out. Requires: not empty.
  block_id take_any(block_table& blocks) noexcept {
    std::uint32_t word = 0;
    while (filled_[word] == 0) ++word;
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(filled_[word]));
    const block_id id = stacks_[word * 64 + bit].newest;
    remove(blocks, id);
    return id;
  }

  /// Requires: the block is in the set, with the size it was entered with.
  void remove(block_table& blocks, block_id id) noexcept {
    const block& b = blocks[id];
    if (b.older() != no_block) blocks[b.older()].newer() = b.newer();
    if (b.newer() != no_block) {
      blocks[b.newer()].older() = b.older();
    } else {
      const std::uint32_t at = slot_of(b.size);
      stacks_[at].newest = b.older();
      if (b.older() == no_block) filled_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    }
    --count_;
    units_ -= b.size;
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t units() const noexcept { return units_; }

  /// Calls `see(id)` for every block, newest first within a size. Requires: no change meanwhile.
  template <typename Visitor>
  void for_each(const block_table& blocks, Visitor see) const {
    for (const stack& s : stacks_) {
      for (block_id id = s.newest; id != no_block; id = blocks[id].older()) see(id);
    }
  }

 private:
  static constexpr std::uint32_t slot_bits = 8;
  static constexpr std::uint32_t slot_count = 1U << slot_bits;

  struct stack {
    std::uint32_t size = 0;
    block_id newest = no_block;
  };

  [[nodiscard]] static std::uint32_t slot_of(std::uint32_t size) noexcept {
    return (size * 0x9E3779B1U) >> (32 - slot_bits);
  }

  std::uint64_t count_ = 0;
  std::uint64_t units_ = 0;
  std::array<std::uint64_t, slot_count / 64> filled_{};  ///< Bit i: stack i is not empty.
  std::array<stack, slot_count> stacks_{};
};

}  // namespace bfc::core
