// The heap's single steps with exact numbers. That all of them together are right for any sequence
// is the model's part (tests/model).
#include "support/heaps.hpp"
#include <bfc/base/error.hpp>
#include <bfc/core/heap.hpp>

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;
using core::coalescing;
using core::mark_set;
using core::placement;
using test::check_all_space_is_one_block;
using test::check_valid;
using test::each_policy;
using test::give_back;
using test::heap_of;
using test::take;
using test::try_take;

core::placed take_at(core::heap& h, std::uint64_t bytes, std::uint64_t alignment,
                     placement place = placement::low) {
  core::request what;
  what.bytes = bytes;
  what.alignment = alignment;
  what.place = place;
  return h.allocate(what);
}

std::string refusal(const core::heap_options& how) {
  try {
    const core::heap h(how);
  } catch (const error& e) {
    CHECK(e.code() == status::invalid_option);
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a heap refuses options out of range by name") {
  const std::vector<std::pair<std::string, std::function<void(core::heap_options&)>>> all = {
      {"unit_bytes", [](auto& o) { o.unit_bytes = 8; }},
      {"unit_bytes", [](auto& o) { o.unit_bytes = 300; }},
      {"unit_bytes", [](auto& o) { o.unit_bytes = 4 << 20; }},
      {"capacity_bytes", [](auto& o) { o.capacity_bytes = 0; }},
      {"capacity_bytes", [](auto& o) { o.capacity_bytes = 4097; }},
      {"capacity_bytes", [](auto& o) { o.capacity_bytes = std::uint64_t{256} << 32; }},
      {"unmerged_limit_count", [](auto& o) { o.trigger.unmerged_limit_count = 0; }},
      {"ratio_limit", [](auto& o) { o.trigger.ratio_limit = 0; }},
      {"ratio_limit", [](auto& o) { o.trigger.ratio_limit = 1.01; }},
      {"window_frees", [](auto& o) { o.trigger.window_frees = 0; }},
  };
  for (const auto& [name, spoil] : all) {
    core::heap_options how = heap_of(4096, 256, coalescing::threshold);
    spoil(how);
    CAPTURE(name);
    CHECK(refusal(how).find(name) != std::string::npos);
  }
}

TEST_CASE("the largest capacity there is can be used whole") {
  core::heap_options how = heap_of(UINT32_MAX * std::uint64_t{256}, 256, each_policy());
  how.expected_blocks = 0;
  core::heap h(how);
  CHECK(take(h, how.capacity_bytes) == 0);
  CHECK(try_take(h, 1).code == status::out_of_memory);
  give_back(h, 0);
  check_all_space_is_one_block(h);
}

TEST_CASE("an aligned request gives what it skips back in front of it") {
  core::heap h(heap_of(64 * 1024, 256, each_policy()));
  CHECK(take(h, 256) == 0);
  const core::placed aligned = take_at(h, 1000, 4096);
  CHECK(aligned.offset == 4096);
  CHECK(aligned.size_bytes == 1024);
  CHECK(take(h, 4096 - 256) == 256);
  CHECK(take(h, 256) == 4096 + 1024);
  check_valid(h);
  for (const std::uint64_t offset : {0U, 256U, 4096U, 5120U}) give_back(h, offset);
  check_all_space_is_one_block(h);
}

TEST_CASE("a high request is cut from the end, at the highest aligned offset") {
  core::heap h(heap_of(64 * 1024, 256, each_policy()));
  CHECK(take_at(h, 256, 0, placement::high).offset == 64 * 1024 - 256);
  CHECK(take_at(h, 256, 4096, placement::high).offset == 60 * 1024);
  CHECK(take(h, 256) == 60 * 1024 + 256);  // the smaller hole, between the two
  for (const std::uint64_t offset : {65280U, 61440U, 61696U}) {
    give_back(h, offset);
  }
  check_all_space_is_one_block(h);
}

TEST_CASE("memory with marks is kept from requests until it is settled") {
  core::heap h(heap_of(1024, 256, each_policy()));
  const std::uint64_t a = take(h, 512);
  const std::uint64_t b = take(h, 512);
  CHECK(h.release(a, mark_set{1}).code == status::ok);
  CHECK(h.release(b, mark_set{2}).code == status::ok);
  CHECK(h.free_bytes() == 1024);
  CHECK(h.largest_available() == 0);
  CHECK(try_take(h, 1).code == status::out_of_memory);
  CHECK(h.find_live(a).code == status::not_allocated);
  h.settle(mark_set{3});
  CHECK(h.largest_available() == 0);
  h.settle(mark_set{2});
  CHECK(h.largest_available() == 512);
  check_valid(h);
  h.settle(mark_set{1});
  CHECK(h.largest_available() == 1024);
  check_all_space_is_one_block(h);
}

TEST_CASE("shrinking with marks keeps the end pending") {
  core::heap h(heap_of(1024, 256, each_policy()));
  const std::uint64_t a = take(h, 1024);
  CHECK(h.shrink(a, 300, mark_set{4}) == status::ok);
  CHECK(h.find_live(a).requested_bytes == 300);
  CHECK(h.largest_available() == 0);
  CHECK(h.try_expand(a, 600) == status::cannot_expand);
  h.settle(mark_set{4});
  CHECK(h.try_expand(a, 600) == status::ok);
  check_valid(h);
  give_back(h, a);
  check_all_space_is_one_block(h);
}

TEST_CASE("a block freed last of its size is what the next plain request of it gets") {
  core::heap h(heap_of(64 * 1024, 256, coalescing::threshold));
  const std::uint64_t first = take(h, 1024);
  const std::uint64_t second = take(h, 1024);
  give_back(h, first);
  give_back(h, second);
  CHECK(take(h, 1000) == second);
  CHECK(take(h, 1000) == first);
  CHECK(h.counters().merges == 0);
  give_back(h, first);
  give_back(h, second);
  check_all_space_is_one_block(h);
}

TEST_CASE("each occasion to merge has its counter and is reached") {
  core::heap_options how = heap_of(4096, 256, coalescing::threshold);
  how.trigger.unmerged_limit_count = 3;
  how.trigger.unmerged_limit_bytes = 4096;
  core::heap h(how);
  const auto& c = h.counters();
  SECTION("there is no room for one more block to wait") {
    for (int i = 0; i < 4; ++i) static_cast<void>(take(h, 256));
    for (const std::uint64_t offset : {0ULL, 512ULL, 256ULL}) give_back(h, offset);
    CHECK(c.merged_for_room == 0);
    CHECK(c.merges == 0);
    give_back(h, 768);
    CHECK(c.merged_for_room == 1);
    CHECK(c.merges > 0);
    CHECK(c.coalesce_passes == 0);
  }
  SECTION("a limit of bytes is reached") {
    static_cast<void>(take(h, 4096));
    give_back(h, 0);
    CHECK(c.coalesce_on_trigger == 1);
  }
  SECTION("a hole would have to be split") {
    static_cast<void>(take(h, 512));
    give_back(h, 0);
    CHECK(take(h, 256) == 0);
    CHECK(c.coalesce_before_split == 1);
    give_back(h, 0);
  }
  SECTION("nothing is large enough") {
    static_cast<void>(take(h, 1024));
    static_cast<void>(take(h, 2048));
    give_back(h, 0);
    give_back(h, 1024);
    CHECK(c.coalesce_passes == 0);
    CHECK(take(h, 4096) == 0);
    CHECK(c.coalesce_on_failure == 1);
    give_back(h, 0);
  }
  CHECK(c.coalesce_passes ==
        c.coalesce_on_trigger + c.coalesce_before_split + c.coalesce_on_failure);
  check_all_space_is_one_block(h);
}

TEST_CASE("blocks that are large enough but cannot host the alignment are counted") {
  core::heap h(heap_of(64 * 1024, 256, coalescing::immediate));
  const std::uint64_t walls[] = {take(h, 256), take(h, 256), take(h, 256), take(h, 256)};
  give_back(h, walls[1]);  // a hole of 256 at 256: no place for an alignment of 1024
  CHECK(take_at(h, 256, 1024).offset == 1024);
  CHECK(h.counters().unfit_probes == 1);
  for (const std::uint64_t offset : {walls[0], walls[2], walls[3], std::uint64_t{1024}}) {
    give_back(h, offset);
  }
  check_all_space_is_one_block(h);
}

TEST_CASE("the bookkeeping grows with the blocks and not with the capacity") {
  core::heap small(heap_of(1 << 20, 256, coalescing::threshold));
  core::heap large(heap_of(std::uint64_t{1} << 39, 256, coalescing::threshold));
  CHECK(small.metadata_bytes() == large.metadata_bytes());
  const std::uint64_t before = large.metadata_bytes();
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 100000; ++i) offsets.push_back(take(large, 4096));
  // At most 96 bytes a block, in containers that have room for half as much again.
  CHECK(large.metadata_bytes() - before < 100000 * std::uint64_t{96} * 3 / 2);
  for (const std::uint64_t offset : offsets) give_back(large, offset);
  check_all_space_is_one_block(large);
}

TEST_CASE("a block is found around any offset") {
  core::heap h(heap_of(4096, 256, each_policy()));
  static_cast<void>(take(h, 1000));
  const core::block_info live = h.block_around(1023);
  CHECK(live.state == core::block_state::live);
  CHECK(live.offset == 0);
  CHECK(live.requested_bytes == 1000);
  const core::block_info free = h.block_around(1024);
  CHECK(free.state == core::block_state::free);
  CHECK(free.offset == 1024);
  CHECK(free.size_bytes == 3072);
  give_back(h, 0);
  check_all_space_is_one_block(h);
}
