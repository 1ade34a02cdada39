#include "usage.hpp"

#include "tag_names.hpp"

#include <new>

namespace bfc {

amounts usage_book::current() const noexcept {
  const core::heap_counters& c = heap_->counters();
  return {c.live_requested_bytes, c.live_bytes, c.live_blocks};
}

amounts usage_book::total() const noexcept {
  const core::heap_counters& c = heap_->counters();
  return {c.allocated_requested_bytes, c.allocated_bytes, c.allocations};
}

status usage_book::add_tag(core::tag_id tag) noexcept {
  if (static_cast<std::uint32_t>(tag) >= tag_count()) return status::invalid_option;
  try {
    const bool first = tags_.empty();
    tags_.resize(static_cast<std::size_t>(tag) + 1);  // At least 2: the untagged was known.
    tags_known_ = tags_.size();
    if (first) tags_.front() = whole();  // So far everything was untagged.
    return status::ok;
  } catch (const std::bad_alloc&) {
    return status::host_memory;
  }
}

void usage_book::end_window() noexcept {
  peak_.raise_to(window_peak_);
  for (scope_record* scope : scopes_) scope->peak.raise_to(window_peak_);
  window_peak_ = current();
}

usage usage_book::whole() noexcept {
  end_window();
  return {current(), peak_, total()};
}

std::vector<tag_statistics> usage_book::by_tag() const {
  std::vector<tag_statistics> seen;
  for (std::size_t id = 0; id < tags_.size(); ++id) {
    const usage& u = tags_[id];
    if (u.total.blocks == 0) continue;
    seen.push_back({static_cast<core::tag_id>(id), requested_of(u), rounded_of(u), blocks_of(u)});
  }
  return seen;
}

void usage_book::open(scope_record& scope) {
  end_window();
  scopes_.push_back(&scope);
  scope.peak = current();
  scope.total_at_start = total();
}

void usage_book::close(scope_record& scope) noexcept {
  end_window();
  std::erase(scopes_, &scope);
}

usage usage_book::read(const scope_record& scope) noexcept {
  end_window();
  return {current(), scope.peak, total().minus(scope.total_at_start)};
}

}  // namespace bfc
