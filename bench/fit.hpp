/// The fit ratio of any contender, by trying. Part of: bench.
#pragma once

#include "cli/progress.hpp"
#include "contender.hpp"
#include "workload.hpp"

#include <cstdint>
#include <optional>

namespace bfc::bench {

/// replay::fit_search, played through the contender itself: a fresh instance for each capacity, all
/// cores. Nothing where not even 1.5 times the peak suffices.
[[nodiscard]] std::optional<double> search_fit(const contender_entry& entry, const workload& what,
                                               std::uint32_t unit_bytes, cli::progress& shown);

}  // namespace bfc::bench
