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
