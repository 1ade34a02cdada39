// The calls a running program makes. See allocator.hpp.
#include "registry.hpp"
#include "state.hpp"
#include <bfc/allocator/allocator.hpp>
#include <bfc/base/checked.hpp>

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

namespace bfc {

namespace {

[[nodiscard]] core::tag_id tag_of(const request_options& how) noexcept {
  return how.use_current_tag ? this_thread_context().tag : how.tag;
}

/// What a pointer is that is not in the pool it was given to. Not to be asked under a pool's lock.
[[nodiscard]] status whose(const void* pointer) noexcept {
  return is_in_any_pool(pointer) ? status::wrong_pool : status::foreign_pointer;
}

}  // namespace

void allocator::state::tell(const event& what) const noexcept {
  if (what.sequence == 0) return;         // Nothing happened.
  const auto list = observers.current();  // Held: a callee may be removed meanwhile.
  for (const auto& [handle, sink] : *list) sink->on_event(what);
}

/// Numbers an event and remembers it.
inline void allocator::state::note(event_kind kind, core::tag_id tag, std::uint64_t offset,
                                   std::uint64_t size_bytes, std::uint64_t requested_bytes,
                                   event* told) noexcept {
  const std::uint32_t thread = this_thread_context().number;
  ++sequence;
  ring.record(sequence, kind, thread, tag, offset, size_bytes);
  if (told != nullptr) *told = {sequence, kind, thread, tag, offset, size_bytes, requested_bytes};
}

/// Counts an allocation that failed, and returns why.
status allocator::state::note_failure(status code, core::tag_id tag, std::size_t bytes,
                                      event* told) noexcept {
  if (code != status::out_of_memory) {
    ++rejected_count;
    return code;
  }
  ++out_of_memory_count;
  const std::uint64_t rounded = checked_align_up(bytes, heap.unit_bytes()).value_or(UINT64_MAX);
  // The history's sizes end at what a reservation can hold.
  const std::uint64_t remembered = std::min(rounded, heap.unit_bytes() * std::uint64_t{UINT32_MAX});
  note(event_kind::out_of_memory, tag, 0, remembered, bytes, told);
  if (told != nullptr) told->size_bytes = rounded;
  return code;
}

// --- Allocation ---------------------------------------------------------------------------------

allocation allocator::state::allocate_locked(std::size_t bytes, const request_options& how,
                                             core::tag_id tag, event* told) noexcept {
  if (mode != pool_mode::open) return {nullptr, refusal()};
  if (how.alignment > configuration.max_alignment) {
    return {nullptr, note_failure(status::invalid_alignment, tag, bytes, told)};
  }
  const status known = book.prepare(tag);
  if (known != status::ok) return {nullptr, note_failure(known, tag, bytes, told)};
  const core::placed where = heap.allocate({bytes, how.alignment, how.place, tag, sequence + 1});
  if (where.code != status::ok) return {nullptr, note_failure(where.code, tag, bytes, told)};
  book.grew(tag, {bytes, where.size_bytes, 1});
  note(event_kind::allocate, tag, where.offset, where.size_bytes, bytes, told);
  return {pointer_at(where.offset), status::ok};
}

/// Nearly every allocation of a running program: no wish but a size, nobody listening.
allocation allocator::try_allocate(std::size_t bytes) noexcept {
  state& s = *state_;
  const core::tag_id tag = this_thread_context().tag;
  if (bytes == 0 || !s.observers.empty()) return try_allocate(bytes, request_options{});
  s.lock.lock();
  if (s.mode != pool_mode::open || !s.book.knows(tag)) {
    s.lock.unlock();
    return try_allocate(bytes, request_options{});
  }
  core::placed where;
  status code = s.heap.allocate_plain(bytes, tag, s.sequence + 1, where);
  if (code != status::ok) {
    code = s.note_failure(code, tag, bytes, nullptr);
    s.lock.unlock();
    return {nullptr, code};
  }
  s.book.grew(tag, {bytes, where.size_bytes, 1});
  s.note(event_kind::allocate, tag, where.offset, where.size_bytes, bytes, nullptr);
  s.lock.unlock();
  return {s.pointer_at(where.offset), status::ok};
}

allocation allocator::try_allocate(std::size_t bytes, const request_options& how) noexcept {
  if (bytes == 0) return {};
  state& s = *state_;
  event told;
  s.lock.lock();
  const allocation result = s.allocate_locked(bytes, how, tag_of(how), &told);
  s.lock.unlock();
  if (!s.observers.empty()) s.tell(told);
  return result;
}

/// First all places are found, and given up again if one is missing; only then are they events.
status allocator::state::allocate_batch_locked(std::span<const batch_request> what,
                                               std::span<void*> pointers,
                                               std::span<event> told) noexcept {
  if (mode != pool_mode::open) return refusal();
  std::uint64_t number = sequence;
  for (std::size_t i = 0; i < what.size(); ++i) {
    const batch_request& one = what[i];
    const core::tag_id tag = tag_of(one.how);
    pointers[i] = nullptr;
    if (one.bytes == 0) continue;
    core::placed where{status::invalid_alignment};
    if (one.how.alignment <= configuration.max_alignment) {
      where.code = book.prepare(tag);
      if (where.code == status::ok) {
        where = heap.allocate({one.bytes, one.how.alignment, one.how.place, tag, ++number});
      }
    }
    if (where.code == status::ok) {
      pointers[i] = pointer_at(where.offset);
      continue;
    }
    while (i-- > 0) {  // Newest first, so that the parts join as they were split.
      if (pointers[i] != nullptr) heap.release(offset_of(pointers[i]));
    }
    std::fill(pointers.begin(), pointers.end(), nullptr);
    return note_failure(where.code, tag, one.bytes, told.empty() ? nullptr : told.data());
  }
  for (std::size_t i = 0; i < what.size(); ++i) {
    if (pointers[i] == nullptr) continue;
    const std::uint64_t offset = offset_of(pointers[i]);
    const core::live_block b = heap.find_live(offset);
    book.grew(b.tag, {b.requested_bytes, b.size_bytes, 1});
    note(event_kind::allocate, b.tag, offset, b.size_bytes, b.requested_bytes,
         told.empty() ? nullptr : &told[i]);
  }
  return status::ok;
}

status allocator::try_allocate_batch(std::span<const batch_request> what,
                                     std::span<void*> pointers) noexcept {
  if (what.size() != pointers.size()) return status::invalid_size;
  std::vector<event> told;
  try {
    if (!state_->observers.empty()) told.resize(what.size());
  } catch (const std::bad_alloc&) {
    return status::host_memory;
  }
  state_->lock.lock();
  const status result = state_->allocate_batch_locked(what, pointers, told);
  state_->lock.unlock();
  for (const event& one : told) state_->tell(one);
  return result;
}

// --- Deallocation -------------------------------------------------------------------------------

inline status allocator::state::deallocate_locked(void* pointer, std::uint64_t expected_bytes,
                                                  event* told) noexcept {
  if (mode != pool_mode::open) return refusal();
  const std::uint64_t offset = offset_of(pointer);
  core::live_block former;
  const status code = heap.release_into(former, offset, core::mark_set::none, expected_bytes);
  if (code != status::ok) {
    ++rejected_count;
    return classify(pointer, code);
  }
  book.fell(former.tag, {former.requested_bytes, former.size_bytes, 1});
  note(event_kind::deallocate, former.tag, offset, former.size_bytes, former.requested_bytes, told);
  return status::ok;
}

/// `expected_bytes`: core::any_size, or what must have been asked for.
inline status allocator::deallocate_checked(void* pointer, std::uint64_t expected_bytes) noexcept {
  if (pointer == nullptr) return status::ok;
  state& s = *state_;
  if (!s.observers.empty()) return deallocate_observed(pointer, expected_bytes);
  s.lock.lock();
  const status result = s.deallocate_locked(pointer, expected_bytes, nullptr);
  s.lock.unlock();
  return result == status::foreign_pointer ? whose(pointer) : result;
}

status allocator::deallocate_observed(void* pointer, std::uint64_t expected_bytes) noexcept {
  event told;
  state_->lock.lock();
  const status result = state_->deallocate_locked(pointer, expected_bytes, &told);
  state_->lock.unlock();
  state_->tell(told);
  return result == status::foreign_pointer ? whose(pointer) : result;
}

status allocator::deallocate(void* pointer) noexcept {
  return deallocate_checked(pointer, core::any_size);
}

status allocator::deallocate(void* pointer, std::size_t bytes) noexcept {
  // No block is as large as any_size, so a size beyond it is wrong in the same way.
  return deallocate_checked(pointer, std::min<std::uint64_t>(bytes, core::any_size - 1));
}

status allocator::deallocate_batch(std::span<void* const> pointers) noexcept {
  status first_failure = status::ok;
  if (!state_->observers.empty()) {  // One by one: there is no room to keep events in.
    for (void* pointer : pointers) {
      const status one = deallocate(pointer);
      if (first_failure == status::ok) first_failure = one;
    }
    return first_failure;
  }
  void* refused = nullptr;
  {
    const std::lock_guard guard(state_->lock);
    for (void* pointer : pointers) {
      if (pointer == nullptr) continue;
      const status one = state_->deallocate_locked(pointer, core::any_size, nullptr);
      if (one == status::ok || first_failure != status::ok) continue;
      first_failure = one;
      refused = pointer;
    }
  }
  return first_failure == status::foreign_pointer ? whose(refused) : first_failure;
}

// --- Resizing in place --------------------------------------------------------------------------

status allocator::state::resize_locked(void* pointer, std::size_t bytes, bool grow,
                                       event* told) noexcept {
  if (mode != pool_mode::open) return refusal();
  const std::uint64_t offset = offset_of(pointer);
  const core::live_block before = heap.find_live(offset);
  if (before.code != status::ok) {
    ++rejected_count;
    return classify(pointer, before.code);
  }
  const status result = grow ? heap.try_expand(offset, bytes) : heap.shrink(offset, bytes);
  if (result != status::ok) {
    if (result != status::cannot_expand) ++rejected_count;
    return result;
  }
  const core::live_block after = heap.find_live(offset);
  const amounts was{before.requested_bytes, before.size_bytes, 0};
  const amounts is{after.requested_bytes, after.size_bytes, 0};
  if (is.requested == was.requested) return status::ok;
  if (grow) {
    book.grew(before.tag, is.minus(was));
  } else {
    book.fell(before.tag, was.minus(is));
  }
  note(event_kind::resize, before.tag, offset, is.rounded, is.requested, told);
  return status::ok;
}

status allocator::resize(void* pointer, std::size_t bytes, bool grow) noexcept {
  event told;
  state_->lock.lock();
  const status result = state_->resize_locked(pointer, bytes, grow, &told);
  state_->lock.unlock();
  if (!state_->observers.empty()) state_->tell(told);
  return result == status::foreign_pointer ? whose(pointer) : result;
}

status allocator::try_expand(void* pointer, std::size_t bytes) noexcept {
  return resize(pointer, bytes, true);
}

status allocator::shrink(void* pointer, std::size_t bytes) noexcept {
  return resize(pointer, bytes, false);
}

// --- Questions ----------------------------------------------------------------------------------

std::size_t allocator::size_of(const void* pointer) const noexcept {
  const std::lock_guard guard(state_->lock);
  if (state_->mode != pool_mode::open) return 0;
  return state_->heap.find_live(state_->offset_of(pointer)).requested_bytes;
}

std::size_t allocator::largest_available(std::size_t alignment) const noexcept {
  const std::lock_guard guard(state_->lock);
  if (state_->mode != pool_mode::open || alignment > state_->configuration.max_alignment) return 0;
  return state_->heap.largest_available(alignment);
}

reservation_view allocator::reservation_of(const void* pointer) const noexcept {
  const std::lock_guard guard(state_->lock);
  if (state_->mode == pool_mode::closed) return {status::closed};
  if (!state_->contains(pointer)) return {status::foreign_pointer};
  return {status::ok, state_->pointer_at(0), state_->heap.capacity_bytes(),
          state_->offset_of(pointer), state_->from->device()};
}

core::snapshot allocator::take_snapshot() const {
  const std::lock_guard guard(state_->lock);
  return state_->heap.take_snapshot();
}

history allocator::recent_events() const {
  const std::lock_guard guard(state_->lock);
  return state_->ring.list(state_->sequence);
}

void allocator::coalesce() noexcept {
  const std::lock_guard guard(state_->lock);
  if (state_->mode == pool_mode::open) state_->heap.coalesce();
}

}  // namespace bfc
