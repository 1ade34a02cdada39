#include "support/pools.hpp"
#include <bfc/base/error.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

/// The text with which a pool refuses these options; fails the test if it does not.
std::string refusal(const options& how) {
  try {
    const allocator pool(make_simulated_source(), how);
  } catch (const error& e) {
    CHECK(e.code() == status::invalid_option);
    return e.what();
  }
  FAIL_CHECK("these options were accepted");
  return {};
}

void check_names(const std::string& text, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    CAPTURE(text, name);
    CHECK(text.find(name) != std::string::npos);
  }
  CHECK(text.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("an option out of its range is refused by name, with the value given") {
  struct bad_option {
    std::string name;
    std::string value;
    std::function<void(options&)> set;
  };
  const std::vector<bad_option> all = {
      {"unit_bytes", "0", [](options& o) { o.unit_bytes = 0; }},
      {"unit_bytes", "8", [](options& o) { o.unit_bytes = 8; }},
      {"unit_bytes", "300", [](options& o) { o.unit_bytes = 300; }},
      {"unit_bytes", "4194304", [](options& o) { o.unit_bytes = 4 << 20; }},
      {"max_alignment", "0", [](options& o) { o.max_alignment = 0; }},
      {"max_alignment", "3000", [](options& o) { o.max_alignment = 3000; }},
      {"max_alignment", "134217728", [](options& o) { o.max_alignment = 128 * MiB; }},
      {"unmerged_limit_count", "0", [](options& o) { o.unmerged_limit_count = 0; }},
      {"unmerged_limit_count", "17", [](options& o) { o.unmerged_limit_count = 17; }},
      {"ratio_limit", "0", [](options& o) { o.ratio_limit = 0.0; }},
      {"ratio_limit", "1.5", [](options& o) { o.ratio_limit = 1.5; }},
      {"ratio_limit", "nan",
       [](options& o) { o.ratio_limit = std::numeric_limits<double>::quiet_NaN(); }},
  };
  for (const bad_option& bad : all) {
    options how;
    how.capacity_bytes = 64 * MiB;
    bad.set(how);
    CAPTURE(bad.name, bad.value);
    check_names(refusal(how), {bad.name, bad.value});
  }
}

TEST_CASE("two options that contradict each other are refused naming both") {
  options how;
  how.capacity_bytes = 64 * MiB;
  SECTION("a unit above the reservation's alignment") {
    how.unit_bytes = 8192;
    how.max_alignment = 4096;
    check_names(refusal(how), {"unit_bytes", "8192", "max_alignment", "4096"});
  }
  SECTION("a capacity below one aligned piece") {
    how.capacity_bytes = 1 * MiB;
    check_names(refusal(how), {"capacity_bytes", "max_alignment"});
  }
  SECTION("a limit for a policy that has none") {
    how.coalesce = core::coalescing::immediate;
    how.unmerged_limit_bytes = 1 * MiB;
    check_names(refusal(how), {"unmerged_limit_bytes", "1048576", "coalesce", "immediate"});
  }
  SECTION("a limit of blocks for a policy that has none") {
    how.coalesce = core::coalescing::ratio;
    how.unmerged_limit_count = 9;
    check_names(refusal(how), {"unmerged_limit_count", "9", "coalesce", "ratio"});
  }
  SECTION("a ratio for a policy that has none") {
    how.ratio_limit = 0.5;
    check_names(refusal(how), {"ratio_limit", "0.5", "coalesce", "threshold"});
  }
  SECTION("a limit that could never be reached") {
    how.unmerged_limit_bytes = 65 * MiB;
    check_names(refusal(how), {"unmerged_limit_bytes", "68157440", "capacity_bytes", "67108864"});
  }
  SECTION("a least automatic capacity below one aligned piece") {
    how.capacity_bytes = 0;
    how.least_capacity_bytes = 1 * MiB;
    check_names(refusal(how), {"least_capacity_bytes", "1048576", "max_alignment", "2097152"});
  }
  SECTION("more units than the bookkeeping can number") {
    how.capacity_bytes = 128 * GiB;
    how.unit_bytes = 16;
    check_names(refusal(how), {"capacity_bytes", "unit_bytes"});
  }
}

TEST_CASE("the values at the edges of the ranges are accepted") {
  options how;
  how.capacity_bytes = 128 * MiB;
  SECTION("smallest unit") {
    how.unit_bytes = 16;
  }
  SECTION("largest unit") {
    how.unit_bytes = 2 * MiB;
  }
  SECTION("alignment of one unit") {
    how.max_alignment = how.unit_bytes;
  }
  SECTION("largest alignment") {
    how.max_alignment = 64 * MiB;
  }
  SECTION("a ratio of one") {
    how.coalesce = core::coalescing::ratio;
    how.ratio_limit = 1.0;
  }
  SECTION("no history") {
    how.history_events = 0;
  }
  SECTION("no blocks expected") {
    how.expected_blocks = 0;
  }
  const auto pool = test::simulated_pool(how);
  void* p = pool->allocate(1);
  CHECK(pool->deallocate(p) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("an automatic capacity takes what the source has, less where it refuses") {
  simulated_options device;
  device.device_bytes = 1 * GiB;
  options how;
  SECTION("the source gives what it says it has") {
    const allocator pool(make_simulated_source(device), how);
    CHECK(pool.capacity_bytes() <= device.device_bytes);
    CHECK(pool.capacity_bytes() >= device.device_bytes * 9 / 10);
  }
  SECTION("the source refuses twice") {
    device.fail_calls_until = 2;
    const allocator pool(make_simulated_source(device), how);
    CHECK(pool.capacity_bytes() <= device.device_bytes * 82 / 100);
    CHECK(pool.capacity_bytes() >= device.device_bytes * 70 / 100);
  }
  SECTION("the source never gives") {
    device.fail_calls_until = UINT64_MAX;
    try {
      const allocator pool(make_simulated_source(device), how);
      FAIL_CHECK("a pool without memory was made");
    } catch (const error& e) {
      CHECK(e.code() == status::out_of_memory);
    }
  }
}

TEST_CASE("a capacity given in bytes is taken as given or refused, never made smaller") {
  simulated_options device;
  device.device_bytes = 64 * MiB;
  options how;
  how.capacity_bytes = 66 * MiB;
  CHECK_THROWS_AS(allocator(make_simulated_source(device), how), error);
  how.capacity_bytes = 63 * MiB;  // rounded down to the alignment of 2 MiB
  const allocator pool(make_simulated_source(device), how);
  CHECK(pool.capacity_bytes() == 62 * MiB);
}

TEST_CASE("a driver's error reaches the caller of the constructor") {
  simulated_options device;
  device.fail_calls_until = UINT64_MAX;
  device.failure = status::driver_error;
  options how;
  how.capacity_bytes = 64 * MiB;
  try {
    const allocator pool(make_simulated_source(device), how);
    FAIL_CHECK("a pool without memory was made");
  } catch (const error& e) {
    CHECK(e.code() == status::driver_error);
  }
}
