#include "small_trace.hpp"
#include <bfc/base/contract.hpp>
#include <bfc/replay/parked_thread.hpp>
#include <bfc/replay/timed_replay.hpp>

#include <numeric>
#include <set>

#include <catch2/catch.hpp>

using bfc::replay::timed_replay;
using bfc::replay::timing;
using bfc::replay::timing_samples;
using bfc::test::give;
using bfc::test::make_trace;
using bfc::test::take;

namespace {

// Hands out numbers and insists on getting each back exactly once.
struct counting_target {
  std::uint64_t next = 1;
  std::set<std::uint64_t> live;
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;
  int resets = 0;

  std::uint64_t allocate(std::uint64_t size) {
    ++allocations;
    bytes += size;
    live.insert(next);
    return next++;
  }
  void deallocate(std::uint64_t handle) { REQUIRE(live.erase(handle) == 1); }
  void reset() {
    CHECK(live.empty());
    ++resets;
  }
};

// Refuses everything and must be asked to free nothing but its own refusal.
struct refusing_target {
  void* allocate(std::uint64_t) { return nullptr; }
  void deallocate(void* pointer) { CHECK(pointer == nullptr); }
};

}  // namespace

TEST_CASE("every pass makes every call, frees what is left, and resets the target", "[replay]") {
  std::vector<bfc::test::small_event> events;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    events.push_back(take(i + 1));
    if (i % 3 == 0) events.push_back(give(i));
  }
  const auto p = bfc::replay::translate(make_trace(events));
  REQUIRE(p.steps.size() == 2000);  // not a multiple of the stretch
  counting_target target;
  timed_replay timer{p, target};
  timer.warm_up();
  timer.time_stretches();
  timer.time_stretches();
  timer.time_each_call();
  CHECK(target.resets == 4);
  CHECK(target.live.empty());
  CHECK(target.allocations == 6000);
  CHECK(target.bytes == 4'503'000);
  const timing t = timer.result();
  CHECK(t.stretch_passes == 2);
  CHECK(t.call_passes == 1);
  CHECK(t.ns_per_op_median > 0);
  CHECK(t.p50_ns <= t.p99_ns);
  CHECK(t.p99_ns <= t.p999_ns);
  CHECK(t.p999_ns <= t.max_ns);
  CHECK(t.max_ns > 0);
}

TEST_CASE("refusals pass through the timed loop without a check", "[replay]") {
  const auto p = bfc::replay::translate(make_trace({take(8), take(8), give(0)}));
  refusing_target target;
  timed_replay timer{p, target};
  timer.time_stretches();
  timer.time_each_call();
}

TEST_CASE("an empty program has no times", "[replay]") {
  const auto p = bfc::replay::translate(make_trace({}));
  counting_target target;
  timed_replay timer{p, target};
  timer.time_stretches();
  timer.time_each_call();
  CHECK(timer.result().ns_per_op_median == 0);
  CHECK(timer.result().max_ns == 0);
}

TEST_CASE("a stretch counts with its median over the passes, a slow one for all it took",
          "[replay]") {
  timing_samples samples(1024);  // two stretches
  samples.add_stretch_pass({5120, 51200});
  samples.add_stretch_pass({5120, 51200});
  samples.add_stretch_pass({999'999, 40'000});  // interrupted in the first stretch
  CHECK(samples.summarise().ns_per_op_median == Approx((5120.0 + 51200.0) / 1024));
  samples.add_stretch_pass({7120, 51200});  // an even number: the middle two are averaged
  CHECK(samples.summarise().ns_per_op_median == Approx((6120.0 + 51200.0) / 1024));
}

TEST_CASE("percentiles are nearest ranks of all calls, less the clock's own cost", "[replay]") {
  const std::uint64_t overhead = bfc::replay::tick_clock::overhead_ticks();
  const double scale = bfc::replay::tick_clock::ns_per_tick();
  std::vector<std::uint32_t> ticks(1000);
  std::iota(ticks.begin(), ticks.end(), static_cast<std::uint32_t>(overhead + 1));
  timing_samples samples(1000);
  samples.add_call_pass(ticks);
  const timing t = samples.summarise();
  CHECK(t.p50_ns == Approx(500 * scale));
  CHECK(t.p99_ns == Approx(990 * scale));
  CHECK(t.p999_ns == Approx(999 * scale));
  CHECK(t.max_ns == Approx(1000 * scale));
  CHECK(t.timer_overhead_ns == Approx(static_cast<double>(overhead) * scale));
  CHECK_THROWS_AS(samples.add_call_pass({1, 2}), bfc::contract_violation);
}

TEST_CASE("a parked thread comes and goes", "[replay]") {
  for (int i = 0; i < 20; ++i) const bfc::replay::parked_thread second;
}
