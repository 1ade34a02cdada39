#include "support/seed.hpp"
#include "trace_text.hpp"
#include <bfc/trace/trace.hpp>

#include <catch2/catch.hpp>

namespace {

bfc::trace::trace random_trace(bfc::test::random_source& random) {
  bfc::trace::trace t;
  std::vector<std::uint32_t> live;
  std::uint64_t now = 0;
  const std::uint64_t count = random.between(1, 3000);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (random.one_in(3)) now += random.log_uniform(std::uint64_t{1} << 40);
    const auto thread =
        static_cast<std::uint32_t>(random.one_in(50) ? random.next() : random.below(4));
    if (!live.empty() && random.one_in(2)) {
      const std::size_t which = random.below(live.size());
      t.events.push_back({live[which], thread, -1, now});
      live[which] = live.back();
      live.pop_back();
    } else {
      const std::uint64_t size = random.one_in(20) ? 0 : random.log_uniform(INT64_MAX);
      const auto block = static_cast<std::uint32_t>(t.block_count++);
      t.events.push_back({block, thread, static_cast<std::int64_t>(size), now});
      live.push_back(block);
    }
  }
  return t;
}

}  // namespace

TEST_CASE("parsing what was printed gives the same trace", "[trace]") {
  bfc::test::random_source random(bfc::test::announce_seed("round_trip"));
  for (int i = 0; i < 100; ++i) {
    const bfc::trace::trace before = random_trace(random);
    const bfc::trace::trace after = bfc::trace::parse_tsv(bfc::test::print_tsv(before), "t");
    REQUIRE(after.events.size() == before.events.size());
    for (std::size_t k = 0; k < before.events.size(); ++k) {
      REQUIRE(after.events[k].block == before.events[k].block);
      REQUIRE(after.events[k].thread == before.events[k].thread);
      REQUIRE(after.events[k].size_bytes == before.events[k].size_bytes);
      REQUIRE(after.events[k].time_us == before.events[k].time_us);
    }
    REQUIRE(after.block_count == before.block_count);
    REQUIRE(after.unknown_frees == 0);
    REQUIRE(after.reissued_pointers == 0);
    REQUIRE_FALSE(after.truncated);
  }
}
