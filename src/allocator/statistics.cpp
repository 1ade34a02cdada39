#include "state.hpp"
#include <bfc/allocator/statistics.hpp>
#include <bfc/base/contract.hpp>

#include <mutex>

namespace bfc {

double statistics::external_fragmentation() const noexcept {
  if (free_bytes == 0) return 0.0;
  return 1.0 - static_cast<double>(largest_free_bytes) / static_cast<double>(free_bytes);
}

double statistics::internal_fragmentation() const noexcept {
  if (rounded_bytes.current == 0) return 0.0;
  return 1.0 -
         static_cast<double>(requested_bytes.current) / static_cast<double>(rounded_bytes.current);
}

struct statistics_scope::state {
  explicit state(std::shared_ptr<allocator::state> of) : pool(std::move(of)) {}
  std::shared_ptr<allocator::state> pool;  ///< Keeps the counters alive, not the reservation.
  scope_record record;
};

statistics_scope::statistics_scope(std::unique_ptr<state> inner) : state_(std::move(inner)) {
  const std::lock_guard guard(state_->pool->lock);
  state_->pool->book.open(state_->record);
}

statistics_scope::statistics_scope(statistics_scope&&) noexcept = default;

statistics_scope& statistics_scope::operator=(statistics_scope&& other) noexcept {
  statistics_scope ended(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

statistics_scope::~statistics_scope() {
  if (!state_) return;
  const std::lock_guard guard(state_->pool->lock);
  state_->pool->book.close(state_->record);
}

scope_statistics statistics_scope::read() const {
  BFC_EXPECT(state_ != nullptr, "a scope that was moved from cannot be read");
  const std::lock_guard guard(state_->pool->lock);
  const usage u = state_->pool->book.read(state_->record);
  return {requested_of(u), rounded_of(u), blocks_of(u)};
}

statistics_scope allocator::open_scope() {
  return statistics_scope(std::make_unique<statistics_scope::state>(state_));
}

bfc::statistics allocator::statistics() const {
  bfc::statistics s;
  state& pool = *state_;
  const std::lock_guard guard(pool.lock);
  const core::heap_counters& c = pool.heap.counters();
  const usage u = pool.book.whole();
  s.capacity_bytes = pool.heap.capacity_bytes();
  s.requested_bytes = requested_of(u);
  s.rounded_bytes = rounded_of(u);
  s.blocks = blocks_of(u);
  s.free_bytes = pool.heap.free_bytes();
  s.free_blocks = pool.heap.free_blocks();
  s.largest_free_bytes = pool.heap.largest_available();
  s.footprint_bytes = c.footprint_bytes;
  s.out_of_memory_count = pool.out_of_memory_count;
  s.rejected_count = pool.rejected_count;
  s.merge_count = c.merges;
  s.coalesce_count = c.coalesce_passes;
  s.coalesce_on_trigger_count = c.coalesce_on_trigger;
  s.coalesce_before_split_count = c.coalesce_before_split;
  s.coalesce_on_failure_count = c.coalesce_on_failure;
  s.merged_for_room_count = c.merged_for_room;
  s.unfit_probe_count = c.unfit_probes;
  s.event_count = pool.sequence;
  s.metadata_bytes = sizeof(state) + pool.heap.metadata_bytes() - sizeof(core::heap) +
                     pool.ring.memory_bytes() + pool.book.memory_bytes();
  s.tags = pool.book.by_tag();
  return s;
}

}  // namespace bfc
