#include <bfc/replay/tick_clock.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

namespace bfc::replay {

double tick_clock::ns_per_tick() {
  static const double measured = [] {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const std::uint64_t first = begin();
    auto now = start;
    while (now - start < std::chrono::milliseconds(20)) now = clock::now();
    const std::uint64_t last = begin();
    const double ns = std::chrono::duration<double, std::nano>(now - start).count();
    return last > first ? ns / static_cast<double>(last - first) : 1.0;
  }();
  return measured;
}

std::uint64_t tick_clock::overhead_ticks() {
  static const std::uint64_t measured = [] {
    std::vector<std::uint64_t> ticks(10'001);
    for (auto& t : ticks) {
      const std::uint64_t start = begin();
      t = end() - start;
    }
    const auto middle = ticks.begin() + 5'000;
    std::nth_element(ticks.begin(), middle, ticks.end());
    return *middle;
  }();
  return measured;
}

}  // namespace bfc::replay
