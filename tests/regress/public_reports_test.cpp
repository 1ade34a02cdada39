// Instructive public reports against other allocators, each as a property of this one.
#include "support/heaps.hpp"
#include "support/pools.hpp"
#include <bfc/core/heap.hpp>
#include <bfc/source/source.hpp>

#include <atomic>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

using test::check_all_space_is_one_block;
using test::check_valid;
using test::give_back;
using test::take;
using test::try_take;

core::heap_options heap_of_units(std::uint64_t units, std::uint32_t unit) {
  return test::heap_of(units * unit, unit, test::each_policy());
}

}  // namespace

TEST_CASE("XLA PR 48533: sizes near SIZE_MAX never round to a tiny block") {
  const auto pool = test::simulated_pool(test::small_options(1 * MiB));
  const std::pair<std::size_t, std::size_t> requests[] = {
      {SIZE_MAX, 0},          {SIZE_MAX - 10, 0},      {std::size_t{1} << 63, 0},
      {SIZE_MAX - 255, 4096}, {SIZE_MAX - 4096, 4096}, {SIZE_MAX / 2 + 1, 256}};
  for (const auto& [bytes, alignment] : requests) {
    request_options how;
    how.alignment = alignment;
    const allocation got = pool->try_allocate(bytes, how);
    CAPTURE(bytes, alignment);
    CHECK((got.code == status::invalid_size || got.code == status::out_of_memory));
    CHECK(got.pointer == nullptr);
    check_valid(*pool);
  }
  CHECK(pool->statistics().rounded_bytes.current == 0);
  const allocation small = pool->try_allocate(256);
  CHECK(small.code == status::ok);
  CHECK(pool->deallocate(small.pointer) == status::ok);
  check_all_space_is_one_block(*pool);
}

TEST_CASE("XLA PR 47082: backing off ends although every step is rounded up again") {
  simulated_options failing;
  failing.fail_calls_until = UINT64_MAX;
  const auto from = make_simulated_source(failing);
  // Nine tenths of 2048 round back to 2048 at a granule of 512 if rounded up.
  const backoff_result small = reserve_with_backoff(*from, 2048, 512, 512, 512);
  CHECK(small.code == status::out_of_memory);
  CHECK(small.attempts >= 1);
  CHECK(small.attempts <= 4);
  const backoff_result single = reserve_with_backoff(*from, 512, 512, 512, 512);
  CHECK(single.code == status::out_of_memory);
  CHECK(single.attempts == 1);
  const backoff_result large =
      reserve_with_backoff(*from, std::size_t{1} << 40, 2 * MiB, 2 * MiB, 2 * MiB);
  CHECK(large.code == status::out_of_memory);
  CHECK(large.attempts <= 200);
}

TEST_CASE("XLA PR 47082: a pool on a source that always fails is refused after bounded calls") {
  simulated_options failing;
  failing.fail_calls_until = UINT64_MAX;
  CHECK_THROWS(allocator(make_simulated_source(failing), options{}));
}

TEST_CASE("TensorFlow 25474: each misuse has its own status, changes nothing and ends no process") {
  const auto pool = test::simulated_pool(test::small_options(1 * MiB));
  const auto other = test::simulated_pool(test::small_options(1 * MiB));
  void* freed = pool->allocate(1024);
  void* wall = pool->allocate(256);
  void* kept = pool->allocate(1024);
  void* elsewhere = other->allocate(1024);
  int on_the_stack = 0;
  REQUIRE(pool->deallocate(freed) == status::ok);
  const auto live_before = pool->statistics().rounded_bytes.current;

  const status codes[] = {
      pool->deallocate(freed),         pool->deallocate(test::as_bytes(kept) + 256),
      pool->deallocate(&on_the_stack), pool->deallocate(kept, 1000),
      pool->deallocate(elsewhere),
  };
  CHECK(codes[0] == status::double_free);
  CHECK(codes[1] == status::interior_pointer);
  CHECK(codes[2] == status::foreign_pointer);
  CHECK(codes[3] == status::wrong_size);
  CHECK(codes[4] == status::wrong_pool);
  CHECK(std::set<status>(std::begin(codes), std::end(codes)).size() == 5);

  const pointer_report first_free = pool->explain(freed);
  CHECK(first_free.code == status::double_free);
  CHECK(first_free.freed_by_event == 4);  // three allocations, then the free
  CHECK(first_free.freed_by_thread > 0);

  CHECK(pool->statistics().rounded_bytes.current == live_before);
  CHECK(pool->statistics().rejected_count == 5);
  check_valid(*pool);
  CHECK(pool->deallocate(kept, 1024) == status::ok);
  CHECK(pool->deallocate(wall) == status::ok);
  check_all_space_is_one_block(*pool);

  CHECK(other->close() == 1);
  CHECK(other->deallocate(elsewhere) == status::closed);
}

TEST_CASE("CuPy PR 1165: emptying a thousand size bins leaves no free block behind") {
  core::heap h(heap_of_units(16384, 512));
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> walls;
  for (std::uint64_t bin = 1; bin <= 128; ++bin) {
    offsets.push_back(take(h, bin * 512));
    walls.push_back(take(h, 512));  // so that every size stays a hole of its own
  }
  for (const std::uint64_t offset : offsets) give_back(h, offset);
  CHECK(h.take_snapshot().free_blocks >= 128);
  for (const std::uint64_t wall : walls) give_back(h, wall);  // every bin empties in merges
  h.coalesce();
  check_all_space_is_one_block(h);
  const std::uint64_t piece = take(h, 512);
  const std::uint64_t large = take(h, MiB);
  give_back(h, large);
  h.coalesce();
  CHECK(h.release(piece).code == status::ok);
  check_all_space_is_one_block(h);
}

TEST_CASE("CuPy 2074: an out-of-memory callback may free and allocate") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  std::vector<void*> cached;
  for (int i = 0; i < 16; ++i) cached.push_back(pool->allocate(4 * KiB));
  unsigned calls = 0;
  void* taken_inside = nullptr;
  pool->add_out_of_memory_callback([&](const out_of_memory_report& report) {
    ++calls;
    CHECK(report.requested_bytes == 36 * KiB);
    if (calls > 1) return false;
    for (int i = 0; i < 10; ++i) {
      CHECK(pool->deallocate(cached.back()) == status::ok);
      cached.pop_back();
    }
    taken_inside = pool->allocate(4 * KiB);
    return true;
  });
  void* large = pool->allocate(36 * KiB);
  CHECK(calls == 1);
  CHECK(large != nullptr);
  check_valid(*pool);
  cached.push_back(large);
  cached.push_back(taken_inside);
  CHECK(pool->deallocate_batch(cached) == status::ok);
  check_all_space_is_one_block(*pool);
}

TEST_CASE("CuPy PR 105: threads allocate and free while one merges all the time") {
  const auto pool = test::simulated_pool(test::small_options(4 * MiB));
  std::atomic<bool> stop{false};
  std::thread merging([&] {
    while (!stop.load(std::memory_order_relaxed)) pool->coalesce();
  });
  std::vector<std::thread> workers;
  std::atomic<unsigned> failures{0};
  for (std::size_t t = 0; t < 8; ++t) {
    workers.emplace_back([&, t] {
      std::vector<void*> mine;
      for (std::size_t i = 0; i < 500; ++i) {
        const allocation got = pool->try_allocate(256 * (1 + (i * 7 + t) % 40));
        if (got) mine.push_back(got.pointer);
        if (mine.size() < 8 && i + 1 < 500) continue;
        for (void* p : mine) failures += pool->deallocate(p) != status::ok;
        mine.clear();
      }
    });
  }
  for (std::thread& w : workers) w.join();
  stop = true;
  merging.join();
  CHECK(failures == 0);
  CHECK(pool->statistics().blocks.current == 0);
  check_all_space_is_one_block(*pool);
}

TEST_CASE(
    "OffsetAllocator PR 14: a request that fits the empty space is served whatever its size") {
  core::heap h(heap_of_units(699050, 256));
  const std::uint64_t offset = take(h, 664908 * std::uint64_t{256});
  CHECK(h.largest_available() == (699050 - 664908) * std::uint64_t{256});
  give_back(h, offset);
  check_all_space_is_one_block(h);
}

TEST_CASE("OffsetAllocator PR 11: 255 and then 67 units fit into 324 without overlap") {
  core::heap h(heap_of_units(324, 256));
  const std::uint64_t a = take(h, 255 * 256);
  const std::uint64_t b = take(h, 67 * 256);
  CHECK((a + 255 * 256 <= b || b + 67 * 256 <= a));
  check_valid(h);
  const std::uint64_t c = take(h, 2 * 256);
  CHECK(try_take(h, 1).code == status::out_of_memory);
  for (const std::uint64_t offset : {a, b, c}) give_back(h, offset);
  check_all_space_is_one_block(h);
}

TEST_CASE("OffsetAllocator issue 3: one block more than prepared for is no limit") {
  core::heap_options how = heap_of_units(4096, 256);
  how.expected_blocks = 16;
  core::heap h(how);
  for (std::uint64_t i = 0; i < 4096; ++i) CHECK(take(h, 256) == i * 256);
  CHECK(try_take(h, 1).code == status::out_of_memory);
  check_valid(h);
  for (std::uint64_t i = 0; i < 4096; ++i) give_back(h, i * 256);
  check_all_space_is_one_block(h);
}

TEST_CASE("VulkanMemoryAllocator 231: 576, 648, free the first, then 720") {
  const std::uint32_t unit = GENERATE(16u, 256u);
  core::heap h(heap_of_units(48 * MiB / unit, unit));
  const std::uint64_t first = take(h, 576);
  const std::uint64_t second = take(h, 648);
  give_back(h, first);
  check_valid(h);
  const std::uint64_t third = take(h, 720);
  check_valid(h);
  CHECK((third + 720 <= second || second + 648 <= third));
  give_back(h, second);
  give_back(h, third);
  check_all_space_is_one_block(h);
}

TEST_CASE("VulkanMemoryAllocator 276: three blocks freed second, first, third leave one hole") {
  const std::uint32_t unit = GENERATE(16u, 256u);
  core::heap h(heap_of_units(48 * MiB / unit, unit));
  const std::uint64_t blocks[] = {take(h, 576), take(h, 648), take(h, 720)};
  for (const std::size_t i : {1u, 0u, 2u}) give_back(h, blocks[i]);
  check_all_space_is_one_block(h);
}

TEST_CASE(
    "Umpire 906: a repeated pattern merges and asks the driver no more after its first round") {
  options how = test::small_options(64 * KiB);
  how.coalesce = test::each_policy();
  const auto pool = test::simulated_pool(how);
  const auto round = [&] {
    void* a = pool->allocate(1032);
    void* b = pool->allocate(1032);
    CHECK(pool->deallocate(a) == status::ok);
    CHECK(pool->deallocate(b) == status::ok);
  };
  round();
  const statistics after_first = pool->statistics();
  for (int i = 0; i < 4; ++i) {
    round();
    CHECK(pool->statistics().coalesce_count == after_first.coalesce_count);
  }
  CHECK(pool->driver_calls_after_start() == 0);
  check_all_space_is_one_block(*pool);
}

TEST_CASE("Umpire 846: a merge that a free sets off ends, and one pass does all of it") {
  core::heap_options how;
  how.capacity_bytes = 1 * MiB;
  how.policy = core::coalescing::threshold;
  how.trigger.unmerged_limit_count = 1;
  how.trigger.window_frees = 1;
  core::heap h(how);
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 64; ++i) offsets.push_back(take(h, 1032));
  for (const std::uint64_t offset : offsets) {
    const std::uint64_t passes = h.counters().coalesce_passes;
    give_back(h, offset);
    CHECK(h.counters().coalesce_passes <= passes + 1);
  }
  check_all_space_is_one_block(h);
}
