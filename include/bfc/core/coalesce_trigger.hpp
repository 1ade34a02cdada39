/// When deferred merging is due. Layer: core.
#pragma once

#include <bfc/core/types.hpp>

#include <cstdint>

namespace bfc::core {

struct trigger_options {
  std::uint64_t unmerged_limit_bytes = 0;     ///< threshold: bytes not merged yet; 0: capacity / 2.
  std::uint32_t unmerged_limit_count = 1024;  ///< threshold: blocks not merged yet. Above 0.
  double ratio_limit = 0.75;                  ///< ratio: frees / allocations. In (0, 1].
  std::uint32_t window_frees = 256;  ///< Both: the least distance of two triggers, in frees.
};

/// Decides after each free whether what waits shall be merged now. O(1).
///
/// threshold: the unmerged bytes or blocks have reached their limit. ratio: the historic
/// frees/allocations of a closed window. Both fire at most once a window of frees (a merge leaves
/// nothing waiting, so that is their hysteresis) and only if something waits.
/// Source: the ratio is gorgonia's bfc.go, which never let its counters decay and so, after a long
/// run, walked its whole list on every free.
class coalesce_trigger {
 public:
  coalesce_trigger() = default;
  coalesce_trigger(coalescing policy, const trigger_options& options) noexcept
      : options_(options), policy_(policy) {}

  void on_allocate() noexcept { ++window_allocations_; }

  /// Returns whether a pass is due. `unmerged_*` describe the state after the free.
  [[nodiscard]] bool on_release(std::uint64_t unmerged_count,
                                std::uint64_t unmerged_bytes) noexcept {
    if (++window_frees_ < options_.window_frees) return false;
    return window_closed(unmerged_count, unmerged_bytes);
  }

 private:
  [[nodiscard]] bool window_closed(std::uint64_t unmerged_count,
                                   std::uint64_t unmerged_bytes) noexcept;

  trigger_options options_;
  std::uint32_t window_frees_ = 0;
  std::uint32_t window_allocations_ = 0;
  coalescing policy_ = coalescing::threshold;
};

}  // namespace bfc::core
