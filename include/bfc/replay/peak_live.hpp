/// The most a program ever holds: the physical limit of any allocator. Layer: replay.
#pragma once

#include <bfc/replay/program.hpp>

#include <cstddef>
#include <cstdint>

namespace bfc::replay {

/// Three peaks, each with the first step after which it is reached.
struct live_peak {
  std::uint64_t requested_bytes = 0;
  std::uint64_t rounded_bytes = 0;  ///< Sizes rounded up to the unit: what a heap must hold.
  std::uint64_t block_count = 0;
  std::size_t requested_step = 0;
  std::size_t rounded_step = 0;
  std::size_t block_step = 0;
};

/// `unit_bytes`: a power of two; 1 rounds nothing.
/// Fails: throws bfc::error(invalid_input) when the live bytes pass 2^64.
[[nodiscard]] live_peak peak_live(const program& what, std::uint64_t unit_bytes);

}  // namespace bfc::replay
