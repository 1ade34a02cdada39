/// When deferred merging is due. Layer: core.
#pragma once

#include <bfc/core/types.hpp>

#include <cstdint>

namespace bfc::core {

struct trigger_options {
  std::uint64_t unmerged_limit_bytes = 0;  ///< threshold: bytes not merged yet; 0: capacity / 2.
  std::uint32_t unmerged_limit_count =
      16;                     ///< threshold: blocks not merged yet. Above 0; 16 at most wait.
  double ratio_limit = 0.75;  ///< ratio: frees / allocations. In (0, 1].
  std::uint32_t window_frees = 256;  ///< ratio: how many frees are a window. Above 0.
};

/// Decides after each free whether what waits shall be merged now. O(1).
///
/// threshold: the unmerged bytes or blocks have reached their limit. A merge leaves nothing
/// waiting, so it takes as many frees again until the next one. ratio: the historic
/// frees/allocations, read when a window of frees closes, and forgotten with it. Source: the ratio
/// is gorgonia's bfc.go, which never let its counters decay and so, after a long run, walked its
/// whole list on every free.
class coalesce_trigger {
 public:
  coalesce_trigger() = default;

  /// `limit_units`: unmerged_limit_bytes in units.
  coalesce_trigger(coalescing policy, const trigger_options& options,
                   std::uint64_t limit_units) noexcept;

  /// Returns whether a merge is due, given the state after a free and the allocations so far.
  [[nodiscard]] bool on_release(std::uint64_t unmerged_units, std::uint64_t allocations) noexcept {
    if (unmerged_units >= limit_units_) return true;
    return --frees_left_ == 0 && window_closed(unmerged_units, allocations);
  }

 private:
  [[nodiscard]] bool window_closed(std::uint64_t unmerged_units,
                                   std::uint64_t allocations) noexcept;

  std::uint64_t limit_units_ = UINT64_MAX;
  std::uint64_t frees_left_ = 0;  ///< Of the window. From 0 it never closes.
  std::uint64_t window_frees_ = 0;
  std::uint64_t allocations_at_start_ = 0;  ///< Of the window.
  double ratio_limit_ = 0.0;
};

}  // namespace bfc::core
