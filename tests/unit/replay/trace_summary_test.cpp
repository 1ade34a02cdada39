#include "small_trace.hpp"
#include <bfc/base/error.hpp>
#include <bfc/replay/trace_summary.hpp>

#include <catch2/catch.hpp>

using bfc::replay::summarise;
using bfc::replay::trace_summary;
using bfc::test::give;
using bfc::test::make_trace;
using bfc::test::take;

TEST_CASE("a small trace is summed up as by hand", "[replay]") {
  bfc::trace::trace t = make_trace({take(100), take(100), take(0), give(0), take(127), take(128),
                                    give(3), give(1), give(2), take(64)});
  t.events[4].thread = 7;
  const trace_summary s = summarise(t);
  CHECK(s.event_count == 10);
  CHECK(s.allocation_count == 6);
  CHECK(s.free_count == 4);
  CHECK(s.thread_count == 2);
  CHECK(s.duration_us == 90);
  CHECK(s.total_bytes == 100 + 100 + 127 + 128 + 64);
  CHECK(s.largest_bytes == 128);
  CHECK(s.distinct_size_count == 5);
  CHECK(s.zero_sized_count == 1);
  REQUIRE(s.sizes.size() == 3);
  CHECK(s.sizes[0].least_bytes == 0);
  CHECK(s.sizes[0].allocation_count == 1);
  CHECK(s.sizes[1].least_bytes == 64);
  CHECK(s.sizes[1].allocation_count == 4);
  CHECK(s.sizes[1].total_bytes == 391);
  CHECK(s.sizes[2].least_bytes == 128);
  CHECK(s.peak.requested_bytes == 355);
  CHECK(s.peak_event == 5);
  CHECK(s.peak_time_us == 50);
  CHECK(s.peak.block_count == 3);
  CHECK(s.peak_block_event == 5);
  // Lifetimes in events: block 0: 3, block 3: 2, block 1: 6, block 2: 6.
  CHECK(s.lifetime_events == bfc::replay::lifetime_percentiles{2, 2, 3, 6, 6, 6});
  CHECK(s.lifetime_us == bfc::replay::lifetime_percentiles{20, 20, 30, 60, 60, 60});
  CHECK(s.leaked_block_count == 2);
  CHECK(s.leaked_bytes == 128 + 64);
}

TEST_CASE("nothing, and nothing but empty blocks, can be summed up", "[replay]") {
  CHECK(summarise(make_trace({})).event_count == 0);
  const trace_summary s = summarise(make_trace({take(0), give(0)}));
  CHECK(s.event_count == 2);
  CHECK(s.peak.requested_bytes == 0);
  CHECK(s.leaked_block_count == 0);
}

TEST_CASE("sizes that add up beyond 64 bits are refused, not wrapped", "[replay]") {
  const std::uint64_t huge = INT64_MAX;
  CHECK_THROWS_AS(
      summarise(make_trace({take(huge), give(0), take(huge), give(1), take(huge), give(2)})),
      bfc::error);
}
