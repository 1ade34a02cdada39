/// Sequences of operations, ready to be run: from a trace or from a random generator. Part of:
/// bench.
#pragma once

#include <bfc/replay/program.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bfc::bench {

/// One call. Blocks are named by the slot that holds them; slots are used again after a free, so
/// that the array of handles stays small and does not disturb the caches under test.
struct op {
  std::uint32_t slot = 0;
  std::uint64_t bytes = 0;  ///< Requested; 0 is a free.

  [[nodiscard]] bool is_free() const noexcept { return bytes == 0; }
};

struct workload {
  std::string name;
  std::vector<op> ops;
  std::uint32_t slot_count = 0;
  std::uint64_t peak_live_bytes = 0;  ///< Sizes rounded up to the unit.
  std::uint64_t peak_live_blocks = 0;
  std::vector<op> drain;  ///< Frees what is live at the end, in allocation order.
};

/// The steps of a program.
[[nodiscard]] workload from_program(const replay::program& calls, std::uint32_t unit_bytes);

struct size_range {
  std::uint64_t least_bytes = 256;
  std::uint64_t most_bytes = 64 * 1024;
};

struct churn_options {
  std::uint64_t live_blocks = 1000;
  std::uint64_t churn_count = 0;  ///< Operations after the first `live_blocks` allocations.
  size_range sizes;
  std::uint32_t unit_bytes = 256;
  std::uint64_t seed = 1;
};

/// Random churn: fills to `live_blocks`, then allocates and frees with equal odds while the live
/// count stays within 10% of it; sizes are log-uniform, each free takes a random live block.
[[nodiscard]] workload make_churn(const churn_options& how);

/// For runner::toggle: `count` random slots of `slot_count`, each with a log-uniform size.
[[nodiscard]] std::vector<op> make_toggles(std::uint32_t slot_count, std::size_t count,
                                           size_range sizes, std::uint64_t seed);

/// The mean of a log-uniform distribution over the range, in bytes.
[[nodiscard]] double mean_bytes(size_range sizes);

}  // namespace bfc::bench
