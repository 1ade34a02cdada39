/// Pools for tests of the facade, and the checks with which such tests end.
#pragma once

#include <bfc/allocator/allocator.hpp>
#include <bfc/base/units.hpp>
#include <bfc/core/validator.hpp>
#include <bfc/source/host_source.hpp>
#include <bfc/source/simulated_source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

#include <catch2/catch.hpp>

namespace bfc::test {

/// Small spaces with small alignments, so that exhausting them takes few calls.
inline options small_options(std::uint64_t capacity_bytes, std::uint64_t max_alignment = 4096) {
  options how;
  how.capacity_bytes = capacity_bytes;
  how.max_alignment = max_alignment;
  how.expected_blocks = 64;
  return how;
}

/// Addresses only: touching them faults.
inline std::unique_ptr<allocator> simulated_pool(const options& how) {
  return std::make_unique<allocator>(make_simulated_source(), how);
}

/// Memory that can be written.
inline std::unique_ptr<allocator> host_pool(const options& how) {
  return std::make_unique<allocator>(make_host_source(), how);
}

inline void check_valid(const allocator& pool) {
  for (const core::violation& v : core::validate(pool.take_snapshot())) {
    CAPTURE(v.invariant, v.text);
    CHECK(false);
  }
}

/// Ends a test: everything was given back, and after merging all space is one block.
inline void check_all_space_is_one_block(allocator& pool) {
  pool.coalesce();
  check_valid(pool);
  const core::snapshot state = pool.take_snapshot();
  REQUIRE(state.blocks.size() == 1);
  CHECK(state.blocks[0].state == core::block_state::free);
  CHECK(state.blocks[0].size_bytes == pool.capacity_bytes());
  CHECK(pool.largest_available() == pool.capacity_bytes());
}

inline std::byte* as_bytes(void* pointer) {
  return static_cast<std::byte*>(pointer);
}

}  // namespace bfc::test
