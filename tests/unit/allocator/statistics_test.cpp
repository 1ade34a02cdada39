#include "support/pools.hpp"
#include <bfc/allocator/statistics.hpp>
#include <bfc/allocator/tag.hpp>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

void check_gauge(const gauge& g, std::uint64_t current, std::uint64_t peak, std::uint64_t total) {
  CHECK(g.current == current);
  CHECK(g.peak == peak);
  CHECK(g.total == total);
}

const tag_statistics* find(const statistics& s, core::tag_id tag) {
  const auto it = std::find_if(s.tags.begin(), s.tags.end(),
                               [&](const tag_statistics& t) { return t.tag == tag; });
  return it == s.tags.end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("a new pool has taken and refused nothing") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const statistics s = pool->statistics();
  CHECK(s.capacity_bytes == 64 * KiB);
  CHECK(s.free_bytes == 64 * KiB);
  CHECK(s.free_blocks == 1);
  CHECK(s.largest_free_bytes == 64 * KiB);
  CHECK(s.footprint_bytes == 0);
  CHECK(s.event_count == 0);
  CHECK(s.tags.empty());
  check_gauge(s.rounded_bytes, 0, 0, 0);
  CHECK(s.external_fragmentation() == 0.0);
  CHECK(s.internal_fragmentation() == 0.0);
}

TEST_CASE("current, peak and total are kept of requested bytes, rounded bytes and blocks") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* a = pool->allocate(1000);
  void* b = pool->allocate(200);
  CHECK(pool->deallocate(a) == status::ok);
  void* c = pool->allocate(300);
  const statistics s = pool->statistics();
  check_gauge(s.requested_bytes, 500, 1200, 1500);
  check_gauge(s.rounded_bytes, 768, 1280, 1792);
  check_gauge(s.blocks, 2, 2, 3);
  CHECK(s.free_bytes == 64 * KiB - 768);
  CHECK(s.footprint_bytes == 1280);
  CHECK(s.event_count == 4);
  CHECK(s.internal_fragmentation() == Approx(1.0 - 500.0 / 768.0));
  CHECK(s.metadata_bytes > 0);
  CHECK(pool->deallocate(b) == status::ok);
  CHECK(pool->deallocate(c) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("growing counts as an increase and shrinking does not") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* p = pool->allocate(256);
  REQUIRE(pool->try_expand(p, 1000) == status::ok);
  statistics s = pool->statistics();
  check_gauge(s.requested_bytes, 1000, 1000, 1000);
  check_gauge(s.rounded_bytes, 1024, 1024, 1024);
  check_gauge(s.blocks, 1, 1, 1);
  REQUIRE(pool->shrink(p, 100) == status::ok);
  s = pool->statistics();
  check_gauge(s.requested_bytes, 100, 1000, 1000);
  check_gauge(s.rounded_bytes, 256, 1024, 1024);
  CHECK(pool->deallocate(p) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("fragmentation is what one request cannot have of the free memory") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  std::vector<void*> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(pool->allocate(4 * KiB));
  statistics s = pool->statistics();
  CHECK(s.free_bytes == 0);
  CHECK(s.external_fragmentation() == 0.0);
  for (std::size_t i = 0; i < 16; i += 2) {
    REQUIRE(pool->deallocate(blocks[i]) == status::ok);
    blocks[i] = nullptr;
  }
  s = pool->statistics();
  CHECK(s.free_bytes == 32 * KiB);
  CHECK(s.largest_free_bytes == 4 * KiB);
  CHECK(s.external_fragmentation() == Approx(7.0 / 8.0));
  CHECK(pool->deallocate_batch(blocks) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a refusal is counted as out of memory or as rejected, never as both") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  CHECK_FALSE(pool->try_allocate(65 * KiB));
  request_options bad;
  bad.alignment = 3;
  CHECK_FALSE(pool->try_allocate(1, bad));
  const statistics s = pool->statistics();
  CHECK(s.out_of_memory_count == 1);
  CHECK(s.rejected_count == 1);
}

TEST_CASE("memory is counted by the innermost tag of the calling thread") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const core::tag_id layer = intern_tag("layer");
  const core::tag_id gradient = intern_tag("gradient");
  CHECK(layer != gradient);
  CHECK(intern_tag("layer") == layer);
  CHECK(tag_name(gradient) == "gradient");
  CHECK(intern_tag("") == core::tag_id::none);

  std::vector<void*> blocks{pool->allocate(100)};
  {
    const tag_scope outer(layer);
    blocks.push_back(pool->allocate(1000));
    {
      const tag_scope inner("gradient");
      CHECK(current_tag() == gradient);
      blocks.push_back(pool->allocate(300));
    }
    CHECK(current_tag() == layer);
    request_options explicitly;
    explicitly.use_current_tag = false;
    explicitly.tag = gradient;
    blocks.push_back(pool->allocate(300, explicitly));
    std::thread([&] { blocks.push_back(pool->allocate(100)); }).join();
  }
  CHECK(current_tag() == core::tag_id::none);

  statistics s = pool->statistics();
  REQUIRE(find(s, layer) != nullptr);
  REQUIRE(find(s, gradient) != nullptr);
  REQUIRE(find(s, core::tag_id::none) != nullptr);
  check_gauge(find(s, layer)->requested_bytes, 1000, 1000, 1000);
  check_gauge(find(s, layer)->rounded_bytes, 1024, 1024, 1024);
  check_gauge(find(s, gradient)->requested_bytes, 600, 600, 600);
  check_gauge(find(s, gradient)->blocks, 2, 2, 2);
  check_gauge(find(s, core::tag_id::none)->blocks, 2, 2, 2);
  CHECK(std::is_sorted(s.tags.begin(), s.tags.end(),
                       [](const auto& a, const auto& b) { return a.tag < b.tag; }));

  CHECK(pool->deallocate_batch(blocks) == status::ok);
  s = pool->statistics();
  check_gauge(find(s, gradient)->rounded_bytes, 0, 1024, 1024);
  check_gauge(find(s, layer)->blocks, 0, 1, 1);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a resized block is counted by the tag it was allocated with") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const core::tag_id cache = intern_tag("cache");
  void* p = nullptr;
  {
    const tag_scope scope(cache);
    p = pool->allocate(256);
  }
  const tag_scope another("another");
  REQUIRE(pool->try_expand(p, 2048) == status::ok);
  REQUIRE(pool->shrink(p, 512) == status::ok);
  check_gauge(find(pool->statistics(), cache)->rounded_bytes, 512, 2048, 2048);
  CHECK(pool->deallocate(p) == status::ok);
  check_gauge(find(pool->statistics(), cache)->rounded_bytes, 0, 2048, 2048);
}

TEST_CASE("a scope starts its peaks and totals at its opening") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* before = pool->allocate(1024);
  CHECK(pool->deallocate(pool->allocate(8192)) == status::ok);
  const statistics_scope scope = pool->open_scope();
  check_gauge(scope.read().rounded_bytes, 1024, 1024, 0);
  void* a = pool->allocate(2048);
  CHECK(pool->deallocate(a) == status::ok);
  void* b = pool->allocate(512);
  check_gauge(scope.read().rounded_bytes, 1536, 3072, 2560);
  check_gauge(scope.read().requested_bytes, 1536, 3072, 2560);
  check_gauge(scope.read().blocks, 2, 2, 2);
  CHECK(pool->statistics().rounded_bytes.peak == 1024 + 8192);
  CHECK(pool->deallocate(before) == status::ok);
  CHECK(pool->deallocate(b) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("nested scopes: a child's peak is its own and is seen by its parent") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const statistics_scope parent = pool->open_scope();
  CHECK(pool->deallocate(pool->allocate(4096)) == status::ok);
  {
    const statistics_scope child = pool->open_scope();
    check_gauge(child.read().rounded_bytes, 0, 0, 0);
    CHECK(pool->deallocate(pool->allocate(8192)) == status::ok);
    check_gauge(child.read().rounded_bytes, 0, 8192, 8192);
  }
  check_gauge(parent.read().rounded_bytes, 0, 8192, 12288);
  {
    const statistics_scope second_child = pool->open_scope();
    CHECK(pool->deallocate(pool->allocate(256)) == status::ok);
    check_gauge(second_child.read().rounded_bytes, 0, 256, 256);
  }
  check_gauge(parent.read().rounded_bytes, 0, 8192, 12544);
}

TEST_CASE("scopes may overlap: each ends without disturbing the other") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  std::optional<statistics_scope> first(pool->open_scope());
  CHECK(pool->deallocate(pool->allocate(2048)) == status::ok);
  std::optional<statistics_scope> second(pool->open_scope());
  CHECK(pool->deallocate(pool->allocate(1024)) == status::ok);
  check_gauge(first->read().rounded_bytes, 0, 2048, 3072);
  first.reset();
  CHECK(pool->deallocate(pool->allocate(512)) == status::ok);
  check_gauge(second->read().rounded_bytes, 0, 1024, 1536);
  const statistics_scope third = pool->open_scope();
  second.reset();
  CHECK(pool->deallocate(pool->allocate(256)) == status::ok);
  check_gauge(third.read().rounded_bytes, 0, 256, 256);
}

TEST_CASE("a scope can be moved and outlives its pool with its last figures") {
  auto pool = test::simulated_pool(test::small_options(64 * KiB));
  statistics_scope scope = pool->open_scope();
  void* p = pool->allocate(1024);
  statistics_scope moved = std::move(scope);
  CHECK(pool->deallocate(p) == status::ok);
  pool.reset();
  check_gauge(moved.read().rounded_bytes, 0, 1024, 1024);
}
