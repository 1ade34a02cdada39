#include "support/pools.hpp"
#include <bfc/base/error.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

request_options aligned_to(std::size_t alignment, core::placement place = core::placement::low) {
  request_options how;
  how.alignment = alignment;
  how.place = place;
  return how;
}

status code_of_throwing_allocate(allocator& pool, std::size_t bytes, const request_options& how) {
  try {
    static_cast<void>(pool.allocate(bytes, how));
  } catch (const error& e) {
    return e.code();
  }
  return status::ok;
}

}  // namespace

TEST_CASE("zero bytes give a null pointer, which every kind of deallocation takes") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  CHECK(pool->allocate(0) == nullptr);
  const allocation got = pool->try_allocate(0);
  CHECK(got.code == status::ok);
  CHECK(got.pointer == nullptr);
  CHECK(pool->deallocate(nullptr) == status::ok);
  CHECK(pool->deallocate(nullptr, 0) == status::ok);
  void* const none[] = {nullptr, nullptr};
  CHECK(pool->deallocate_batch(none) == status::ok);
  CHECK(pool->statistics().blocks.total == 0);
  CHECK(pool->statistics().rejected_count == 0);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("blocks are aligned to the request, at either end of the reservation") {
  const auto pool = test::simulated_pool(test::small_options(1 * MiB, 64 * KiB));
  std::vector<void*> blocks;
  for (std::size_t alignment = 1; alignment <= 64 * KiB; alignment *= 2) {
    for (const core::placement place : {core::placement::low, core::placement::high}) {
      void* p = pool->allocate(100, aligned_to(alignment, place));
      CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
      CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
      blocks.push_back(p);
    }
  }
  CHECK(blocks[0] < blocks[1]);
  CHECK(pool->reservation_of(blocks[1]).offset == pool->capacity_bytes() - 256);
  test::check_valid(*pool);
  CHECK(pool->deallocate_batch(blocks) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("an alignment that is no power of two or above the pool's maximum is refused") {
  const auto pool = test::simulated_pool(test::small_options(1 * MiB, 64 * KiB));
  for (const std::size_t alignment :
       {std::size_t{3}, std::size_t{384}, std::size_t{128 * KiB}, std::size_t{1} << 63, SIZE_MAX}) {
    CAPTURE(alignment);
    CHECK(pool->try_allocate(1, aligned_to(alignment)).code == status::invalid_alignment);
    CHECK(code_of_throwing_allocate(*pool, 1, aligned_to(alignment)) == status::invalid_alignment);
  }
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("allocate throws a bad_alloc that tells the request and the largest available block") {
  const auto pool = test::simulated_pool(test::small_options(1 * MiB));
  // Free: 512 KiB at the end and 4 KiB in front, so 516 KiB are free and 512 KiB in one piece.
  void* hole = pool->allocate(4 * KiB);
  void* wall = pool->allocate(508 * KiB);
  REQUIRE(pool->deallocate(hole) == status::ok);
  try {
    static_cast<void>(pool->allocate(513 * KiB));
    FAIL_CHECK("the request was served");
  } catch (const out_of_memory& e) {
    const out_of_memory_report& r = e.report();
    CHECK(r.pool == "bfc");
    CHECK(r.requested_bytes == 513 * KiB);
    CHECK(r.rounded_bytes == 513 * KiB);
    CHECK(r.capacity_bytes == 1 * MiB);
    CHECK(r.live_bytes == 508 * KiB);
    CHECK(r.free_bytes == 516 * KiB);
    CHECK(r.largest_free_bytes == 512 * KiB);
    CHECK(r.largest_aligned_bytes == 512 * KiB);
    CHECK(r.why == shortage::fragmentation);
    const std::string what = e.what();
    CAPTURE(what);
    CHECK((what.find("513 KiB") != std::string::npos || what.find("525312") != std::string::npos));
    CHECK((what.find("512 KiB") != std::string::npos || what.find("524288") != std::string::npos));
  }
  CHECK_THROWS_AS(pool->allocate(513 * KiB), std::bad_alloc);
  CHECK(pool->deallocate(wall) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a refusal tells apart what stood in the way") {
  const auto pool = test::simulated_pool(test::small_options(1 * MiB, 512 * KiB));
  const auto why = [&](std::size_t bytes, std::size_t alignment) {
    try {
      static_cast<void>(pool->allocate(bytes, aligned_to(alignment)));
    } catch (const out_of_memory& e) {
      return e.report().why;
    }
    FAIL_CHECK("the request was served");
    return shortage::true_shortage;
  };
  CHECK(why(1 * MiB + 1, 0) == shortage::larger_than_reservation);
  void* low = pool->allocate(256);
  void* middle = pool->allocate(256, aligned_to(512 * KiB));
  CHECK(why(1 * MiB - 256, 0) == shortage::true_shortage);
  CHECK(why(1 * MiB - 512, 0) == shortage::fragmentation);
  CHECK(why(256, 512 * KiB) == shortage::alignment);
  CHECK(pool->statistics().out_of_memory_count == 4);
  CHECK(pool->deallocate(low) == status::ok);
  CHECK(pool->deallocate(middle) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a batch is served as a whole or not at all") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  std::vector<batch_request> what(4);
  for (batch_request& r : what) r.bytes = 16 * KiB;
  std::array<void*, 4> pointers{};
  CHECK(pool->try_allocate_batch(what, pointers) == status::ok);
  CHECK(pool->statistics().blocks.current == 4);
  CHECK(pool->deallocate_batch(pointers) == status::ok);
  test::check_all_space_is_one_block(*pool);

  SECTION("the last one finds no place") {
    what[3].bytes = 16 * KiB + 1;
    CHECK(pool->try_allocate_batch(what, pointers) == status::out_of_memory);
  }
  SECTION("one is malformed") {
    what[2].how.alignment = 3;
    CHECK(pool->try_allocate_batch(what, pointers) == status::invalid_alignment);
  }
  CHECK(pool->statistics().blocks.current == 0);
  CHECK(pool->statistics().rounded_bytes.current == 0);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a batch deallocation goes on after a bad pointer and tells the first failure") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* a = pool->allocate(1024);
  void* b = pool->allocate(1024);
  int foreign = 0;
  void* const all[] = {a, test::as_bytes(b) + 256, &foreign, nullptr, b};
  CHECK(pool->deallocate_batch(all) == status::interior_pointer);
  CHECK(pool->statistics().blocks.current == 0);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("an empty batch is ok") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  CHECK(pool->try_allocate_batch({}, {}) == status::ok);
  CHECK(pool->deallocate_batch({}) == status::ok);
}

TEST_CASE("a sized deallocation takes exactly the size that was asked for") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* p = pool->allocate(1000);
  for (const std::size_t wrong :
       {std::size_t{0}, std::size_t{999}, std::size_t{1001}, std::size_t{1024}, SIZE_MAX}) {
    CHECK(pool->deallocate(p, wrong) == status::wrong_size);
  }
  CHECK(pool->size_of(p) == 1000);
  CHECK(pool->deallocate(p, 1000) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a block grows in place while the memory behind it is free") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* cache = pool->allocate(1000);
  void* wall = pool->allocate(256, aligned_to(0, core::placement::high));
  CHECK(pool->try_expand(cache, 1024) == status::ok);  // within the rounding
  CHECK(pool->size_of(cache) == 1024);
  CHECK(pool->try_expand(cache, 63 * KiB) == status::ok);
  CHECK(pool->size_of(cache) == 63 * KiB);
  CHECK(pool->try_expand(cache, 10) == status::ok);  // holds that already
  CHECK(pool->size_of(cache) == 63 * KiB);
  CHECK(pool->try_expand(cache, 64 * KiB) == status::cannot_expand);
  CHECK(pool->try_expand(cache, SIZE_MAX) != status::ok);
  CHECK(pool->size_of(cache) == 63 * KiB);
  CHECK(pool->statistics().requested_bytes.current == 63 * KiB + 256);
  test::check_valid(*pool);

  CHECK(pool->shrink(cache, 0) == status::invalid_size);
  CHECK(pool->shrink(cache, 64 * KiB) == status::invalid_size);
  CHECK(pool->shrink(cache, 300) == status::ok);
  CHECK(pool->size_of(cache) == 300);
  CHECK(pool->statistics().rounded_bytes.current == 512 + 256);
  CHECK(pool->largest_available() == 64 * KiB - 512 - 256);
  test::check_valid(*pool);
  CHECK(pool->deallocate(cache, 300) == status::ok);
  CHECK(pool->deallocate(wall) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("growing keeps the contents") {
  const auto pool = test::host_pool(test::small_options(64 * KiB));
  void* cache = pool->allocate(1000);
  std::memset(cache, 0x5A, 1000);
  REQUIRE(pool->try_expand(cache, 32 * KiB) == status::ok);
  std::memset(test::as_bytes(cache) + 1000, 0x3C, 32 * KiB - 1000);
  CHECK(test::as_bytes(cache)[0] == std::byte{0x5A});
  CHECK(test::as_bytes(cache)[999] == std::byte{0x5A});
  CHECK(pool->deallocate(cache) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("resizing refuses pointers that are no live block's start") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* p = pool->allocate(1024);
  int foreign = 0;
  CHECK(pool->try_expand(test::as_bytes(p) + 256, 2048) == status::interior_pointer);
  CHECK(pool->shrink(test::as_bytes(p) + 256, 1) == status::interior_pointer);
  CHECK(pool->try_expand(&foreign, 2048) == status::foreign_pointer);
  CHECK(pool->shrink(&foreign, 1) == status::foreign_pointer);
  CHECK(pool->size_of(test::as_bytes(p) + 256) == 0);
  CHECK(pool->size_of(&foreign) == 0);
  CHECK(pool->size_of(nullptr) == 0);
  CHECK(pool->size_of(p) == 1024);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(pool->size_of(p) == 0);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("the largest available request succeeds and one byte more does not") {
  const auto pool = test::simulated_pool(test::small_options(1 * MiB, 64 * KiB));
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < 40; ++i) blocks.push_back(pool->allocate(1000 * (1 + i % 7)));
  for (std::size_t i = 0; i < blocks.size(); i += 3) {
    REQUIRE(pool->deallocate(blocks[i]) == status::ok);
    blocks[i] = nullptr;
  }
  for (const std::size_t alignment : {0U, 256U, 4096U, 65536U}) {
    CAPTURE(alignment);
    const std::size_t largest = pool->largest_available(alignment);
    CHECK(pool->try_allocate(largest + 1, aligned_to(alignment)).code == status::out_of_memory);
    const allocation got = pool->try_allocate(largest, aligned_to(alignment));
    CHECK(got.code == status::ok);
    CHECK(pool->deallocate(got.pointer) == status::ok);
  }
  CHECK(pool->deallocate_batch(blocks) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("reservation_of tells base, length, offset and device for any pointer into it") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* first = pool->allocate(256);
  void* second = pool->allocate(256);
  const reservation_view view = pool->reservation_of(test::as_bytes(second) + 7);
  CHECK(view.code == status::ok);
  CHECK(view.base == first);
  CHECK(view.bytes == 64 * KiB);
  CHECK(view.offset == 256 + 7);
  CHECK(view.device == pool->device());
  CHECK(pool->reservation_of(test::as_bytes(first) + 64 * KiB).code == status::foreign_pointer);
  CHECK(pool->reservation_of(test::as_bytes(first) - 1).code == status::foreign_pointer);
  CHECK(pool->deallocate(first) == status::ok);
  CHECK(pool->deallocate(second) == status::ok);
  CHECK(pool->reservation_of(first).code == status::ok);  // free memory is in it too
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("the same order of calls gives the same offsets") {
  const auto offsets = [] {
    const auto pool = test::simulated_pool(test::small_options(1 * MiB));
    std::vector<void*> live;
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < 500; ++i) {
      if (live.size() > 20 || (i % 3 == 2 && !live.empty())) {
        const std::size_t victim = (i * 7) % live.size();
        CHECK(pool->deallocate(live[victim]) == status::ok);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
      } else {
        live.push_back(pool->allocate(1 + (i * 997) % 9000));
        seen.push_back(pool->reservation_of(live.back()).offset);
      }
    }
    return seen;
  };
  CHECK(offsets() == offsets());
}
