// The calls a running program makes. See allocator.hpp.
#include "registry.hpp"
#include "state.hpp"
#include <bfc/allocator/allocator.hpp>
#include <bfc/base/checked.hpp>

#include <mutex>
#include <new>
#include <vector>

namespace bfc {

namespace {

[[nodiscard]] core::tag_id tag_of(const request_options& how) noexcept {
  return how.use_current_tag ? this_thread_context().tag : how.tag;
}

}  // namespace

void allocator::state::tell(const event& what) const noexcept {
  if (what.sequence == 0) return;  // Nothing happened.
  for (const auto& [handle, sink] : *observers.current()) sink->on_event(what);
}

// --- Allocation ---------------------------------------------------------------------------------

void allocator::state::note_allocation(core::tag_id tag, const core::placed& where,
                                       std::size_t bytes, event& told) noexcept {
  const std::uint32_t thread = this_thread_context().number;
  ++sequence;
  book.grow(tag, {bytes, where.size_bytes, 1});
  ring.record(sequence, event_kind::allocate, thread, tag, where.offset, where.size_bytes);
  if (!observers.empty()) {
    told = {sequence, event_kind::allocate, thread, tag, where.offset, where.size_bytes, bytes};
  }
}

void allocator::state::note_refusal(core::tag_id tag, std::size_t bytes, event& told) noexcept {
  const std::uint32_t thread = this_thread_context().number;
  const std::uint64_t rounded =
      bytes > heap.capacity_bytes() ? 0 : align_up(bytes, heap.unit_bytes());
  ++sequence;
  ++out_of_memory_count;
  ring.record(sequence, event_kind::out_of_memory, thread, tag, 0, rounded);
  told = {sequence, event_kind::out_of_memory, thread, tag, 0, rounded, bytes};
}

allocation allocator::state::allocate_locked(std::size_t bytes, const request_options& how,
                                             core::tag_id tag, event& told) noexcept {
  if (mode != pool_mode::open) return {nullptr, refusal()};
  if (how.alignment > configuration.max_alignment) {
    ++rejected_count;
    return {nullptr, status::invalid_alignment};
  }
  if (!book.prepare(tag)) return {nullptr, status::host_memory};
  const core::placed where = heap.allocate({bytes, how.alignment, how.place, tag, sequence + 1});
  if (where.code == status::ok) {
    note_allocation(tag, where, bytes, told);
    return {pointer_at(where.offset), status::ok};
  }
  if (where.code == status::out_of_memory) {
    note_refusal(tag, bytes, told);
  } else {
    ++rejected_count;
  }
  return {nullptr, where.code};
}

allocation allocator::try_allocate(std::size_t bytes, const request_options& how) noexcept {
  if (bytes == 0) return {};
  state& s = *state_;
  event told;
  s.lock.lock();
  const allocation result = s.allocate_locked(bytes, how, tag_of(how), told);
  s.lock.unlock();
  if (!s.observers.empty()) s.tell(told);
  return result;
}

status allocator::try_allocate_batch(std::span<const batch_request> what,
                                     std::span<void*> pointers) noexcept {
  if (what.size() > pointers.size()) return status::invalid_size;
  state& s = *state_;
  std::vector<event> told;
  try {
    if (!s.observers.empty()) told.resize(what.size());
  } catch (const std::bad_alloc&) {
    return status::host_memory;
  }
  status first_failure = status::ok;
  {
    const std::lock_guard guard(s.lock);
    event unused;
    std::size_t done = 0;
    for (; done < what.size() && first_failure == status::ok; ++done) {
      pointers[done] = nullptr;
      if (what[done].bytes == 0) continue;
      const allocation one =
          s.allocate_locked(what[done].bytes, what[done].how, tag_of(what[done].how),
                            told.empty() ? unused : told[done]);
      pointers[done] = one.pointer;
      first_failure = one.code;
    }
    if (first_failure != status::ok) {
      // Newest first, so that the blocks' parts join again as they were split.
      while (done-- > 0) {
        if (pointers[done] != nullptr) s.deallocate_locked(pointers[done], 0, unused);
        pointers[done] = nullptr;
      }
    }
  }
  for (const event& one : told) s.tell(one);
  return first_failure;
}

// --- Deallocation -------------------------------------------------------------------------------

status allocator::state::deallocate_locked(void* pointer, std::size_t expected_bytes,
                                           event& told) noexcept {
  if (mode != pool_mode::open) return refusal();
  const std::uint64_t offset = offset_of(pointer);
  const core::live_block former = heap.release(offset, core::mark_set::none, expected_bytes);
  if (former.code != status::ok) {
    ++rejected_count;
    return classify(pointer, former.code);
  }
  const std::uint32_t thread = this_thread_context().number;
  ++sequence;
  book.fall(former.tag, {former.requested_bytes, former.size_bytes, 1});
  ring.record(sequence, event_kind::deallocate, thread, former.tag, offset, former.size_bytes);
  if (!observers.empty()) {
    told = {sequence,          event_kind::deallocate, thread, former.tag, offset,
            former.size_bytes, former.requested_bytes};
  }
  return status::ok;
}

status allocator::deallocate(void* pointer) noexcept {
  return deallocate(pointer, 0);
}

status allocator::deallocate(void* pointer, std::size_t bytes) noexcept {
  if (pointer == nullptr) return status::ok;
  state& s = *state_;
  event told;
  s.lock.lock();
  status result = s.deallocate_locked(pointer, bytes, told);
  s.lock.unlock();
  if (result == status::foreign_pointer && is_in_any_pool(pointer)) result = status::wrong_pool;
  if (!s.observers.empty()) s.tell(told);
  return result;
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
    event unused;
    for (void* pointer : pointers) {
      if (pointer == nullptr) continue;
      const status one = state_->deallocate_locked(pointer, 0, unused);
      if (one == status::ok || first_failure != status::ok) continue;
      first_failure = one;
      refused = pointer;
    }
  }
  if (first_failure == status::foreign_pointer && is_in_any_pool(refused)) {
    return status::wrong_pool;
  }
  return first_failure;
}

// --- Resizing in place --------------------------------------------------------------------------

status allocator::state::resize_locked(void* pointer, std::size_t bytes, bool grow,
                                       event& told) noexcept {
  if (mode != pool_mode::open) return refusal();
  const std::uint64_t offset = offset_of(pointer);
  const core::live_block before = heap.find_live(offset);
  status result = before.code;
  if (result == status::ok) {
    result = grow ? heap.try_expand(offset, bytes) : heap.shrink(offset, bytes);
  }
  if (result != status::ok) {
    if (result != status::cannot_expand) ++rejected_count;
    return before.code == status::ok ? result : classify(pointer, result);
  }
  const core::live_block after = heap.find_live(offset);
  if (after.requested_bytes == before.requested_bytes) return status::ok;
  const amounts difference{after.requested_bytes, after.size_bytes, 0};
  const amounts change = difference.minus({before.requested_bytes, before.size_bytes, 0});
  if (grow) {
    book.grow(before.tag, change);
  } else {
    book.fall(before.tag, amounts{}.minus(change));
  }
  const std::uint32_t thread = this_thread_context().number;
  ++sequence;
  ring.record(sequence, event_kind::resize, thread, before.tag, offset, after.size_bytes);
  told = {sequence,         event_kind::resize,   thread, before.tag, offset,
          after.size_bytes, after.requested_bytes};
  return status::ok;
}

status allocator::try_expand(void* pointer, std::size_t bytes) noexcept {
  event told;
  state_->lock.lock();
  const status result = state_->resize_locked(pointer, bytes, true, told);
  state_->lock.unlock();
  if (!state_->observers.empty()) state_->tell(told);
  return result;
}

status allocator::shrink(void* pointer, std::size_t bytes) noexcept {
  event told;
  state_->lock.lock();
  const status result = state_->resize_locked(pointer, bytes, false, told);
  state_->lock.unlock();
  if (!state_->observers.empty()) state_->tell(told);
  return result;
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
