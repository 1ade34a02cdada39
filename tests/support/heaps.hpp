/// Shorthand for tests that use the core's heap directly.
#pragma once

#include <bfc/core/heap.hpp>
#include <bfc/core/validator.hpp>

#include <cstdint>

#include <catch2/catch.hpp>

namespace bfc::test {

/// Makes the test case run once for each coalescing policy.
inline core::coalescing each_policy() {
  return GENERATE(core::coalescing::immediate, core::coalescing::threshold, core::coalescing::ratio,
                  core::coalescing::on_failure);
}

inline core::heap_options heap_of(std::uint64_t capacity_bytes, std::uint32_t unit_bytes,
                                  core::coalescing policy) {
  core::heap_options how;
  how.capacity_bytes = capacity_bytes;
  how.unit_bytes = unit_bytes;
  how.policy = policy;
  return how;
}

inline core::placed try_take(core::heap& h, std::uint64_t bytes) {
  core::request what;
  what.bytes = bytes;
  return h.allocate(what);
}

/// Returns the offset. Requires that the heap can serve the request.
inline std::uint64_t take(core::heap& h, std::uint64_t bytes) {
  const core::placed got = try_take(h, bytes);
  REQUIRE(got.code == status::ok);
  return got.offset;
}

inline void give_back(core::heap& h, std::uint64_t offset) {
  REQUIRE(h.release(offset).code == status::ok);
}

inline void check_valid(const core::heap& h) {
  for (const core::violation& v : core::validate(h.take_snapshot())) {
    CAPTURE(v.invariant, v.text);
    CHECK(false);
  }
}

/// Ends a test: nothing is live, and after merging all space is one block.
inline void check_all_space_is_one_block(core::heap& h) {
  h.coalesce();
  check_valid(h);
  const core::snapshot state = h.take_snapshot();
  REQUIRE(state.blocks.size() == 1);
  CHECK(state.blocks[0].state == core::block_state::free);
  CHECK(state.blocks[0].size_bytes == h.capacity_bytes());
}

}  // namespace bfc::test
