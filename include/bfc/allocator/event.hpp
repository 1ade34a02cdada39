/// What happened, in the order in which it happened. Layer: allocator.
#pragma once

#include <bfc/base/status.hpp>
#include <bfc/core/types.hpp>

#include <cstdint>
#include <vector>

namespace bfc {

enum class event_kind : std::uint8_t {
  allocate,
  deallocate,
  resize,         ///< A block was grown or shrunk in place; sizes are the new ones.
  out_of_memory,  ///< A request was refused; sizes are the request's, offset is 0.
};

[[nodiscard]] const char* name(event_kind kind) noexcept;

/// One event as observers see it.
struct event {
  std::uint64_t sequence = 0;  ///< Given under the lock: the order of events. First is 1, no gaps.
  event_kind kind = event_kind::allocate;
  std::uint32_t thread = 0;  ///< bfc's own small number of the calling thread, from 1.
  core::tag_id tag = core::tag_id::none;
  std::uint64_t offset = 0;      ///< Of the block in the reservation; its identity while it lives.
  std::uint64_t size_bytes = 0;  ///< Rounded.
  std::uint64_t requested_bytes = 0;
};

/// Is told every event. Called outside the allocator's lock, possibly from several threads at
/// once and out of order: order by `sequence`. May call the allocator.
class observer {
 public:
  virtual ~observer() = default;
  virtual void on_event(const event& what) noexcept = 0;
};

/// One remembered event. The history keeps no requested sizes.
struct past_event {
  std::uint64_t sequence = 0;
  event_kind kind = event_kind::allocate;
  std::uint32_t thread = 0;
  core::tag_id tag = core::tag_id::none;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;  ///< Rounded.
  std::uint64_t time_ns = 0;     ///< Monotonic clock; exact to the 64 events that share a stamp.
};

struct history {
  std::vector<past_event> events;  ///< Oldest first.
  std::uint64_t dropped = 0;       ///< Older events that were overwritten.
};

}  // namespace bfc
