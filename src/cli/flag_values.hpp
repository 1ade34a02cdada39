// From the text of a flag to its value. Part of: cli.
#pragma once

#include <bfc/base/checked.hpp>
#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>
#include <bfc/core/types.hpp>

#include <cstdint>
#include <string>

namespace bfc::cli {

// Fails: throws bfc::error(invalid_option) naming flag, text and rule.
[[nodiscard]] inline std::uint64_t size_value(const std::string& flag, const std::string& text) {
  try {
    return parse_size(text);
  } catch (const error& why) {
    throw error(status::invalid_option, flag + ": " + why.what());
  }
}

// What --align stands for. Up to the largest unit it is the unit. Above, rounding sizes up would
// waste more than it places, so only where blocks begin is a multiple of it.
struct alignment {
  std::uint32_t unit_bytes = 256;
  std::uint64_t request_bytes = 0;  // asked for with each request; 0: the unit is enough

  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return request_bytes == 0 ? unit_bytes : request_bytes;
  }
};

[[nodiscard]] inline alignment align_value(const std::string& text) {
  const std::uint64_t bytes = size_value("--align", text);
  if (!is_power_of_two(bytes) || bytes < 16 || bytes > 64 * MiB) {
    throw error(status::invalid_option,
                "--align: '" + text + "' is not a power of two from 16 to 64MiB; try 256");
  }
  if (bytes > 2 * MiB) return {256, bytes};
  return {static_cast<std::uint32_t>(bytes), 0};
}

// Whether a heap of this unit can be so large: it counts units in 32 bits.
[[nodiscard]] inline bool addressable(std::uint64_t capacity_bytes, std::uint32_t unit_bytes) {
  return capacity_bytes / unit_bytes <= UINT32_MAX;
}

// Whether every capacity that a fit search tries is addressable.
[[nodiscard]] inline bool fit_addressable(std::uint64_t peak_bytes, std::uint32_t unit_bytes) {
  const auto most = checked_add(peak_bytes, peak_bytes / 2 + unit_bytes);
  return most && addressable(*most, unit_bytes);
}

// The end of a complaint about a size that is not addressable.
[[nodiscard]] inline std::string above_units(const alignment& align) {
  const std::string unit = std::to_string(align.unit_bytes);
  return align.request_bytes == 0 ? "is above 2^32 - 1 units of --align " + unit + "; raise --align"
                                  : "is above 2^32 - 1 units of " + unit + " bytes; try --align 2M";
}

[[nodiscard]] inline core::coalescing policy_value(const std::string& flag,
                                                   const std::string& text) {
  std::string known;
  for (const core::coalescing policy : core::all_coalescing_policies) {
    if (core::name(policy) == text) return policy;
    known += (known.empty() ? "" : ", ") + std::string(core::name(policy));
  }
  throw error(status::invalid_option, flag + ": '" + text + "' is not one of " + known);
}

}  // namespace bfc::cli
