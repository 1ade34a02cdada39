/// A heap so plain that it is right by inspection: a sorted vector of what is taken.
///
/// It decides what completeness promises: whether any place in the reservation could host
/// a request, once everything that may be merged is merged. It knows no policy, no free block and
/// no index; free memory is simply what no entry covers.
#pragma once

#include <bfc/base/status.hpp>
#include <bfc/core/heap.hpp>
#include <bfc/core/snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bfc::model {

/// A range that a request cannot have: a live block, or freed memory whose marks are not settled.
struct taken {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  bool live = false;
  std::uint64_t requested_bytes = 0;
  core::tag_id tag = core::tag_id::none;
  std::uint64_t sequence = 0;
  core::mark_set marks = core::mark_set::none;

  [[nodiscard]] std::uint64_t end() const { return offset + size_bytes; }
};

/// What a request must be answered. `offset` is exact best fit over maximal holes.
struct verdict {
  status code = status::ok;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

/// A maximal stretch of equal kind, for comparison with a snapshot.
struct stretch {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  bool live = false;
  std::uint64_t requested_bytes = 0;
  std::uint32_t tag = 0;
  std::uint64_t sequence = 0;
  std::uint32_t marks = 0;
  bool operator==(const stretch&) const = default;
};

class oracle {
 public:
  oracle(std::uint64_t capacity_bytes, std::uint64_t unit_bytes)
      : capacity_(capacity_bytes), unit_(unit_bytes) {}

  [[nodiscard]] verdict judge(const core::request& what) const;
  void take(std::uint64_t offset, const core::request& what);

  /// Whether the range lies in the reservation and touches nothing taken.
  [[nodiscard]] bool is_usable(std::uint64_t offset, std::uint64_t size_bytes) const;

  /// ok for the start of a live block, else what a release of this offset must answer.
  [[nodiscard]] status classify(std::uint64_t offset) const;

  /// Requires: classify(offset) is ok.
  [[nodiscard]] const taken& at(std::uint64_t offset) const;

  void release(std::uint64_t offset, core::mark_set marks);
  void settle(core::mark_set marks);

  /// What try_expand and shrink must answer; they are carried out when that is ok.
  status expand(std::uint64_t offset, std::uint64_t bytes);
  status shrink(std::uint64_t offset, std::uint64_t bytes,
                core::mark_set marks = core::mark_set::none);

  [[nodiscard]] std::uint64_t largest_available(std::uint64_t alignment) const;

  /// Start of a free hole (usable or not), picked by number; the capacity when there is none.
  [[nodiscard]] std::uint64_t nth_free_offset(std::uint64_t nth) const;

  [[nodiscard]] std::vector<stretch> stretches() const;

  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] std::uint64_t live_requested_bytes() const { return live_requested_bytes_; }
  [[nodiscard]] std::uint64_t live_blocks() const { return live_blocks_; }
  [[nodiscard]] std::uint64_t footprint_bytes() const { return footprint_; }
  [[nodiscard]] std::uint64_t allocations() const { return allocations_; }
  [[nodiscard]] std::uint64_t allocated_bytes() const { return allocated_bytes_; }
  [[nodiscard]] std::uint64_t allocated_requested_bytes() const {
    return allocated_requested_bytes_;
  }
  [[nodiscard]] std::uint64_t capacity_bytes() const { return capacity_; }

 private:
  [[nodiscard]] bool round_up(std::uint64_t bytes, std::uint64_t& rounded) const;
  [[nodiscard]] std::size_t index_at_or_after(std::uint64_t offset) const;

  /// Calls visit(start, end) for every maximal hole, in address order.
  template <typename Visit>
  void for_each_hole(Visit visit) const {
    std::uint64_t start = 0;
    for (const taken& t : taken_) {
      if (t.offset > start) visit(start, t.offset);
      start = t.end();
    }
    if (start < capacity_) visit(start, capacity_);
  }

  std::uint64_t capacity_;
  std::uint64_t unit_;
  std::vector<taken> taken_;  // by offset
  std::uint64_t live_bytes_ = 0;
  std::uint64_t live_requested_bytes_ = 0;
  std::uint64_t live_blocks_ = 0;
  std::uint64_t footprint_ = 0;
  std::uint64_t allocations_ = 0;
  std::uint64_t allocated_bytes_ = 0;  // growth in place included
  std::uint64_t allocated_requested_bytes_ = 0;
};

/// Where exact best fit puts `size_bytes` in one hole; whether it fits at all.
[[nodiscard]] bool place_in_hole(std::uint64_t start, std::uint64_t end, std::uint64_t size_bytes,
                                 std::uint64_t alignment, core::placement place,
                                 std::uint64_t& offset);

/// A snapshot's blocks with free neighbours of equal marks joined.
[[nodiscard]] std::vector<stretch> stretches_of(const core::snapshot& state);

}  // namespace bfc::model
