#include "small_trace.hpp"
#include <bfc/base/error.hpp>
#include <bfc/replay/fit_search.hpp>

#include <atomic>
#include <set>

#include <catch2/catch.hpp>

using bfc::replay::fit_options;
using bfc::replay::fit_result;
using bfc::replay::fit_search;
using bfc::replay::translate;
using bfc::test::make_trace;

namespace {

constexpr std::uint64_t peak = 1'024'000;  // 1/1000 of it is a multiple of the unit

fit_result search(const bfc::replay::capacity_test& succeeds, unsigned threads = 1) {
  fit_options how;
  how.thread_count = threads;
  return fit_search(peak, 256, succeeds, how);
}

// The definition itself, without any shortcut.
fit_result by_definition(const bfc::replay::capacity_test& succeeds) {
  fit_result result;
  for (std::uint64_t i = 0; i <= 500; ++i) {
    const std::uint64_t capacity = peak + i * peak / 1000;
    if (!succeeds(capacity)) {
      result.safe_capacity_bytes.reset();
      continue;
    }
    if (!result.first_capacity_bytes) result.first_capacity_bytes = capacity;
    if (!result.safe_capacity_bytes) result.safe_capacity_bytes = capacity;
  }
  return result;
}

}  // namespace

TEST_CASE("the search agrees with the definition, on any number of threads", "[replay]") {
  const std::vector<bfc::replay::capacity_test> tests{
      [](std::uint64_t) { return true; },
      [](std::uint64_t) { return false; },
      [](std::uint64_t c) { return c >= peak + 1; },
      [](std::uint64_t c) { return c >= peak * 12 / 10; },
      [](std::uint64_t c) { return c >= peak * 12 / 10 || c == peak * 11 / 10; },
      [](std::uint64_t c) { return c == peak; },
      [](std::uint64_t c) { return c == peak * 15 / 10; },
      [](std::uint64_t c) { return c != peak * 15 / 10; },
      [](std::uint64_t c) { return c != peak; },
      [](std::uint64_t c) { return c / 1024 % 3 != 0; },
  };
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const fit_result expected = by_definition(tests[i]);
    for (const unsigned threads : {1u, 2u, 5u}) {
      CAPTURE(i, threads);
      const fit_result found = search(tests[i], threads);
      CHECK(found.safe_capacity_bytes == expected.safe_capacity_bytes);
      CHECK(found.first_capacity_bytes == expected.first_capacity_bytes);
      CHECK(found.fit_ratio.has_value() == expected.safe_capacity_bytes.has_value());
      CHECK(found.first_fit_ratio.has_value() == expected.first_capacity_bytes.has_value());
    }
  }
  const fit_result r = search([](std::uint64_t c) { return c >= peak * 12 / 10; });
  CHECK(*r.fit_ratio == 1.2);
  CHECK(*r.first_fit_ratio == 1.2);
}

TEST_CASE("capacities are rounded up to the unit", "[replay]") {
  std::set<std::uint64_t> tried;
  const fit_result r =
      fit_search(1000, 256, [&](std::uint64_t c) { return tried.insert(c), true; }, {});
  CHECK(tried == std::set<std::uint64_t>{1024, 1280, 1536});
  CHECK(*r.safe_capacity_bytes == 1024);
}

TEST_CASE("a program that holds nothing has no ratio", "[replay]") {
  const fit_result r = fit_search(0, 256, [](std::uint64_t) -> bool { throw 1; }, {});
  CHECK_FALSE(r.fit_ratio.has_value());
  CHECK_FALSE(r.first_fit_ratio.has_value());
}

TEST_CASE("a grid beyond 64 bits is refused, not wrapped", "[replay]") {
  CHECK_THROWS_AS(fit_search(UINT64_MAX / 4 * 3, 256, [](std::uint64_t) { return true; }, {}),
                  bfc::error);
}

TEST_CASE("what the test throws ends the search on every thread", "[replay]") {
  for (const unsigned threads : {1u, 4u}) {
    std::atomic<int> calls{0};
    CHECK_THROWS_WITH(search(
                          [&](std::uint64_t) -> bool {
                            ++calls;
                            throw bfc::error(bfc::status::host_memory, "no more");
                          },
                          threads),
                      "no more");
    CHECK(calls <= static_cast<int>(threads));
  }
}

TEST_CASE("progress only ever grows and ends at the total", "[replay]") {
  std::uint64_t last = 0;
  fit_options how;
  how.progress = [&](std::uint64_t done, std::uint64_t total) {
    CHECK(total == 501);
    CHECK(done >= last);
    CHECK(done <= total);
    last = done;
  };
  static_cast<void>(fit_search(
      peak, 256, [](std::uint64_t c) { return c > peak * 13 / 10; }, how));
  CHECK(last == 501);
}

TEST_CASE("a trace known to need 1.5 times its peak is found to", "[replay]") {
  const auto p = translate(make_trace(bfc::test::split_holes(), 256'000));
  for (const bfc::core::coalescing policy : bfc::core::all_coalescing_policies) {
    bfc::core::heap_options heap;
    heap.policy = policy;
    const fit_result r = fit_search(p, heap);
    CHECK(r.peak_live_bytes == 1'024'000);
    CHECK(*r.safe_capacity_bytes == 1'536'000);
    CHECK(*r.fit_ratio == 1.5);
    CHECK(*r.first_fit_ratio == 1.5);
  }
}

TEST_CASE("a trace whose success is not monotone has two ratios", "[replay]") {
  const auto p = translate(make_trace(bfc::test::not_monotone(), 256'000));
  bfc::core::heap_options heap;
  heap.policy = bfc::core::coalescing::immediate;
  const fit_result r = fit_search(p, heap);
  CHECK(*r.first_fit_ratio == 1.0);
  REQUIRE(r.fit_ratio.has_value());
  // 10 of 9 units fail, so the safe capacity is above that.
  CHECK(*r.fit_ratio > 10.0 / 9);
}
