// What an allocator consists of. Private to allocator.
#pragma once

#include "event_ring.hpp"
#include "handoff_lock.hpp"
#include "observers.hpp"
#include "thread_context.hpp"
#include "usage.hpp"
#include <bfc/allocator/allocator.hpp>
#include <bfc/base/error.hpp>
#include <bfc/core/heap.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace bfc {

enum class pool_mode : std::uint8_t { open, closed, forked };

struct allocator::state {
  state(std::unique_ptr<source> source, memory_range range, const options& how);

  /// Ends the pool's use of its reservation and returns it. Idempotent.
  std::uint64_t close() noexcept;

  [[nodiscard]] std::uint64_t offset_of(const void* pointer) const noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer) - base;
  }
  [[nodiscard]] void* pointer_at(std::uint64_t offset) const noexcept {
    return reinterpret_cast<void*>(base + offset);  // NOLINT: an address is what we hand out.
  }
  [[nodiscard]] bool contains(const void* pointer) const noexcept {
    return offset_of(pointer) < heap.capacity_bytes();
  }
  [[nodiscard]] status refusal() const noexcept {
    return mode == pool_mode::closed ? status::closed : status::forked;
  }

  // The steps of the public calls. All are called with the lock held. `told` is null, or where the
  // event goes that observers shall be told.
  allocation allocate_locked(std::size_t bytes, const request_options& how, core::tag_id tag,
                             event* told) noexcept;
  status deallocate_locked(void* pointer, std::uint64_t expected_bytes, event* told) noexcept;
  status resize_locked(void* pointer, std::size_t bytes, bool grow, event* told) noexcept;
  status allocate_batch_locked(std::span<const batch_request> what, std::span<void*> pointers,
                               std::span<event> told) noexcept;
  void note(event_kind kind, core::tag_id tag, std::uint64_t offset, std::uint64_t size_bytes,
            std::uint64_t requested_bytes, event* told) noexcept;
  status note_failure(status code, core::tag_id tag, std::size_t bytes, event* told) noexcept;
  [[nodiscard]] status classify(const void* pointer, status found) const noexcept;
  /// All but the pool's name.
  [[nodiscard]] out_of_memory_report report_locked(std::size_t bytes, const request_options& how,
                                                   core::tag_id tag) const noexcept;

  /// Returns whether one of them freed something. Called without the lock.
  [[nodiscard]] bool call_out_of_memory_callbacks(const out_of_memory_report& report) const;

  /// Hands an event to the observers. Called without the lock.
  void tell(const event& what) const noexcept;

  // What the common path meets, close together. The lock guards all but constants and lists.
  handoff_lock lock;
  pool_mode mode = pool_mode::open;
  std::uintptr_t base;         ///< Constant.
  std::uint64_t sequence = 0;  ///< Number of the last event.
  callee_list<std::shared_ptr<observer>> observers;
  event_ring ring;
  usage_book book{heap};
  core::heap heap;
  std::uint64_t out_of_memory_count = 0;
  std::uint64_t rejected_count = 0;

  // Constant after construction.
  options configuration;
  std::unique_ptr<source> from;
  memory_range range;
  std::uint64_t driver_calls_at_start;

  std::uint64_t driver_calls_while_open = 0;  ///< Set by close().

  callee_list<std::shared_ptr<const out_of_memory_callback>> out_of_memory_callbacks;
};

}  // namespace bfc
