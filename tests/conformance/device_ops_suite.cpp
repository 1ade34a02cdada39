#include "device_ops_suite.hpp"

#include <bfc/base/units.hpp>
#include <bfc/cuda/device_ops.hpp>

#include <cstdint>

#include <catch2/catch.hpp>

namespace bfc::test {

void check_device_ops(bfc::source& where) {
  const auto ops = cuda::make_device_ops(where);
  constexpr std::size_t room = 8 * MiB;
  const range_result held = where.reserve(room, 256);
  REQUIRE(held.code == status::ok);
  std::byte* const base = held.range.base;
  std::uint64_t mismatches = 99;

  const auto expect = [&](const std::byte* block, std::size_t bytes, std::uint64_t seed,
                          std::uint64_t wanted) {
    INFO("block at +" << (block - base) << ", " << bytes << " bytes, seed " << seed);
    REQUIRE(ops->check(block, bytes, seed, mismatches) == status::ok);
    CHECK(mismatches == wanted);
  };

  // Every length of tail at every position of a word, and lengths past one pass of a grid.
  for (const std::size_t shift : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    for (const std::size_t bytes : {0U, 1U, 7U, 8U, 9U, 15U, 16U, 17U, 63U, 255U, 4095U}) {
      REQUIRE(ops->fill(base + shift, bytes, 1000 + bytes) == status::ok);
      expect(base + shift, bytes, 1000 + bytes, 0);
    }
  }
  REQUIRE(ops->fill(base, room, 1) == status::ok);
  expect(base, room, 1, 0);

  // Another seed, or the pattern begun elsewhere, agrees in no word.
  expect(base, room, 2, room / 8);
  expect(base + 8, room - 8, 1, room / 8 - 1);
  expect(base + 1, 4093, 1, 512);

  // A block written over a part of another is seen, by exactly the words it took.
  REQUIRE(ops->fill(base + 4096, 100, 5) == status::ok);
  expect(base, room, 1, 13);
  expect(base, 4096, 1, 0);
  expect(base + 4096, 100, 5, 0);

  // Nothing is written outside the block.
  REQUIRE(ops->fill(base, room, 1) == status::ok);
  REQUIRE(ops->fill(base + 1024, 13, 6) == status::ok);
  expect(base, 1024, 1, 0);
  expect(base, room, 1, 2);

  CHECK(where.release(held.range) == status::ok);
}

}  // namespace bfc::test
