#include <bfc/core/validator.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc::core;

constexpr std::uint64_t unit = 256;

block_info live(std::uint64_t offset, std::uint64_t size, std::uint64_t requested) {
  block_info b;
  b.offset = offset;
  b.size_bytes = size;
  b.state = block_state::live;
  b.requested_bytes = requested;
  b.sequence = 1;
  return b;
}

block_info free_block(std::uint64_t offset, std::uint64_t size, mark_set marks = mark_set::none) {
  block_info b;
  b.offset = offset;
  b.size_bytes = size;
  b.marks = marks;
  return b;
}

block_info unmerged(std::uint64_t offset, std::uint64_t size) {
  block_info b = free_block(offset, size);
  b.unmerged = true;
  return b;
}

/// A valid state with every feature in it: live blocks, a hole, two unmerged neighbours and a
/// pending one behind them.
///
///   0      256    512    1024     1280   1536    2048
///   | live | hole | live | unm.   | unm. | pending |
snapshot valid_snapshot() {
  snapshot s;
  s.capacity_bytes = 2048;
  s.unit_bytes = unit;
  s.policy = coalescing::on_failure;
  s.blocks = {live(0, 256, 200),   free_block(256, 256), live(512, 512, 512),
              unmerged(1024, 256), unmerged(1280, 256),  free_block(1536, 512, mark_set{7})};
  s.hole_index = {{256, 256}};
  s.unmerged = {{256, 1280}, {256, 1024}};  // in any order
  s.pending_index = {{512, 1536}};
  s.unmerged_bytes = 512;
  s.live_bytes = 768;
  s.live_requested_bytes = 712;
  s.live_blocks = 2;
  s.free_blocks = 4;
  s.footprint_bytes = 1024;
  return s;
}

std::set<int> invariants_broken_in(const snapshot& s) {
  std::set<int> numbers;
  for (const violation& v : validate(s)) {
    CHECK_FALSE(v.text.empty());
    numbers.insert(v.invariant);
  }
  return numbers;
}

using numbers = std::set<int>;

}  // namespace

TEST_CASE("a valid snapshot has no violation") {
  CHECK(invariants_broken_in(valid_snapshot()).empty());
}

TEST_CASE("one free block of the whole capacity is valid") {
  snapshot s;
  s.capacity_bytes = 4096;
  s.unit_bytes = unit;
  s.blocks = {free_block(0, 4096)};
  s.hole_index = {{4096, 0}};
  s.free_blocks = 1;
  CHECK(invariants_broken_in(s).empty());
}

TEST_CASE("a gap between blocks breaks invariant 1") {
  snapshot s = valid_snapshot();
  s.blocks.erase(s.blocks.begin() + 1);  // 256..512 belongs to nobody
  s.hole_index.clear();
  s.free_blocks = 3;
  CHECK(invariants_broken_in(s) == numbers{1});
}

TEST_CASE("an overlap of blocks breaks invariant 1") {
  snapshot s = valid_snapshot();
  s.blocks[0] = live(0, 512, 500);
  s.live_bytes = 1024;
  s.live_requested_bytes = 1012;
  CHECK(invariants_broken_in(s) == numbers{1});
}

TEST_CASE("blocks that end before or behind the capacity break invariant 1") {
  snapshot s = valid_snapshot();
  s.capacity_bytes = GENERATE(1792U, 2304U);
  CHECK(invariants_broken_in(s) == numbers{1});
}

TEST_CASE("no block at all breaks invariant 1") {
  snapshot s;
  s.capacity_bytes = 4096;
  s.unit_bytes = unit;
  CHECK(invariants_broken_in(s) == numbers{1});
}

TEST_CASE("a block that wraps around the address space breaks invariant 1 and ends the tiling") {
  snapshot s = valid_snapshot();
  s.blocks.back().size_bytes = UINT64_MAX - 255;
  s.pending_index[0].size_bytes = UINT64_MAX - 255;
  CHECK(invariants_broken_in(s) == numbers{1});
}

TEST_CASE("blocks out of address order break invariant 1") {
  snapshot s = valid_snapshot();
  std::swap(s.blocks[0], s.blocks[1]);
  const std::vector<violation> found = validate(s);
  CHECK(
      std::any_of(found.begin(), found.end(), [](const violation& v) { return v.invariant == 1; }));
}

TEST_CASE("a size that is no multiple of the unit breaks invariant 2") {
  snapshot s = valid_snapshot();
  s.blocks[3] = unmerged(1024, 255);
  s.blocks[4] = unmerged(1279, 257);
  s.unmerged = {{255, 1024}, {257, 1279}};
  CHECK(invariants_broken_in(s) == numbers{2});
}

TEST_CASE("an empty block breaks invariant 2") {
  snapshot s = valid_snapshot();
  s.blocks.insert(s.blocks.begin() + 1, free_block(256, 0));
  s.blocks[1].marks = mark_set{9};
  s.pending_index.insert(s.pending_index.begin(), {0, 256});
  s.free_blocks = 5;
  CHECK(invariants_broken_in(s) == numbers{2});
}

TEST_CASE("a unit of zero breaks invariant 2 and stops there") {
  snapshot s = valid_snapshot();
  s.unit_bytes = 0;
  CHECK(invariants_broken_in(s) == numbers{2});
}

TEST_CASE("each counter that is off by one breaks invariant 3") {
  snapshot s = valid_snapshot();
  const int which = GENERATE(0, 1, 2, 3, 4);
  if (which == 0) s.live_bytes += 1;
  if (which == 1) s.live_requested_bytes -= 1;
  if (which == 2) s.live_blocks += 1;
  if (which == 3) s.free_blocks -= 1;
  if (which == 4) s.unmerged_bytes += 256;
  CAPTURE(which);
  CHECK(invariants_broken_in(s) == numbers{3});
}

TEST_CASE("a free block missing from its index breaks invariant 4") {
  snapshot s = valid_snapshot();
  SECTION("a hole") {
    s.hole_index.clear();
  }
  SECTION("an unmerged block") {
    s.unmerged.pop_back();
  }
  CHECK(invariants_broken_in(s) == numbers{4});
}

TEST_CASE("a free block listed twice breaks invariant 4") {
  snapshot s = valid_snapshot();
  SECTION("a hole") {
    s.hole_index.push_back(s.hole_index.back());
  }
  SECTION("an unmerged block") {
    s.unmerged.push_back(s.unmerged.back());
  }
  SECTION("in both indexes") {
    s.unmerged.insert(s.unmerged.begin(), {256, 256});
  }
  CHECK(invariants_broken_in(s) == numbers{4});
}

TEST_CASE("a free block listed as what its state denies breaks invariant 4") {
  snapshot s = valid_snapshot();
  s.hole_index.push_back(s.unmerged.front());
  s.unmerged.erase(s.unmerged.begin());
  CHECK(invariants_broken_in(s) == numbers{4});
}

TEST_CASE("a live block in the hole index breaks invariant 4") {
  snapshot s = valid_snapshot();
  s.hole_index.push_back({512, 512});
  CHECK(invariants_broken_in(s) == numbers{4});
}

TEST_CASE("a stale size in an index breaks invariant 4") {
  snapshot s = valid_snapshot();
  s.hole_index.back().size_bytes = 512;
  CHECK(invariants_broken_in(s) == numbers{4});
}

TEST_CASE("a pending block missing from the pending index breaks invariant 5") {
  snapshot s = valid_snapshot();
  s.pending_index.clear();
  CHECK(invariants_broken_in(s) == numbers{5});
}

TEST_CASE("a pending block in the hole index breaks both membership rules") {
  snapshot s = valid_snapshot();
  s.hole_index.push_back(s.pending_index.back());
  s.pending_index.clear();
  CHECK(invariants_broken_in(s) == numbers{4, 5});
}

TEST_CASE("a usable block in the pending index breaks invariant 5") {
  snapshot s = valid_snapshot();
  s.pending_index.insert(s.pending_index.begin(), {256, 1024});
  CHECK(invariants_broken_in(s) == numbers{5});
}

TEST_CASE("equal sizes out of address order break invariant 6") {
  snapshot s = valid_snapshot();
  s.blocks[4].unmerged = false;
  s.unmerged = {{256, 1024}};
  s.unmerged_bytes = 256;
  s.hole_index = {{256, 256}, {256, 1280}};
  CHECK(invariants_broken_in(s).empty());
  std::swap(s.hole_index[0], s.hole_index[1]);
  CHECK(invariants_broken_in(s) == numbers{6});
}

TEST_CASE("sizes out of order in the hole index break invariant 6") {
  snapshot s = valid_snapshot();
  s.blocks[5].marks = mark_set::none;  // a hole beside an unmerged block
  s.pending_index.clear();
  s.hole_index = {{512, 1536}, {256, 256}};
  CHECK(invariants_broken_in(s) == numbers{6});
}

TEST_CASE("sizes out of order in the pending index break invariant 6") {
  snapshot s = valid_snapshot();
  s.blocks[1].marks = mark_set{3};
  s.hole_index.clear();
  s.pending_index = {{512, 1536}, {256, 256}};
  CHECK(invariants_broken_in(s) == numbers{6});
}

TEST_CASE("two holes side by side break invariant 7") {
  snapshot s = valid_snapshot();
  s.blocks[3].unmerged = false;
  s.blocks[4].unmerged = false;
  s.hole_index = {{256, 256}, {256, 1024}, {256, 1280}};
  s.unmerged.clear();
  s.unmerged_bytes = 0;
  CHECK(invariants_broken_in(s) == numbers{7});
}

TEST_CASE("a hole beside an unmerged block, or beside a pending one, is valid") {
  snapshot s = valid_snapshot();
  s.blocks[4].unmerged = false;
  s.hole_index = {{256, 256}, {256, 1280}};
  s.unmerged = {{256, 1024}};
  s.unmerged_bytes = 256;
  CHECK(invariants_broken_in(s).empty());
}

TEST_CASE("pending neighbours with equal mark sets break invariant 7, with others they do not") {
  snapshot s = valid_snapshot();
  s.blocks[3] = free_block(1024, 256, mark_set{5});
  s.blocks[4] = free_block(1280, 256, mark_set{6});
  s.unmerged.clear();
  s.unmerged_bytes = 0;
  s.pending_index = {{256, 1024}, {256, 1280}, {512, 1536}};
  CHECK(invariants_broken_in(s).empty());
  s.blocks[4].marks = mark_set{5};
  CHECK(invariants_broken_in(s) == numbers{7});
}

TEST_CASE("an unmerged block with marks breaks invariant 7") {
  snapshot s = valid_snapshot();
  s.blocks[5].unmerged = true;
  s.unmerged_bytes += 512;
  CHECK(invariants_broken_in(s) == numbers{7});
}

TEST_CASE("an unmerged block under immediate coalescing breaks invariant 8") {
  snapshot s = valid_snapshot();
  s.policy = coalescing::immediate;
  CHECK(invariants_broken_in(s) == numbers{8});
}

TEST_CASE("a live block that ends above the footprint breaks invariant 9") {
  snapshot s = valid_snapshot();
  s.footprint_bytes = 1023;
  CHECK(invariants_broken_in(s) == numbers{9});
}

TEST_CASE("a footprint above the capacity breaks invariant 9") {
  snapshot s = valid_snapshot();
  s.footprint_bytes = 2049;
  CHECK(invariants_broken_in(s) == numbers{9});
}

TEST_CASE("a live block whose requested size does not round up to its size breaks invariant 10") {
  snapshot s = valid_snapshot();
  const std::uint64_t requested = GENERATE(0U, 256U, 513U);  // of the block of 512 bytes
  s.blocks[2].requested_bytes = requested;
  s.live_requested_bytes = 200 + requested;
  CAPTURE(requested);
  CHECK(invariants_broken_in(s) == numbers{10});
}

TEST_CASE("requested sizes at the edges of the rounding interval are valid") {
  snapshot s = valid_snapshot();
  const std::uint64_t requested = GENERATE(257U, 512U);
  s.blocks[2].requested_bytes = requested;
  s.live_requested_bytes = 200 + requested;
  CHECK(invariants_broken_in(s).empty());
}

TEST_CASE("a structural fault is passed on as invariant 11 in its own words") {
  snapshot s = valid_snapshot();
  s.structural_faults = {"node 3 is under-full"};
  const std::vector<violation> found = validate(s);
  REQUIRE(found.size() == 1);
  CHECK(found[0].invariant == 11);
  CHECK(found[0].text == "node 3 is under-full");
}

TEST_CASE("violation texts name the place and the figures") {
  snapshot s = valid_snapshot();
  s.footprint_bytes = 1023;
  const std::vector<violation> found = validate(s);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text ==
        "the live block at offset 512 of 512 bytes ends above the footprint of 1023");
}
