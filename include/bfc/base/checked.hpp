/// Arithmetic on byte counts that cannot wrap unnoticed. Layer: base.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace bfc {

[[nodiscard]] constexpr bool is_power_of_two(std::uint64_t x) noexcept {
  return x != 0 && (x & (x - 1)) == 0;  // std::has_single_bit calls libgcc on plain x86-64.
}

/// Rounds down to a multiple. Requires: `alignment` is a power of two.
[[nodiscard]] constexpr std::uint64_t align_down(std::uint64_t x,
                                                 std::uint64_t alignment) noexcept {
  return x & ~(alignment - 1);
}

/// Rounds up to a multiple. Requires: `alignment` is a power of two and the result does not wrap.
[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t x, std::uint64_t alignment) noexcept {
  return align_down(x + (alignment - 1), alignment);
}

/// Rounds up to a multiple, or nothing when that would pass 2^64 - 1.
[[nodiscard]] constexpr std::optional<std::uint64_t> checked_align_up(
    std::uint64_t x, std::uint64_t alignment) noexcept {
  if (x > UINT64_MAX - (alignment - 1)) return std::nullopt;
  return align_up(x, alignment);
}

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_multiply(std::uint64_t a,
                                                                      std::uint64_t b) noexcept {
  if (b != 0 && a > UINT64_MAX / b) return std::nullopt;
  return a * b;
}

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a,
                                                                 std::uint64_t b) noexcept {
  if (a > UINT64_MAX - b) return std::nullopt;
  return a + b;
}

}  // namespace bfc
