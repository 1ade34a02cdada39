#include "event_ring.hpp"

#include <chrono>

namespace bfc {

const char* name(event_kind kind) noexcept {
  switch (kind) {
    case event_kind::allocate:
      return "allocate";
    case event_kind::deallocate:
      return "deallocate";
    case event_kind::resize:
      return "resize";
    case event_kind::out_of_memory:
      return "out_of_memory";
  }
  return "unknown";
}

void event_ring::stamp(std::uint64_t sequence) noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  stamps_[stamp_of(sequence)] =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::uint64_t event_ring::oldest(std::uint64_t last) const noexcept {
  return last > length_ ? last - length_ + 1 : 1;
}

past_event event_ring::read(std::uint64_t sequence) const noexcept {
  const slot& s = slots_[sequence & mask_];
  past_event e;
  e.sequence = sequence;
  e.kind = static_cast<event_kind>(s.thread_and_kind & 15);
  e.thread = s.thread_and_kind >> 4;
  e.tag = core::tag_id{s.tag};
  e.offset = std::uint64_t{s.offset_units} << unit_shift_;
  e.size_bytes = std::uint64_t{s.size_units} << unit_shift_;
  e.time_ns = stamps_[stamp_of(sequence)];
  return e;
}

std::optional<past_event> event_ring::last_at(std::uint64_t offset, std::uint64_t last) const {
  for (std::uint64_t n = last; n >= oldest(last) && n > 0; --n) {
    const past_event e = read(n);
    if (e.offset == offset && e.kind != event_kind::out_of_memory) return e;
  }
  return std::nullopt;
}

history event_ring::list(std::uint64_t last) const {
  history h;
  h.dropped = oldest(last) - 1;
  h.events.reserve(last - h.dropped);
  for (std::uint64_t n = oldest(last); n <= last; ++n) h.events.push_back(read(n));
  return h;
}

}  // namespace bfc
