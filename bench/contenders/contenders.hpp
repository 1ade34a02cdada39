/// The list of contenders. Each has a file of its own beside this one. Part of: bench.
#pragma once

#include "../contender.hpp"

#include <vector>

namespace bfc::bench {

[[nodiscard]] std::vector<contender_entry> make_bfc_pools();
[[nodiscard]] contender_entry make_floor_mutex();
[[nodiscard]] contender_entry make_map_bestfit();

/// Not a contender: measures the measuring loop.
[[nodiscard]] contender_entry make_empty_loop();

/// All of them in the order of reports: ours, then the floor, then the map.
[[nodiscard]] inline std::vector<contender_entry> all_contenders() {
  std::vector<contender_entry> all = make_bfc_pools();
  all.push_back(make_floor_mutex());
  all.push_back(make_map_bestfit());
  return all;
}

}  // namespace bfc::bench
