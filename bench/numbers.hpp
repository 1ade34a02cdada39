/// Medians, percentiles, means. Part of: bench.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace bfc::bench {

/// The smallest value that at least `share` of all values do not exceed; 0 of none.
template <class T>
[[nodiscard]] T percentile(std::vector<T> values, double share) {
  if (values.empty()) return T{};
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto index = std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, values.size()) - 1;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// 0 of none; of an even count the lower of the two in the middle.
template <class T>
[[nodiscard]] T median(std::vector<T> values) {
  return percentile(std::move(values), 0.5);
}

/// Nothing where there is no value, or one that is not above zero.
[[nodiscard]] inline std::optional<double> geometric_mean(const std::vector<double>& values) {
  double logs = 0;
  for (const double each : values) {
    if (!(each > 0)) return std::nullopt;
    logs += std::log(each);
  }
  if (values.empty()) return std::nullopt;
  return std::exp(logs / static_cast<double>(values.size()));
}

[[nodiscard]] inline std::optional<double> quotient(std::optional<double> a,
                                                    std::optional<double> b) {
  if (!a || !b || !(*b > 0)) return std::nullopt;
  return *a / *b;
}

}  // namespace bfc::bench
