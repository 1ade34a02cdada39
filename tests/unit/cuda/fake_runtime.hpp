// A CUDA runtime in a few variables, to try what is decided around the real one's calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <runtime_calls.hpp>
#include <string>
#include <vector>

namespace bfc::test {

/// The state behind `fake_calls()`. One at a time: a test resets it first.
struct fake_runtime {
  int count = 1;
  int current = 0;
  cuda::runtime_code count_answer = 0;
  cuda::runtime_code current_answer = 0;
  cuda::runtime_code use_answer = 0;
  cuda::runtime_code info_answer = 0;
  cuda::runtime_code free_answer = 0;
  std::vector<cuda::runtime_code> allocate_answers;  ///< One a call; success when used up.
  std::size_t free_bytes = std::size_t{100} << 30;
  std::uintptr_t base_alignment = std::uintptr_t{2} << 20;  ///< Bases are odd multiples of it.
  bool down = false;

  std::map<void*, std::size_t> live;
  std::vector<std::size_t> allocated;  ///< The size of each allocation asked for.
  std::vector<int> devices_allocated_on;
  std::uint64_t memory_calls = 0;
  std::uint64_t all_calls = 0;
  std::uint64_t errors_left = 0;  ///< Failures not forgotten.
};

fake_runtime& fake();
const cuda::runtime_calls& fake_calls();

}  // namespace bfc::test
