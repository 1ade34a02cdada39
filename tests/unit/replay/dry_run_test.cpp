#include "small_trace.hpp"
#include <bfc/base/error.hpp>
#include <bfc/replay/dry_run.hpp>

#include <catch2/catch.hpp>

using bfc::replay::dry_run;
using bfc::replay::dry_run_result;
using bfc::replay::translate;
using bfc::test::make_trace;

namespace {

bfc::core::heap_options heap_of(std::uint64_t units,
                                bfc::core::coalescing policy = bfc::core::coalescing::immediate) {
  bfc::core::heap_options how;
  how.capacity_bytes = 256 * units;
  how.policy = policy;
  how.expected_blocks = 16;
  return how;
}

}  // namespace

TEST_CASE("a dry run tells the first event that finds no place, and the state then", "[replay]") {
  const auto p = translate(make_trace(bfc::test::split_holes(), 256));
  for (const bfc::core::coalescing policy : bfc::core::all_coalescing_policies) {
    const dry_run_result tight = dry_run(p, heap_of(5, policy));
    CHECK_FALSE(tight.ok());
    CHECK(tight.code == bfc::status::out_of_memory);
    CHECK(tight.first_failure_event == 6);
    CHECK(tight.counters.live_bytes == 512);
    CHECK(tight.counters.footprint_bytes == 1024);
    const dry_run_result enough = dry_run(p, heap_of(6, policy));
    CHECK(enough.ok());
    CHECK(enough.counters.footprint_bytes == 1536);
    CHECK(enough.counters.live_bytes == 1024);
  }
}

TEST_CASE("events are counted with the empty blocks that a program leaves out", "[replay]") {
  using bfc::test::take;
  const auto p = translate(make_trace({take(0), take(256), take(0), take(256)}));
  CHECK(dry_run(p, heap_of(1)).first_failure_event == 3);
}

TEST_CASE("a larger heap can fail where a smaller one succeeds", "[replay]") {
  const auto p = translate(make_trace(bfc::test::not_monotone(), 256));
  CHECK(dry_run(p, heap_of(9)).ok());
  CHECK(dry_run(p, heap_of(10)).first_failure_event == 6);
}

TEST_CASE("a heap that cannot be is refused by name", "[replay]") {
  CHECK_THROWS_AS(dry_run(translate(make_trace({})), heap_of(0)), bfc::error);
}
