/// How a pool is set up: every option with its unit, its default and the reason for it.
/// Layer: allocator.
#pragma once

#include <bfc/core/types.hpp>

#include <cstdint>
#include <string>

namespace bfc {

struct options {
  /// Bytes to reserve. 0 is automatic: what the source has free less its margin, and nine tenths
  /// of that again while the source refuses. Rounded down to `max_alignment`.
  std::uint64_t capacity_bytes = 0;

  /// The least an automatic capacity may shrink to, in bytes.
  /// Default 64 MiB: below that a model's first layer does not fit, and failing at start is kinder.
  std::uint64_t least_capacity_bytes = std::uint64_t{64} << 20;

  /// Every size is rounded up to a multiple of this many bytes; also the least alignment.
  /// Power of two, 16 B to 2 MiB. Default 256: what cudaMalloc aligns to, and what vector loads
  /// and texture-free tensor code expect; rounding costs tensor traces under 0.1%.
  std::uint32_t unit_bytes = 256;

  /// The reservation's own alignment in bytes, hence the highest a request may ask for.
  /// Power of two, `unit_bytes` to 64 MiB. Default 2 MiB: the GPU's large page.
  std::uint64_t max_alignment = std::uint64_t{2} << 20;

  /// When freed neighbours are merged. Default threshold: exact-size reuse without split and
  /// merge, at the fit of immediate merging (see DECISIONS.md).
  core::coalescing coalesce = core::coalescing::threshold;

  /// For coalesce = threshold: merge when so many bytes wait to be merged. 0 is automatic: half of
  /// the capacity. (What waits is merged before it could cause a refusal in any case.)
  std::uint64_t unmerged_limit_bytes = 0;

  /// For coalesce = threshold: how many blocks may wait to be merged; one more takes the place of
  /// another, which is merged. 1 to 16. Default 2: it is the merge of all that waits which makes
  /// the longest calls, and a longer wait is hardly ever rewarded (see DECISIONS.md).
  std::uint32_t unmerged_limit_count = 2;

  /// For coalesce = ratio: merge when frees/allocations of a 256-free window reach this.
  /// Default 0.75, the historic value. Above 0, at most 1.
  double ratio_limit = 0.75;

  /// Bookkeeping prepared at construction, in blocks; more grows on demand. Default 2048: above
  /// the 1219 blocks of the largest recorded training run.
  std::uint32_t expected_blocks = 2048;

  /// Length of the event history, in events; rounded up to a power of two. 0 switches it off,
  /// and with it the telling of double frees from stale ones. Default 4096: 64 KiB of host memory.
  std::uint32_t history_events = 4096;

  /// A name for messages and reports. Default "bfc".
  std::string name = "bfc";
};

}  // namespace bfc
