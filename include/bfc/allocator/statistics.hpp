/// Counts of a pool, in bytes and blocks. Layer: allocator.
#pragma once

#include <bfc/core/types.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace bfc {

/// One quantity over time.
struct gauge {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;   ///< Highest value of `current` in the period.
  std::uint64_t total = 0;  ///< Sum of all increases in the period.
};

/// What one tag holds. Untagged memory is listed under core::tag_id::none.
struct tag_statistics {
  core::tag_id tag = core::tag_id::none;
  gauge requested_bytes;
  gauge rounded_bytes;
  gauge blocks;
};

/// Everything since the pool began.
struct statistics {
  std::uint64_t capacity_bytes = 0;
  gauge requested_bytes;  ///< As asked for. An expansion counts as an increase.
  gauge rounded_bytes;    ///< As taken from the reservation.
  gauge blocks;
  std::uint64_t free_bytes = 0;
  std::uint64_t free_blocks = 0;
  std::uint64_t largest_free_bytes = 0;   ///< Largest request that would succeed, after merging.
  std::uint64_t footprint_bytes = 0;      ///< Highest block end ever used.
  std::uint64_t out_of_memory_count = 0;  ///< Refused requests.
  std::uint64_t rejected_count = 0;       ///< Calls refused for other reasons (misuse).
  std::uint64_t merge_count = 0;          ///< Pairs of free blocks joined.
  std::uint64_t coalesce_count = 0;       ///< Merges of all that waited to be merged.
  std::uint64_t coalesce_on_trigger_count = 0;
  std::uint64_t coalesce_before_split_count = 0;
  std::uint64_t coalesce_on_failure_count = 0;
  std::uint64_t merged_for_room_count = 0;  ///< Waiting blocks merged since another one came.
  std::uint64_t unfit_probe_count = 0;      ///< Blocks inspected that could not host an alignment.
  std::uint64_t event_count = 0;
  std::uint64_t metadata_bytes = 0;  ///< Host memory of the bookkeeping.
  std::vector<tag_statistics> tags;  ///< Only tags seen by this pool, by id.

  /// 1 - largest_free / free: the share of free memory that one request cannot have.
  /// 0 when nothing is free.
  [[nodiscard]] double external_fragmentation() const noexcept;

  /// 1 - requested / rounded over live blocks. 0 when nothing is live.
  [[nodiscard]] double internal_fragmentation() const noexcept;
};

/// What happened while a scope was open.
struct scope_statistics {
  gauge requested_bytes;  ///< `current` and `peak` absolute, `total` within the scope.
  gauge rounded_bytes;
  gauge blocks;
};

class allocator;

/// Counts a stretch of the program. Scopes nest and may overlap; each has its own peaks.
/// Thread safety: one thread at a time per scope; scopes of several threads may overlap.
class statistics_scope {
 public:
  statistics_scope(statistics_scope&&) noexcept;
  statistics_scope& operator=(statistics_scope&&) noexcept;
  ~statistics_scope();

  /// So far. After the allocator was destroyed: what it was then.
  /// Requires: not moved from (else throws contract_violation).
  [[nodiscard]] scope_statistics read() const;

 private:
  friend class allocator;
  struct state;
  explicit statistics_scope(std::unique_ptr<state> inner);
  std::unique_ptr<state> state_;
};

}  // namespace bfc
