/// When deferred merging is due. Layer: core.
#pragma once

#include <bfc/core/types.hpp>

#include <cstdint>

namespace bfc::core {

struct trigger_options {
  /// threshold: merge all when so many bytes wait. 0: half of the capacity.
  std::uint64_t unmerged_limit_bytes = 0;
  /// threshold: how many blocks may wait; one more takes the place of another, which is merged.
  /// Above 0; above unmerged_set::capacity is as that.
  std::uint32_t unmerged_limit_count = 2;
  /// ratio: merge all when frees / allocations of a window reach this. In (0, 1].
  double ratio_limit = 0.75;
  /// ratio: how many frees are a window. Above 0.
  std::uint32_t window_frees = 256;
};

/// Decides after each free whether all that waits shall be merged now. O(1).
///
/// threshold: the waiting bytes have reached their limit. A merge leaves nothing waiting, so it
/// takes as many bytes again until the next one. (The limit of their number is kept by the set
/// itself, a block at a time.) ratio: the historic frees/allocations, read when a window of frees
/// closes, and forgotten with it.
/// Source: the ratio is gorgonia's bfc.go, which never let its counters decay and so, after a long
/// run, walked its whole list on every free.
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
