/// What the fuzzers feed: one function per input format. Shared with the corpus test, so that
/// every input once kept stays checked in an ordinary build.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace bfc::fuzz {

/// Each returns what is wrong, for people; empty when nothing is.
[[nodiscard]] std::string check_steps(std::span<const std::uint8_t> input);
[[nodiscard]] std::string check_trace(std::span<const std::uint8_t> input);

}  // namespace bfc::fuzz
