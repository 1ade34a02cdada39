// Which block a pointer names just now. Layer: trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bfc::trace {

// An open-addressing hash from pointers of live blocks to their numbers: linear probing, at most
// half full, removal by shifting back, so that it never decays. 16 bytes a slot.
// Requires of every call: the pointer is not 0.
class live_pointers {
 public:
  live_pointers() : slots_(64) {}

  // Returns the block that had the pointer until now, if one had.
  std::optional<std::uint32_t> insert(std::uint64_t pointer, std::uint32_t block) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    slot& place = slots_[find(pointer)];
    if (place.pointer == pointer) {
      const std::uint32_t before = place.block;
      place.block = block;
      return before;
    }
    place = {pointer, block};
    ++count_;
    return std::nullopt;
  }

  std::optional<std::uint32_t> remove(std::uint64_t pointer) noexcept {
    std::size_t hole = find(pointer);
    if (slots_[hole].pointer == 0) return std::nullopt;
    const std::uint32_t block = slots_[hole].block;
    // Whoever behind the hole would be found sooner by moving into it, moves into it.
    for (std::size_t i = next(hole); slots_[i].pointer != 0; i = next(i)) {
      const std::size_t wish = home(slots_[i].pointer);
      if (((i - wish) & mask()) >= ((i - hole) & mask())) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole].pointer = 0;
    --count_;
    return block;
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  struct slot {
    std::uint64_t pointer = 0;
    std::uint32_t block = 0;
  };

  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
  [[nodiscard]] std::size_t next(std::size_t i) const noexcept { return (i + 1) & mask(); }

  // Allocators align, so the low bits say little: the product's high bits are taken.
  [[nodiscard]] std::size_t home(std::uint64_t pointer) const noexcept {
    const std::uint64_t product = pointer * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(product ^ (product >> 32)) & mask();
  }

  [[nodiscard]] std::size_t find(std::uint64_t pointer) const noexcept {
    std::size_t i = home(pointer);
    while (slots_[i].pointer != 0 && slots_[i].pointer != pointer) i = next(i);
    return i;
  }

  void grow() {
    std::vector<slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const slot& s : old) {
      if (s.pointer != 0) slots_[find(s.pointer)] = s;
    }
  }

  std::vector<slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace bfc::trace
