#include <bfc/base/checked.hpp>

#include <catch2/catch.hpp>

namespace {
constexpr std::uint64_t most = UINT64_MAX;
}

TEST_CASE("rounding up to a multiple is refused exactly when it would wrap") {
  CHECK(bfc::checked_align_up(0, 256) == 0U);
  CHECK(bfc::checked_align_up(1, 256) == 256U);
  CHECK(bfc::checked_align_up(256, 256) == 256U);
  CHECK(bfc::checked_align_up(most, 1) == most);
  CHECK(bfc::checked_align_up(most - 255, 256) == most - 255);
  CHECK_FALSE(bfc::checked_align_up(most - 254, 256));
  CHECK_FALSE(bfc::checked_align_up(most, 256));
  CHECK_FALSE(bfc::checked_align_up(2, std::uint64_t{1} << 63) == std::nullopt);
  CHECK_FALSE(bfc::checked_align_up((std::uint64_t{1} << 63) + 1, std::uint64_t{1} << 63));
}

TEST_CASE("a product is refused exactly when it passes 2^64 - 1") {
  CHECK(bfc::checked_multiply(0, most) == 0U);
  CHECK(bfc::checked_multiply(most, 0) == 0U);
  CHECK(bfc::checked_multiply(most, 1) == most);
  CHECK(bfc::checked_multiply(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1) ==
        most - ((std::uint64_t{1} << 32) - 1));
  CHECK_FALSE(bfc::checked_multiply(std::uint64_t{1} << 32, std::uint64_t{1} << 32));
  CHECK_FALSE(bfc::checked_multiply(most, 2));
}

TEST_CASE("a sum is refused exactly when it passes 2^64 - 1") {
  CHECK(bfc::checked_add(most, 0) == most);
  CHECK(bfc::checked_add(most - 1, 1) == most);
  CHECK_FALSE(bfc::checked_add(most, 1));
  CHECK_FALSE(bfc::checked_add(std::uint64_t{1} << 63, std::uint64_t{1} << 63));
}

TEST_CASE("powers of two are the numbers with one bit") {
  CHECK_FALSE(bfc::is_power_of_two(0));
  CHECK(bfc::is_power_of_two(1));
  CHECK_FALSE(bfc::is_power_of_two(3));
  CHECK(bfc::is_power_of_two(std::uint64_t{1} << 63));
  CHECK(bfc::align_down(1023, 256) == 768U);
  CHECK(bfc::align_down(1024, 256) == 1024U);
}
