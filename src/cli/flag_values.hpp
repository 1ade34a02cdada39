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

[[nodiscard]] inline std::uint32_t align_value(const std::string& text) {
  const std::uint64_t bytes = size_value("--align", text);
  if (!is_power_of_two(bytes) || bytes < 16 || bytes > 2 * MiB) {
    throw error(status::invalid_option,
                "--align: '" + text + "' is not a power of two from 16 to 2MiB; try 256");
  }
  return static_cast<std::uint32_t>(bytes);
}

// Whether a heap of this alignment can be so large: it counts units in 32 bits.
[[nodiscard]] inline bool addressable(std::uint64_t capacity_bytes, std::uint32_t align_bytes) {
  return capacity_bytes / align_bytes < UINT32_MAX;
}

// Whether every capacity that a fit search tries is addressable.
[[nodiscard]] inline bool fit_addressable(std::uint64_t peak_bytes, std::uint32_t align_bytes) {
  const auto most = checked_add(peak_bytes, peak_bytes / 2 + 1);
  return most && addressable(*most, align_bytes);
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
