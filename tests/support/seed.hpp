/// Seeds for random tests: fresh on every run, printed, and replayed from the environment.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace bfc::test {

/// The number in an environment variable, or `otherwise`.
inline std::uint64_t number_from_environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 0);
}

/// BFC_TEST_SEED, or a fresh seed. Printed at once, because a crash prints nothing later.
inline std::uint64_t announce_seed(const char* test) {
  std::random_device entropy;
  const std::uint64_t fresh = (std::uint64_t{entropy()} << 32) | entropy();
  const std::uint64_t seed = number_from_environment("BFC_TEST_SEED", fresh);
  std::printf("%s: BFC_TEST_SEED=%llu\n", test, static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

/// A small, fast generator whose sequence is the same with every standard library.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  /// splitmix64 (Steele, Lea, Flood 2014).
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound). Requires: bound > 0. The bias is below 2^-20 for bounds below 2^44.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  /// Uniform in [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return high - low == UINT64_MAX ? next() : low + below(high - low + 1);
  }

  /// True once in `n` on average.
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  /// In [1, high], every power of two about equally often.
  std::uint64_t log_uniform(std::uint64_t high) {
    unsigned bits = 0;
    while (bits < 63 && (high >> (bits + 1)) != 0) ++bits;
    const std::uint64_t low = std::uint64_t{1} << below(bits + 1);
    const std::uint64_t top = low > high / 2 ? high : 2 * low - 1;
    return between(low, top);
  }

 private:
  std::uint64_t state_;
};

}  // namespace bfc::test
