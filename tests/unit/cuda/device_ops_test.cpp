#include <bfc/base/error.hpp>
#include <bfc/cuda/device_ops.hpp>
#include <bfc/source/host_source.hpp>
#include <bfc/source/simulated_source.hpp>

#include <conformance/device_ops_suite.hpp>
#include <pattern.hpp>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using bfc::status;

TEST_CASE("host memory is filled and checked word by word") {
  const auto host = bfc::make_host_source();
  bfc::test::check_device_ops(*host);
}

TEST_CASE("the pattern in memory is the documented one, low byte first") {
  const auto host = bfc::make_host_source();
  const auto ops = bfc::cuda::make_device_ops(*host);
  const auto held = host->reserve(64, 64);
  REQUIRE(held.code == status::ok);
  for (const std::size_t shift : {0U, 1U, 5U}) {  // also for blocks between word borders
    constexpr std::size_t bytes = 29;
    std::byte* const block = held.range.base + shift;
    REQUIRE(ops->fill(block, bytes, 7) == status::ok);
    const bfc::cuda::pattern expected(7);
    for (std::size_t i = 0; i < bytes; ++i) {
      CHECK(block[i] == static_cast<std::byte>((expected.word(i / 8) >> (8 * (i % 8))) & 0xffU));
    }
    CHECK(block[bytes] != bfc::cuda::byte_of(expected.word(bytes / 8), bytes % 8));
  }
  CHECK(host->release(held.range) == status::ok);
}

TEST_CASE("neighbouring seeds give patterns that share no word, shifted or not") {
  std::set<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const bfc::cuda::pattern block(seed);
    for (std::uint64_t i = 0; i < 256; ++i) words.insert(block.word(i));
  }
  CHECK(words.size() == 64U * 256U);
}

TEST_CASE("memory that cannot be touched has no operations, and the refusal says which") {
  const auto sim = bfc::make_simulated_source();
  try {
    (void)bfc::cuda::make_device_ops(*sim);
    FAIL("nothing was thrown");
  } catch (const bfc::error& e) {
    CHECK(e.code() == status::unavailable);
    CHECK(std::string(e.what()).find("\"sim\"") != std::string::npos);
  }
}
