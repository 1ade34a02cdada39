// The clockless ring of past events. Private to allocator.
#pragma once

#include <bfc/allocator/event.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace bfc {

/// Remembers the last events in 16 bytes each, and one time stamp for every 64 of them: a time
/// stamp costs more than an allocation. The event numbered n is in slot n modulo the length, so
/// numbers need no room.
///
/// Thread safety: none, it is used under the allocator's lock. Nothing allocates but the
/// constructor.
class event_ring {
 public:
  /// `length`: a power of two of at least 64, or 0 to remember nothing.
  event_ring(std::uint32_t length, unsigned unit_shift)
      : slots_(length != 0 ? length : stamp_interval),
        stamps_(slots_.size() / stamp_interval + 1),
        mask_(slots_.size() - 1),
        length_(length),
        unit_shift_(unit_shift) {
    stamp(0);
  }

  /// Requires: offset and size, in units, are below 2^32.
  void record(std::uint64_t sequence, event_kind kind, std::uint32_t thread, core::tag_id tag,
              std::uint64_t offset, std::uint64_t size_bytes) noexcept {
    if (sequence % stamp_interval == 0) stamp(sequence);
    slots_[sequence & mask_] = {static_cast<std::uint32_t>(offset >> unit_shift_),
                                static_cast<std::uint32_t>(size_bytes >> unit_shift_),
                                static_cast<std::uint32_t>(tag),
                                (thread << 4) | static_cast<std::uint32_t>(kind)};
  }

  /// The last event that began or ended a block at this offset, among those after `last - length`.
  [[nodiscard]] std::optional<past_event> last_at(std::uint64_t offset, std::uint64_t last) const;

  /// All that is remembered, oldest first. `last`: the newest event's number.
  [[nodiscard]] history list(std::uint64_t last) const;

  [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
    return slots_.size() * sizeof(slot) + stamps_.size() * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::uint64_t stamp_interval = 64;

  struct slot {
    std::uint32_t offset_units = 0;
    std::uint32_t size_units = 0;
    std::uint32_t tag = 0;
    std::uint32_t thread_and_kind = 0;
  };

  void stamp(std::uint64_t sequence) noexcept;
  [[nodiscard]] std::size_t stamp_of(std::uint64_t sequence) const noexcept {
    return static_cast<std::size_t>(sequence / stamp_interval % stamps_.size());
  }
  [[nodiscard]] std::uint64_t oldest(std::uint64_t last) const noexcept;
  [[nodiscard]] past_event read(std::uint64_t sequence) const noexcept;

  std::vector<slot> slots_;
  std::vector<std::uint64_t> stamps_;  ///< One more than fit: the oldest group may be half gone.
  std::uint64_t mask_;
  std::uint64_t length_;  ///< 0: nothing is remembered; one stretch is written over and over.
  unsigned unit_shift_;
};

}  // namespace bfc
