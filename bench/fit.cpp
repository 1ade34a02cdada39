#include "fit.hpp"

#include "machine.hpp"
#include <bfc/replay/fit_search.hpp>

#include <vector>

#include <fmt/format.h>

namespace bfc::bench {

std::optional<double> search_fit(const contender_entry& entry, const workload& what,
                                 std::uint32_t unit_bytes, cli::progress& shown) {
  replay::fit_options how;
  how.thread_count = usable_cores();
  how.progress = [&](std::uint64_t done, std::uint64_t) { shown.step_to(done); };
  shown.begin(fmt::format("{}, fit of {}", what.name, entry.name), "capacities",
              replay::fit_grid_points);
  const auto holds = [&](std::uint64_t capacity_bytes) {
    std::vector<std::uint64_t> handles(what.slot_count);
    return entry.make({capacity_bytes, unit_bytes})->fits(what.ops, handles.data());
  };
  return replay::fit_search(what.peak_live_bytes, unit_bytes, holds, how).fit_ratio;
}

}  // namespace bfc::bench
