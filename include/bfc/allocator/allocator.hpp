/// The facade: one reservation, handed out in blocks, safe to use from any thread. Layer:
/// allocator.
#pragma once

#include <bfc/allocator/event.hpp>
#include <bfc/allocator/options.hpp>
#include <bfc/allocator/out_of_memory.hpp>
#include <bfc/allocator/statistics.hpp>
#include <bfc/allocator/tag.hpp>
#include <bfc/base/status.hpp>
#include <bfc/core/snapshot.hpp>
#include <bfc/source/source.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace bfc {

/// What a request may ask for beside its size.
struct request_options {
  std::size_t alignment = 0;  ///< Bytes, a power of two up to options::max_alignment; 0: one unit.
  core::placement place = core::placement::low;
  bool use_current_tag = true;  ///< Take the calling thread's tag_scope, else `tag`.
  core::tag_id tag = core::tag_id::none;
};

struct allocation {
  void* pointer = nullptr;
  status code = status::ok;
  explicit operator bool() const noexcept { return code == status::ok; }
};

/// One entry of a batch.
struct batch_request {
  std::size_t bytes = 0;
  request_options how;
};

/// Where a pointer lies.
struct reservation_view {
  status code = status::ok;  ///< ok, foreign_pointer or closed.
  void* base = nullptr;
  std::size_t bytes = 0;   ///< Of the whole reservation.
  std::size_t offset = 0;  ///< Of the pointer within it.
  int device = -1;         ///< CUDA ordinal, or -1 for host memory.
};

/// What is known of a pointer; for messages. Never needed on a hot path.
struct pointer_report {
  status code = status::ok;           ///< ok: a live block of this allocator starts here.
  std::size_t block_offset = 0;       ///< Of the block it lies in, where there is one.
  std::size_t block_bytes = 0;        ///< Requested bytes of that block, 0 when free.
  std::uint64_t freed_by_event = 0;   ///< double_free: the free's event number (else 0).
  std::uint32_t freed_by_thread = 0;  ///< double_free: bfc's number of the freeing thread (else 0).
  std::string text;                   ///< One line for people, naming all of the above.
};

/// Called when `allocate` finds no place, outside every lock, so it may use the allocator; a
/// request of its own that fails is refused without calling callbacks again. Returns whether it
/// freed something, that is, whether searching again makes sense. An exception it throws leaves
/// `allocate` as it is.
using out_of_memory_callback = std::function<bool(const out_of_memory_report&)>;

/// Ownership: owns its source and its reservation; blocks are the caller's until deallocated.
/// Thread safety: every member may be called from any thread, unless it says otherwise.
/// Stream order: none yet. A block may be handed out again as soon as deallocate() returned;
/// synchronise with the device before deallocating memory that it still uses.
/// Fork: pools in host memory go on in a child (its own copy); others answer status::forked.
/// Reproducible: one total order of calls gives the same offsets.
class allocator {
 public:
  /// Reserves at once. Requires: `from` is not null (else throws contract_violation).
  /// Fails: throws bfc::error: invalid_option (an option out of range, or two
  /// that contradict, naming both), out_of_memory or driver_error (the source refused).
  allocator(std::unique_ptr<source> from, const options& how);
  ~allocator();
  allocator(const allocator&) = delete;
  allocator& operator=(const allocator&) = delete;

  /// Returns a block of at least `bytes`. Zero bytes give a null pointer, which deallocate takes.
  /// Order of attempts: best fit; the same after merging what waits; the out-of-memory callbacks,
  /// and all of it again if one of them freed something (at most 16 times); fail.
  /// Fails: throws bfc::out_of_memory (a std::bad_alloc) with a report, or bfc::error
  /// (invalid_size, invalid_alignment, closed, forked, host_memory).
  [[nodiscard]] void* allocate(std::size_t bytes, const request_options& how = {});

  /// As allocate, but a failure is a status, costs no more than a success and calls nobody.
  [[nodiscard]] allocation try_allocate(std::size_t bytes) noexcept;
  [[nodiscard]] allocation try_allocate(std::size_t bytes, const request_options& how) noexcept;

  /// All of a batch under one lock, or none of it: then every pointer is null, and only the
  /// footprint may have grown. Fails: as try_allocate; invalid_size when there are not as many
  /// pointers as requests.
  status try_allocate_batch(std::span<const batch_request> what,
                            std::span<void*> pointers) noexcept;

  /// Gives a block back. A null pointer is ok and does nothing.
  /// Fails: foreign_pointer, interior_pointer, double_free, not_allocated, wrong_pool, closed,
  /// forked; nothing has changed then, and explain(pointer) says more.
  status deallocate(void* pointer) noexcept;

  /// As deallocate, and refuses with wrong_size unless `bytes` is what was asked for.
  status deallocate(void* pointer, std::size_t bytes) noexcept;

  /// Gives all back under one lock; goes on after a bad pointer and returns the first failure.
  status deallocate_batch(std::span<void* const> pointers) noexcept;

  /// Grows or keeps a block in place, so that it holds `bytes`.
  /// Fails: cannot_expand when the memory behind is not free; the block is unchanged then.
  status try_expand(void* pointer, std::size_t bytes) noexcept;

  /// Gives the end of a block back, keeping `bytes` (above 0, at most what it held).
  status shrink(void* pointer, std::size_t bytes) noexcept;

  /// Bytes a live block was asked for; 0 for anything else.
  [[nodiscard]] std::size_t size_of(const void* pointer) const noexcept;

  /// The largest request of this alignment that would succeed now. 0: one unit.
  [[nodiscard]] std::size_t largest_available(std::size_t alignment = 0) const noexcept;

  /// Base, length, offset and device for IPC and peer access, for any pointer into the reservation.
  [[nodiscard]] reservation_view reservation_of(const void* pointer) const noexcept;

  /// Says what is known of any pointer, dead ones included. O(blocks).
  [[nodiscard]] pointer_report explain(const void* pointer) const;

  [[nodiscard]] bfc::statistics statistics() const;
  [[nodiscard]] core::snapshot take_snapshot() const;

  /// The last events, oldest first, and how many older ones were overwritten.
  [[nodiscard]] history recent_events() const;

  /// Feeds every later event to `sink`, outside the lock; events carry numbers to order by.
  /// Returns a handle for remove_observer; an event under way may still arrive after removal.
  std::uint64_t add_observer(std::shared_ptr<observer> sink);
  void remove_observer(std::uint64_t handle);

  std::uint64_t add_out_of_memory_callback(out_of_memory_callback call);
  void remove_out_of_memory_callback(std::uint64_t handle);

  /// Opens a statistics scope (see statistics.hpp).
  [[nodiscard]] statistics_scope open_scope();

  /// Merges all that waits to be merged, now.
  void coalesce() noexcept;

  /// Returns the reservation. Every later call that needs one answers `closed` (zero bytes and null
  /// pointers never do). Idempotent.
  /// Returns the number of blocks that were still live: leaks, or callers to be told.
  std::uint64_t close() noexcept;

  [[nodiscard]] const options& configuration() const noexcept;
  [[nodiscard]] std::size_t capacity_bytes() const noexcept;
  [[nodiscard]] int device() const noexcept;

  /// Calls its source has made to the system or driver since the reservation was there: 0.
  [[nodiscard]] std::uint64_t driver_calls_after_start() const noexcept;

  struct state;  ///< Opaque; named here so that bfc's own sources can.

 private:
  status deallocate_checked(void* pointer, std::uint64_t expected_bytes) noexcept;
  status deallocate_observed(void* pointer, std::uint64_t expected_bytes) noexcept;
  status resize(void* pointer, std::size_t bytes, bool grow) noexcept;

  std::shared_ptr<state> state_;
};

}  // namespace bfc
