// The ranges a source has handed out and not got back, so that a release of anything else is
// refused before the system hears of it. Layer: source, private.
#pragma once

#include <bfc/source/source.hpp>

#include <cstddef>
#include <new>
#include <optional>
#include <vector>

namespace bfc::detail {

/// Not thread-safe, like the source it serves.
class held_ranges {
 public:
  struct entry {
    memory_range lent;               ///< What the caller has.
    std::byte* obtained = nullptr;   ///< Where the underlying range begins.
    std::size_t obtained_bytes = 0;  ///< How long the underlying range is.
  };

  /// Makes room for one more, so that add() cannot fail once the range is there.
  [[nodiscard]] bool prepare() noexcept {
    try {
      entries_.reserve(entries_.size() + 1);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  /// Requires: prepare() answered true since the last add().
  void add(const entry& held) noexcept { entries_.push_back(held); }

  /// Takes the range out of the books, or answers nothing when it is not in them exactly so.
  [[nodiscard]] std::optional<entry> remove(memory_range range) noexcept {
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (it->lent.base != range.base || it->lent.bytes != range.bytes) continue;
      const entry found = *it;
      entries_.erase(it);
      return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] const std::vector<entry>& entries() const noexcept { return entries_; }
  void clear() noexcept { entries_.clear(); }

 private:
  std::vector<entry> entries_;
};

}  // namespace bfc::detail
