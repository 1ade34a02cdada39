/// How little memory a program can do with: the fit ratio. Layer: replay.
///
/// The capacities tried are the peak of live bytes times 1.000, 1.001, ... 1.500, each rounded up
/// to the unit. Success is not monotone in the capacity: a larger last block can be chosen
/// differently, and worse. So two figures are given: the *safe* capacity, from which every larger
/// one on the grid succeeds as well, and the *first* that succeeds at all.
#pragma once

#include <bfc/core/heap.hpp>
#include <bfc/replay/peak_live.hpp>
#include <bfc/replay/program.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace bfc::replay {

struct fit_result {
  std::uint64_t peak_live_bytes = 0;                  ///< Sizes rounded to the unit: ratio 1.0.
  std::optional<std::uint64_t> safe_capacity_bytes;   ///< None: even 1.5 x the peak fails.
  std::optional<std::uint64_t> first_capacity_bytes;  ///< None: no capacity on the grid succeeds.
  std::optional<double> fit_ratio;                    ///< safe_capacity_bytes / peak_live_bytes.
  std::optional<double> first_fit_ratio;              ///< first_capacity_bytes / peak_live_bytes.
};

/// How many capacities there are at most to try.
inline constexpr std::uint64_t fit_grid_points = 501;

struct fit_options {
  /// Threads that try capacities at once; the result does not depend on it.
  unsigned thread_count = 1;

  /// For a search of a program: what every request asks for, in bytes; 0 is one unit.
  std::uint64_t alignment_bytes = 0;

  /// Told now and then how many of how many capacities are settled; not always the caller's
  /// thread, never two at once. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// Whether the whole program finds its place in so many bytes. Must give the same answer each
/// time, and be callable from several threads if `thread_count` is above 1.
using capacity_test = std::function<bool(std::uint64_t capacity_bytes)>;

/// Searches for anything that can answer the test. Requires: the unit is a power of two.
/// A program that never holds anything (`peak_live_bytes` 0) has no ratios.
/// Fails: throws what the test throws.
[[nodiscard]] fit_result fit_search(std::uint64_t peak_live_bytes, std::uint64_t unit_bytes,
                                    const capacity_test& succeeds, const fit_options& how = {});

/// Searches for a heap; `heap.capacity_bytes` is ignored.
/// Fails: throws bfc::error(invalid_option) as core::heap does.
[[nodiscard]] fit_result fit_search(const program& what, const core::heap_options& heap,
                                    const fit_options& how = {});

}  // namespace bfc::replay
