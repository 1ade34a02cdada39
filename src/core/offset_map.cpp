#include <bfc/core/offset_map.hpp>

#include <bit>
#include <utility>

namespace bfc::core {

void offset_map::reserve(std::size_t count) {
  if (count <= limit_) return;
  // A small table is kept sparse: a probe that goes on is a branch mispredicted. In a large one the
  // cache miss is what costs, so it is dense, at most three quarters full.
  constexpr std::size_t small = 4096;
  const std::size_t size = std::bit_ceil(count <= small ? 4 * count : count + count / 3 + 2);
  table<slot> larger(size);
  std::swap(slots_, larger);
  mask_ = size - 1;
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(size));
  limit_ = size - size / 4;
  for (const slot& entry : larger) {
    if (entry.id != no_block) insert(entry.offset, entry.id);
  }
}

void offset_map::close_hole(std::size_t hole) noexcept {
  // Entries behind the hole move up unless they would pass their own home.
  for (std::size_t at = (hole + 1) & mask_; slots_[at].id != no_block; at = (at + 1) & mask_) {
    const std::size_t distance_from_home = (at - home(slots_[at].offset)) & mask_;
    if (distance_from_home >= ((at - hole) & mask_)) {
      slots_[hole] = slots_[at];
      hole = at;
    }
  }
  slots_[hole].id = no_block;
}

}  // namespace bfc::core
