#include "fake_runtime.hpp"

namespace bfc::test {
namespace {

using cuda::runtime_code;

runtime_code answer(runtime_code code) {
  ++fake().all_calls;
  if (code != cuda::runtime_success) ++fake().errors_left;
  return code;
}

runtime_code device_count(int* count) noexcept {
  *count = fake().count;
  return answer(fake().count_answer);
}
runtime_code current_device(int* ordinal) noexcept {
  *ordinal = fake().current;
  return answer(fake().current_answer);
}
runtime_code use_device(int ordinal) noexcept {
  if (fake().use_answer == cuda::runtime_success) fake().current = ordinal;
  return answer(fake().use_answer);
}
runtime_code memory_info(std::size_t* free_bytes, std::size_t* total_bytes) noexcept {
  ++fake().memory_calls;
  *free_bytes = fake().free_bytes;
  *total_bytes = fake().free_bytes;
  return answer(fake().info_answer);
}
runtime_code allocate(void** base, std::size_t bytes) noexcept {
  fake_runtime& f = fake();
  ++f.memory_calls;
  const std::size_t call = f.allocated.size();
  f.allocated.push_back(bytes);
  f.devices_allocated_on.push_back(f.current);
  if (call < f.allocate_answers.size() && f.allocate_answers[call] != cuda::runtime_success) {
    return answer(f.allocate_answers[call]);
  }
  if (bytes > f.free_bytes) return answer(cuda::runtime_memory_allocation);
  // Far apart, so that nothing overlaps, and no better aligned than asked for.
  const std::uintptr_t address =
      (std::uintptr_t{1} << 44) + ((std::uintptr_t{call} + 1) << 38) + f.base_alignment;
  *base = reinterpret_cast<void*>(address);
  f.live[*base] = bytes;
  return answer(cuda::runtime_success);
}
runtime_code free_base(void* base) noexcept {
  ++fake().memory_calls;
  if (fake().live.erase(base) != 1) return answer(1);
  return answer(fake().free_answer);
}
void forget_error() noexcept {
  ++fake().all_calls;
  fake().errors_left = 0;
}
const char* text(runtime_code code) noexcept {
  return code == 35 ? "CUDA driver version is insufficient for CUDA runtime version"
                    : "some other failure";
}
bool going_down() noexcept {
  return fake().down;
}

constexpr cuda::runtime_calls table{device_count, current_device, use_device, memory_info, allocate,
                                    free_base,    forget_error,   text,       going_down};

}  // namespace

fake_runtime& fake() {
  static fake_runtime state;
  return state;
}

const cuda::runtime_calls& fake_calls() {
  return table;
}

}  // namespace bfc::test
