// Bytes and blocks in use over time. Private to allocator.
#pragma once

#include <bfc/allocator/statistics.hpp>
#include <bfc/core/heap.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bfc {

/// The three quantities that every statistic counts.
struct amounts {
  std::uint64_t requested = 0;
  std::uint64_t rounded = 0;
  std::uint64_t blocks = 0;

  void raise_to(const amounts& other) noexcept {
    requested = std::max(requested, other.requested);
    rounded = std::max(rounded, other.rounded);
    blocks = std::max(blocks, other.blocks);
  }
  void add(const amounts& other) noexcept {
    requested += other.requested;
    rounded += other.rounded;
    blocks += other.blocks;
  }
  /// Differences may be negative; they wrap, and adding them wraps back.
  [[nodiscard]] amounts minus(const amounts& other) const noexcept {
    return {requested - other.requested, rounded - other.rounded, blocks - other.blocks};
  }
};

/// Current, peak and total of a pool or a tag.
struct usage {
  amounts current;
  amounts peak;
  amounts total;

  void grow(const amounts& by) noexcept {
    current.add(by);
    total.add(by);
    peak.raise_to(current);
  }
  void fall(const amounts& by) noexcept { current = current.minus(by); }
};

[[nodiscard]] inline gauge requested_of(const usage& u) noexcept {
  return {u.current.requested, u.peak.requested, u.total.requested};
}
[[nodiscard]] inline gauge rounded_of(const usage& u) noexcept {
  return {u.current.rounded, u.peak.rounded, u.total.rounded};
}
[[nodiscard]] inline gauge blocks_of(const usage& u) noexcept {
  return {u.current.blocks, u.peak.blocks, u.total.blocks};
}

/// One open statistics scope.
struct scope_record {
  amounts peak;
  amounts total_at_start;
};

/// A pool's usage over time, whole, by tag and by scope. Used under the allocator's lock.
///
/// What is in use now, and the totals, are the heap's own counters; the book adds the peaks.
/// `window_peak_` is the peak of the current window only; a window ends when a scope opens, closes
/// or is read, and its peak is handed to every open scope and to the pool's own record. So any
/// number of scopes costs the hot path nothing.
class usage_book {
 public:
  explicit usage_book(const core::heap& heap) : heap_(&heap) {}

  /// Whether `prepare` has nothing to do for this tag.
  [[nodiscard]] bool knows(core::tag_id tag) const noexcept {
    return static_cast<std::size_t>(tag) < tags_known_;
  }
  /// Makes room for a tag. Fails: invalid_option (the id was never interned), host_memory.
  [[nodiscard]] status prepare(core::tag_id tag) noexcept {
    return knows(tag) ? status::ok : add_tag(tag);
  }

  /// After the heap handed out or enlarged a block, by so much. Requires: the tag is known.
  void grew(core::tag_id tag, const amounts& by) noexcept {
    const core::heap_counters& c = heap_->counters();
    if (c.live_requested_bytes > window_peak_.requested) {
      window_peak_.requested = c.live_requested_bytes;
    }
    if (c.live_bytes > window_peak_.rounded) window_peak_.rounded = c.live_bytes;
    if (c.live_blocks > window_peak_.blocks) window_peak_.blocks = c.live_blocks;
    if (tags_known_ != 1) tags_[static_cast<std::size_t>(tag)].grow(by);
  }
  /// After the heap took a block, or a part of one, back.
  void fell(core::tag_id tag, const amounts& by) noexcept {
    if (tags_known_ != 1) tags_[static_cast<std::size_t>(tag)].fall(by);
  }

  /// The pool since its beginning.
  [[nodiscard]] usage whole() noexcept;
  [[nodiscard]] std::vector<tag_statistics> by_tag() const;

  void open(scope_record& scope);
  void close(scope_record& scope) noexcept;
  [[nodiscard]] usage read(const scope_record& scope) noexcept;

  [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
    return tags_.capacity() * sizeof(usage);
  }

 private:
  [[nodiscard]] status add_tag(core::tag_id tag) noexcept;
  void end_window() noexcept;
  [[nodiscard]] amounts current() const noexcept;
  [[nodiscard]] amounts total() const noexcept;

  const core::heap* heap_;
  amounts window_peak_;
  std::size_t tags_known_ = 1;  ///< Ids below are known; the untagged always is.
  std::vector<usage> tags_;     ///< By id; empty while every block is untagged.
  amounts peak_;                ///< Of all earlier windows.
  std::vector<scope_record*> scopes_;
};

}  // namespace bfc
