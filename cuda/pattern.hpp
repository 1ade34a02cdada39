// The pattern of a block, one word at a time: the same code in a host loop and in a kernel.
// Layer: cuda, private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define BFC_HOST_DEVICE __host__ __device__
#else
#define BFC_HOST_DEVICE
#endif

namespace bfc::cuda {

inline constexpr std::size_t word_bytes = 8;

/// The words of one block's pattern.
class pattern {
 public:
  // Seeds are often 1, 2, 3, ...: spread them first, or the pattern of one block would be that of
  // the next, shifted by a word, and an overlap could go unseen.
  BFC_HOST_DEVICE explicit constexpr pattern(std::uint64_t seed) noexcept : start_(spread(seed)) {}

  // Additions and shifts only, so that filling runs at the speed of the memory.
  [[nodiscard]] BFC_HOST_DEVICE constexpr std::uint64_t word(std::uint64_t i) const noexcept {
    const std::uint64_t x = start_ + i * 0x9e3779b97f4a7c15U;
    return x ^ (x >> 29U);
  }

 private:
  // The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
  // generators, 2014).
  BFC_HOST_DEVICE static constexpr std::uint64_t spread(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }

  std::uint64_t start_;
};

/// The number of words of a block, a partial last one included.
[[nodiscard]] BFC_HOST_DEVICE constexpr std::uint64_t word_count(std::size_t bytes) noexcept {
  return bytes / word_bytes + (bytes % word_bytes != 0 ? 1 : 0);
}

/// Byte `k` of a word in memory order, which is the low byte first on every supported machine.
[[nodiscard]] BFC_HOST_DEVICE constexpr std::byte byte_of(std::uint64_t word,
                                                          std::size_t k) noexcept {
  return static_cast<std::byte>(static_cast<unsigned char>(word >> (8 * k)));
}

/// Where a block's words can be accessed as words: a block that does not begin at a multiple of
/// eight, and the bytes after its last whole word, go byte by byte (a device faults at a misaligned
/// word).
[[nodiscard]] BFC_HOST_DEVICE inline std::uint64_t whole_words(const std::byte* block,
                                                               std::size_t bytes) noexcept {
  const bool aligned = reinterpret_cast<std::uintptr_t>(block) % word_bytes == 0;
  return aligned ? bytes / word_bytes : 0;
}
[[nodiscard]] BFC_HOST_DEVICE constexpr std::size_t bytes_of_word(std::size_t bytes,
                                                                  std::uint64_t i) noexcept {
  const std::size_t left = bytes - i * word_bytes;
  return left < word_bytes ? left : word_bytes;
}

/// Writes word i of a block. `whole` below whole_words(), `bytewise` anywhere.
struct fill_word {
  std::byte* block;
  std::size_t bytes;
  pattern expected;

  BFC_HOST_DEVICE void whole(std::uint64_t i) const noexcept {
    reinterpret_cast<std::uint64_t*>(block)[i] = expected.word(i);
  }
  BFC_HOST_DEVICE void bytewise(std::uint64_t i) const noexcept {
    std::byte* const at = block + i * word_bytes;
    for (std::size_t k = 0, n = bytes_of_word(bytes, i); k < n; ++k) {
      at[k] = byte_of(expected.word(i), k);
    }
  }
};

/// 1 when word i of a block differs from the pattern, else 0.
struct word_differs {
  const std::byte* block;
  std::size_t bytes;
  pattern expected;

  [[nodiscard]] BFC_HOST_DEVICE unsigned whole(std::uint64_t i) const noexcept {
    return reinterpret_cast<const std::uint64_t*>(block)[i] != expected.word(i) ? 1U : 0U;
  }
  [[nodiscard]] BFC_HOST_DEVICE unsigned bytewise(std::uint64_t i) const noexcept {
    const std::byte* const at = block + i * word_bytes;
    unsigned differs = 0;
    for (std::size_t k = 0, n = bytes_of_word(bytes, i); k < n; ++k) {
      differs |= at[k] != byte_of(expected.word(i), k) ? 1U : 0U;
    }
    return differs;
  }
};

}  // namespace bfc::cuda
