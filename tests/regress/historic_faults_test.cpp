// The faults of gorgonia's bfc.go, the allocator of the same name and idea, each as the property
// that rules it out. Numbers in the names count the faults found by reading it.
#include "support/heaps.hpp"
#include "support/pools.hpp"
#include <bfc/base/error.hpp>
#include <bfc/core/heap.hpp>

#include <array>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;
using core::coalescing;
using test::check_all_space_is_one_block;
using test::check_valid;
using test::each_policy;
using test::give_back;
using test::heap_of;
using test::take;
using test::try_take;

}  // namespace

TEST_CASE("gorgonia bfc 1: best fit takes the smallest hole that fits, not the first") {
  core::heap h(heap_of(4096, 256, each_policy()));
  const std::uint64_t large = take(h, 1024);
  const std::uint64_t wall = take(h, 256);
  const std::uint64_t small = take(h, 512);
  const std::uint64_t rest = take(h, 4096 - 1024 - 256 - 512);
  give_back(h, large);
  give_back(h, small);
  CHECK(take(h, 512) == small);
  give_back(h, small);
  CHECK(take(h, 300) == small);  // not an exact size either
  for (const std::uint64_t offset : {small, wall, rest}) give_back(h, offset);
  check_all_space_is_one_block(h);
}

TEST_CASE("gorgonia bfc 2: after a merge a stale link never leads to a block a second time") {
  core::heap h(heap_of(192, 32, each_policy()));
  const std::uint64_t a = take(h, 32);
  const std::uint64_t b = take(h, 32);
  const std::uint64_t c = take(h, 32);
  const std::uint64_t d = take(h, 96);
  for (const std::uint64_t offset : {a, b, d}) give_back(h, offset);
  CHECK(take(h, 96) == d);
  CHECK(try_take(h, 96).code == status::out_of_memory);
  check_valid(h);
  CHECK(try_take(h, 64).code == status::ok);
  CHECK(try_take(h, 1).code == status::out_of_memory);
  for (const std::uint64_t offset : {a, c, d}) give_back(h, offset);
  check_all_space_is_one_block(h);
}

TEST_CASE("gorgonia bfc 3: a free that would overlap free memory is refused and no sum wraps") {
  core::heap h(heap_of(4096, 256, each_policy()));
  const std::uint64_t a = take(h, 1024);
  const std::uint64_t b = take(h, 1024);
  give_back(h, a);
  CHECK(h.release(a).code == status::not_allocated);
  CHECK(h.release(a + 512).code == status::not_allocated);
  CHECK(h.release(b + 512).code == status::interior_pointer);
  CHECK(h.release(2048).code == status::not_allocated);
  CHECK(h.free_bytes() == 3072);
  CHECK(h.counters().live_bytes == 1024);
  check_valid(h);
  give_back(h, b);
  check_all_space_is_one_block(h);
}

TEST_CASE("gorgonia bfc 4: blocks freed from the top down end up in address order") {
  core::heap h(heap_of(4096, 256, each_policy()));
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 16; ++i) offsets.push_back(take(h, 256));
  for (auto it = offsets.rbegin(); it != offsets.rend(); ++it) {
    give_back(h, *it);
    check_valid(h);  // invariant 1: address order
  }
  CHECK(take(h, 4096) == 0);
  give_back(h, 0);
  check_all_space_is_one_block(h);
}

TEST_CASE("gorgonia bfc 5: unknown and repeated frees are refused until the address is re-issued") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* first = pool->allocate(1024);
  void* never_given = test::as_bytes(first) + 32 * KiB;
  CHECK(pool->deallocate(never_given) == status::not_allocated);
  CHECK(pool->deallocate(first) == status::ok);
  CHECK(pool->deallocate(first) == status::double_free);
  CHECK(pool->deallocate(first) == status::double_free);
  CHECK(pool->statistics().rejected_count == 3);
  check_all_space_is_one_block(*pool);
}

TEST_CASE("gorgonia bfc 6: the ratio trigger does not fire for ever once frees equal allocations") {
  core::heap h(heap_of(1 << 20, 256, coalescing::ratio));
  constexpr std::uint64_t rounds = 100000;
  for (std::uint64_t i = 0; i < rounds; ++i) give_back(h, take(h, 512));
  // At most one pass for each 256 frees, where the original walked its list on every free.
  CHECK(h.counters().coalesce_passes <= rounds / 256 + 1);
  check_all_space_is_one_block(h);
}

TEST_CASE("gorgonia bfc 6: without free neighbours nothing is merged, however often it is looked") {
  core::heap h(heap_of(1 << 20, 256, coalescing::ratio));
  const std::uint64_t wall_below = take(h, 256);
  const std::uint64_t block = take(h, 512);
  const std::uint64_t wall_above = take(h, 256);
  give_back(h, block);
  constexpr std::uint64_t rounds = 10000;
  for (std::uint64_t i = 0; i < rounds; ++i) give_back(h, take(h, 512));
  CHECK(h.counters().merges == 0);
  CHECK(h.counters().coalesce_passes <= rounds / 256 + 1);
  give_back(h, wall_below);
  give_back(h, wall_above);
  check_all_space_is_one_block(h);
}

TEST_CASE("gorgonia bfc 7: the reservation is a multiple of its granule and can be used up") {
  CHECK_THROWS_AS(core::heap(heap_of(1000, 256, coalescing::threshold)), error);
  const auto pool = test::simulated_pool(test::small_options(64 * KiB + 123));
  CHECK(pool->capacity_bytes() == 64 * KiB);
  void* all = pool->allocate(pool->capacity_bytes());
  CHECK_FALSE(pool->try_allocate(1));
  CHECK(pool->deallocate(all) == status::ok);
  check_all_space_is_one_block(*pool);
}

TEST_CASE("gorgonia bfc 8: holes merge wherever they start") {
  core::heap h(heap_of(64 * 96, 32, each_policy()));
  // Sizes of 1, 2, 3, 1, 2, 3 ... units: hardly any start is a multiple of a larger alignment.
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < 96; ++i) offsets.push_back(take(h, 32 * (1 + i % 3)));
  CHECK(h.free_bytes() == 0);
  for (std::size_t i = 1; i < offsets.size(); i += 2) give_back(h, offsets[i]);
  for (std::size_t i = 0; i < offsets.size(); i += 2) give_back(h, offsets[i]);
  check_valid(h);
  CHECK(take(h, 64 * 96) == 0);
  give_back(h, 0);
  check_all_space_is_one_block(h);
}

namespace {

/// Answers with a base that is not aligned as asked for.
class misaligned_source : public source {
 public:
  explicit misaligned_source(std::uint64_t& released) : released_(released) {}
  std::string_view name() const noexcept override { return "misaligned"; }
  int device() const noexcept override { return -1; }
  bool host_accessible() const noexcept override { return true; }
  bool survives_fork() const noexcept override { return true; }
  std::size_t available_bytes() noexcept override { return memory_.size() / 2; }
  range_result reserve(std::size_t bytes, std::size_t alignment) noexcept override {
    void* base = memory_.data();
    std::size_t space = memory_.size();
    std::align(alignment, bytes, base, space);
    return {status::ok, {static_cast<std::byte*>(base) + 256, bytes}};
  }
  status release(memory_range) noexcept override {
    ++released_;
    return status::ok;
  }
  std::uint64_t driver_calls() const noexcept override { return 1; }

 private:
  std::array<std::byte, 256 * 1024> memory_{};
  std::uint64_t& released_;
};

}  // namespace

TEST_CASE("gorgonia bfc 9: a reservation whose base is not aligned is refused and given back") {
  std::uint64_t released = 0;
  CHECK_THROWS_AS(
      allocator(std::make_unique<misaligned_source>(released), test::small_options(64 * KiB)),
      error);
  CHECK(released == 1);
}

TEST_CASE("gorgonia bfc 9: alignment is that of the address, not of the offset alone") {
  options how;
  how.capacity_bytes = 256 * MiB;
  how.max_alignment = 64 * MiB;
  const auto pool = test::simulated_pool(how);
  void* pad = pool->allocate(256);
  for (std::size_t alignment = 256; alignment <= how.max_alignment; alignment *= 2) {
    request_options aligned;
    aligned.alignment = alignment;
    void* p = pool->allocate(300, aligned);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
    CHECK(pool->deallocate(p) == status::ok);
  }
  CHECK(pool->deallocate(pad) == status::ok);
  check_all_space_is_one_block(*pool);
}
