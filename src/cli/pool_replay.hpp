// A trace played on a real allocator. Part of: cli.
#pragma once

#include <bfc/allocator/allocator.hpp>
#include <bfc/cuda/device_ops.hpp>
#include <bfc/replay/program.hpp>
#include <bfc/replay/timed_replay.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace bfc::cli {

// What one untimed pass found out.
struct pass_report {
  std::uint64_t refused_count = 0;  // allocations that found no place; their blocks are left out
  std::size_t first_refused_event = 0;  // in the trace
  std::uint64_t damaged_count = 0;      // blocks whose pattern did not survive
  std::string first_damage;             // which block, where, at which event
  std::uint64_t touched_bytes = 0;
  bfc::statistics statistics;  // at the end of the trace, before what is left is freed
};

using pass_progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Plays the program once; every request asks for `alignment`, 0 being one unit. With `touch`, fills
// every block with a pattern of its own and checks it before the block is freed, at the end also
// those that the trace leaves live. Fails: throws bfc::error when the allocator or the memory fails
// otherwise than by a refusal.
[[nodiscard]] pass_report check_pass(const replay::program& what, allocator& pool,
                                     std::size_t alignment, cuda::device_ops* touch,
                                     const pass_progress& progress);

// Times the program: `repeat` passes of each kind, after one to warm up.
[[nodiscard]] replay::timing time_passes(const replay::program& what, allocator& pool,
                                         std::size_t alignment, std::uint32_t repeat,
                                         const pass_progress& progress);

}  // namespace bfc::cli
