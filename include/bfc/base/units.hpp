/// Byte counts as people write and read them. Layer: base.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bfc {

inline constexpr std::uint64_t KiB = std::uint64_t{1} << 10;
inline constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
inline constexpr std::uint64_t TiB = std::uint64_t{1} << 40;

/// Reads a size: a decimal number, optionally with a fraction, then optionally one of
/// B, K, M, G, T, KB, MB, GB, TB, KiB, MiB, GiB, TiB in any case. All are powers of 1024.
/// Examples: "512", "4K", "1.5GiB".
/// Returns: the bytes, fractions of a byte rounded up.
/// Fails: throws bfc::error(status::invalid_input) naming the text, the rule and an example.
[[nodiscard]] std::uint64_t parse_size(std::string_view text);

/// Writes a size with three significant digits and a binary unit: "1.50 GiB", "512 B".
[[nodiscard]] std::string format_size(std::uint64_t bytes);

}  // namespace bfc
