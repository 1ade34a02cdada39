#include "small_trace.hpp"
#include "support/seed.hpp"
#include <bfc/base/error.hpp>
#include <bfc/replay/peak_live.hpp>
#include <bfc/replay/program.hpp>

#include <set>

#include <catch2/catch.hpp>

using bfc::replay::live_peak;
using bfc::replay::peak_live;
using bfc::replay::program;
using bfc::replay::translate;
using bfc::test::give;
using bfc::test::make_trace;
using bfc::test::take;

TEST_CASE("a program leaves out empty blocks with their frees, and numbers the others anew",
          "[replay]") {
  const program p = translate(make_trace({take(0), take(8), give(0), take(0), take(9), give(1)}));
  REQUIRE(p.steps.size() == 3);
  CHECK(p.zero_sized_count == 2);
  CHECK(p.block_count == 2);
  CHECK(p.steps[0].size_bytes == 8);
  CHECK(p.steps[0].block == 0);
  CHECK(p.steps[1].size_bytes == 9);
  CHECK(p.steps[1].block == 1);
  CHECK(p.steps[2].is_free());
  CHECK(p.steps[2].block == 0);
  CHECK(p.event_of_step == std::vector<std::uint32_t>{1, 4, 5});
  CHECK(p.leftover_blocks == std::vector<std::uint32_t>{1});
  CHECK(p.leftover_slots == std::vector<std::uint32_t>{p.steps[1].slot});
}

TEST_CASE("live blocks never share a slot, and there are no more slots than live blocks",
          "[replay]") {
  bfc::test::random_source random(bfc::test::announce_seed("slots"));
  std::vector<bfc::test::small_event> events;
  std::vector<std::uint64_t> live;
  std::uint64_t blocks = 0;
  for (int i = 0; i < 5000; ++i) {
    if (!live.empty() && random.one_in(2)) {
      const std::size_t which = random.below(live.size());
      events.push_back(give(live[which]));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    } else {
      events.push_back(take(random.between(1, 1000)));
      live.push_back(blocks++);
    }
  }
  const program p = translate(make_trace(events));
  std::set<std::uint32_t> taken;
  for (const bfc::replay::step& s : p.steps) {
    REQUIRE(s.slot < p.slot_count);
    if (s.is_free()) {
      REQUIRE(taken.erase(s.slot) == 1);
    } else {
      REQUIRE(taken.insert(s.slot).second);
    }
  }
  CHECK(taken == std::set<std::uint32_t>(p.leftover_slots.begin(), p.leftover_slots.end()));
  CHECK(p.slot_count == peak_live(p, 1).block_count);
}

TEST_CASE("events that are no sound trace are refused with the event's number", "[replay]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(translate(make_trace({take(8), give(0), give(0)})),
                    Contains("small: event 2: it frees a block that is not live"));
  CHECK_THROWS_WITH(translate(make_trace({take(8), give(1)})), Contains("event 1"));
  bfc::trace::trace twice = make_trace({take(8), take(8)});
  twice.events[1].block = 0;
  CHECK_THROWS_WITH(translate(twice), Contains("event 1: it allocates a block number a second"));
}

TEST_CASE("the three peaks are told apart, each with the first step that reaches it", "[replay]") {
  // Requested: 500 at step 1. Rounded to 256: 3 x 256 at step 4. Blocks: 3 at step 4.
  const program p = translate(
      make_trace({take(250), take(250), give(0), take(10), take(10), give(1), give(2), give(3)}));
  const live_peak by_256 = peak_live(p, 256);
  CHECK(by_256.requested_bytes == 500);
  CHECK(by_256.requested_step == 1);
  CHECK(by_256.rounded_bytes == 768);
  CHECK(by_256.rounded_step == 4);
  CHECK(by_256.block_count == 3);
  CHECK(by_256.block_step == 4);
  CHECK(peak_live(p, 1).rounded_bytes == 500);
}

TEST_CASE("live bytes beyond 64 bits are refused, not wrapped", "[replay]") {
  const std::uint64_t huge = INT64_MAX;
  const program p = translate(make_trace({take(huge), take(huge), take(huge)}));
  CHECK_THROWS_AS(peak_live(p, 256), bfc::error);
}
