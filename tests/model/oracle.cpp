#include "model/oracle.hpp"

#include <algorithm>

namespace bfc::model {

bool place_in_hole(std::uint64_t start, std::uint64_t end, std::uint64_t size_bytes,
                   std::uint64_t alignment, core::placement place, std::uint64_t& offset) {
  if (end - start < size_bytes) return false;
  if (place == core::placement::low) {
    // The remainder, not a mask and not start + alignment: plain enough to trust at 2^63.
    const std::uint64_t beyond = start % alignment;
    if (beyond != 0 && alignment - beyond > end - start) return false;
    offset = beyond == 0 ? start : start + (alignment - beyond);
    return end - offset >= size_bytes;
  }
  offset = end - size_bytes;
  const std::uint64_t excess = offset % alignment;
  if (offset - start < excess) return false;
  offset -= excess;
  return true;
}

bool oracle::round_up(std::uint64_t bytes, std::uint64_t& rounded) const {
  const std::uint64_t excess = bytes % unit_;
  if (excess == 0) {
    rounded = bytes;
    return true;
  }
  if (bytes > UINT64_MAX - (unit_ - excess)) return false;
  rounded = bytes + (unit_ - excess);
  return true;
}

verdict oracle::judge(const core::request& what) const {
  verdict v;
  const std::uint64_t alignment = std::max(what.alignment, unit_);
  std::uint64_t size = 0;
  if (what.bytes == 0 || !round_up(what.bytes, size)) {
    v.code = status::invalid_size;
    return v;
  }
  if ((what.alignment & (what.alignment - 1)) != 0) {
    v.code = status::invalid_alignment;
    return v;
  }
  std::uint64_t best_hole = UINT64_MAX;
  for_each_hole([&](std::uint64_t start, std::uint64_t end) {
    const std::uint64_t hole = end - start;
    // Holes come in address order, so `<` keeps the lowest of equal ones and `<=` the highest.
    const bool better = what.place == core::placement::low ? hole < best_hole : hole <= best_hole;
    std::uint64_t offset = 0;
    if (better && place_in_hole(start, end, size, alignment, what.place, offset)) {
      best_hole = hole;
      v.offset = offset;
    }
  });
  v.code = best_hole == UINT64_MAX ? status::out_of_memory : status::ok;
  v.size_bytes = size;
  return v;
}

std::size_t oracle::index_at_or_after(std::uint64_t offset) const {
  const auto it =
      std::lower_bound(taken_.begin(), taken_.end(), offset,
                       [](const taken& t, std::uint64_t value) { return t.offset < value; });
  return static_cast<std::size_t>(it - taken_.begin());
}

bool oracle::is_usable(std::uint64_t offset, std::uint64_t size_bytes) const {
  if (offset > capacity_ || size_bytes > capacity_ - offset) return false;
  const std::size_t i = index_at_or_after(offset);
  if (i < taken_.size() && taken_[i].offset < offset + size_bytes) return false;
  return i == 0 || taken_[i - 1].end() <= offset;
}

void oracle::take(std::uint64_t offset, const core::request& what) {
  taken t;
  t.offset = offset;
  static_cast<void>(round_up(what.bytes, t.size_bytes));
  t.live = true;
  t.requested_bytes = what.bytes;
  t.tag = what.tag;
  t.sequence = what.sequence;
  taken_.insert(taken_.begin() + static_cast<std::ptrdiff_t>(index_at_or_after(offset)), t);
  live_bytes_ += t.size_bytes;
  live_requested_bytes_ += t.requested_bytes;
  ++live_blocks_;
  ++allocations_;
  allocated_bytes_ += t.size_bytes;
  allocated_requested_bytes_ += t.requested_bytes;
  footprint_ = std::max(footprint_, t.end());
}

status oracle::classify(std::uint64_t offset) const {
  if (offset >= capacity_) return status::foreign_pointer;
  const std::size_t i = index_at_or_after(offset);
  if (i < taken_.size() && taken_[i].offset == offset) {
    return taken_[i].live ? status::ok : status::not_allocated;
  }
  if (i > 0 && taken_[i - 1].live && offset < taken_[i - 1].end()) return status::interior_pointer;
  return status::not_allocated;
}

const taken& oracle::at(std::uint64_t offset) const {
  return taken_[index_at_or_after(offset)];
}

void oracle::release(std::uint64_t offset, core::mark_set marks) {
  const std::size_t i = index_at_or_after(offset);
  taken& t = taken_[i];
  live_bytes_ -= t.size_bytes;
  live_requested_bytes_ -= t.requested_bytes;
  --live_blocks_;
  if (marks == core::mark_set::none) {
    taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
  t.live = false;
  t.marks = marks;
}

void oracle::settle(core::mark_set marks) {
  std::erase_if(taken_, [&](const taken& t) { return !t.live && t.marks == marks; });
}

status oracle::expand(std::uint64_t offset, std::uint64_t bytes) {
  if (const status s = classify(offset); s != status::ok) return s;
  std::uint64_t size = 0;
  if (bytes == 0 || !round_up(bytes, size)) return status::invalid_size;
  const std::size_t i = index_at_or_after(offset);
  taken& t = taken_[i];
  if (bytes <= t.requested_bytes) return status::ok;
  const std::uint64_t limit = i + 1 < taken_.size() ? taken_[i + 1].offset : capacity_;
  if (size > limit - t.offset) return status::cannot_expand;
  live_bytes_ += size - t.size_bytes;
  live_requested_bytes_ += bytes - t.requested_bytes;
  allocated_bytes_ += size - t.size_bytes;
  allocated_requested_bytes_ += bytes - t.requested_bytes;
  t.size_bytes = size;
  t.requested_bytes = bytes;
  footprint_ = std::max(footprint_, t.end());
  return status::ok;
}

status oracle::shrink(std::uint64_t offset, std::uint64_t bytes, core::mark_set marks) {
  if (const status s = classify(offset); s != status::ok) return s;
  const std::size_t i = index_at_or_after(offset);
  taken& t = taken_[i];
  if (bytes == 0 || bytes > t.requested_bytes) return status::invalid_size;
  std::uint64_t size = 0;
  static_cast<void>(round_up(bytes, size));
  live_bytes_ -= t.size_bytes - size;
  live_requested_bytes_ -= t.requested_bytes - bytes;
  taken tail;
  tail.offset = t.offset + size;
  tail.size_bytes = t.size_bytes - size;
  tail.marks = marks;
  t.size_bytes = size;
  t.requested_bytes = bytes;
  if (tail.size_bytes > 0 && marks != core::mark_set::none) {
    taken_.insert(taken_.begin() + static_cast<std::ptrdiff_t>(i + 1), tail);
  }
  return status::ok;
}

std::uint64_t oracle::largest_available(std::uint64_t alignment) const {
  const std::uint64_t step = std::max(alignment, unit_);
  std::uint64_t largest = 0;
  for_each_hole([&](std::uint64_t start, std::uint64_t end) {
    std::uint64_t offset = 0;
    // The first aligned offset that holds one unit leaves the most room behind it.
    if (place_in_hole(start, end, unit_, step, core::placement::low, offset)) {
      largest = std::max(largest, end - offset);
    }
  });
  return largest;
}

std::uint64_t oracle::nth_free_offset(std::uint64_t nth) const {
  std::vector<std::uint64_t> starts;
  for_each_hole([&](std::uint64_t start, std::uint64_t) { starts.push_back(start); });
  for (const taken& t : taken_) {
    if (!t.live) starts.push_back(t.offset);
  }
  return starts.empty() ? capacity_ : starts[nth % starts.size()];
}

namespace {

void append(std::vector<stretch>& all, const stretch& s) {
  if (!all.empty() && !s.live && !all.back().live && all.back().marks == s.marks) {
    all.back().size_bytes += s.size_bytes;
  } else {
    all.push_back(s);
  }
}

}  // namespace

std::vector<stretch> oracle::stretches() const {
  std::vector<stretch> all;
  std::uint64_t start = 0;
  const auto append_hole = [&](std::uint64_t end) {
    if (end == start) return;
    stretch hole;
    hole.offset = start;
    hole.size_bytes = end - start;
    append(all, hole);
  };
  for (const taken& t : taken_) {
    append_hole(t.offset);
    stretch s;
    s.offset = t.offset;
    s.size_bytes = t.size_bytes;
    s.live = t.live;
    if (t.live) {
      s.requested_bytes = t.requested_bytes;
      s.tag = static_cast<std::uint32_t>(t.tag);
      s.sequence = t.sequence;
    } else {
      s.marks = static_cast<std::uint32_t>(t.marks);
    }
    append(all, s);
    start = t.end();
  }
  append_hole(capacity_);
  return all;
}

std::vector<stretch> stretches_of(const core::snapshot& state) {
  std::vector<stretch> all;
  for (const core::block_info& b : state.blocks) {
    stretch s;
    s.offset = b.offset;
    s.size_bytes = b.size_bytes;
    s.live = b.state == core::block_state::live;
    if (s.live) {
      s.requested_bytes = b.requested_bytes;
      s.tag = static_cast<std::uint32_t>(b.tag);
      s.sequence = b.sequence;
    } else {
      s.marks = static_cast<std::uint32_t>(b.marks);
    }
    append(all, s);
  }
  return all;
}

}  // namespace bfc::model
