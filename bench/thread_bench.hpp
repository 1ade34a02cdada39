/// What several threads on one instance cost each other, and whether each gets its share.
/// Part of: bench.
#pragma once

#include "cli/progress.hpp"
#include "contender.hpp"
#include "workload.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bfc::bench {

struct thread_options {
  unsigned thread_count = 2;
  std::uint64_t live_blocks = 1000;  ///< Of all threads together, on average.
  size_range sizes;
  int repetitions = 9;
  std::chrono::milliseconds run_time{500};  ///< Of one repetition.
  std::uint64_t seed = 1;
};

/// Fairness is judged in windows of this length.
inline constexpr std::chrono::milliseconds fairness_window{10};

/// One contender.
struct thread_row {
  std::string contender;
  unsigned threads = 0;
  double one_thread_ns = 0;   ///< Wall time per operation with one thread, median of repetitions.
  double all_threads_ns = 0;  ///< Wall time per operation of all threads together, likewise.
  double ratio = 0;           ///< The latter over the former.
  double worst_ratio = 0;     ///< Highest of the repetitions.
  std::optional<double> ratio_undisturbed;  ///< The same from undisturbed windows only, all pooled.
  std::uint64_t windows = 0;
  double least_share = 1;   ///< Lowest share of a window's operations any thread had, over all.
  double median_share = 0;  ///< Median over windows of the lowest share.
  std::uint64_t unfair_windows = 0;     ///< Some thread below 0.8 of an equal part (2: below 40%).
  std::uint64_t disturbed_windows = 0;  ///< The system took a core away from some thread.
  std::uint64_t unfair_undisturbed_windows = 0;
  double least_share_undisturbed = 1;
};

/// Random toggling of slots: half of a thread's slots hold a block on average; blocks stay with
/// the thread that allocated them. Threads are pinned to different cores as far as there are any.
/// Requires: a parked further thread, so that one thread pays for its locks, too.
/// Fails: throws wrong_answer.
[[nodiscard]] std::vector<thread_row> bench_threads(const std::vector<contender_entry>& contenders,
                                                    const thread_options& how,
                                                    cli::progress& shown);

}  // namespace bfc::bench
