#include "cuda_runtime.hpp"
#include "device_memory.hpp"
#include <bfc/cuda/cuda_source.hpp>

#include <atomic>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <mutex>

namespace bfc::cuda {
namespace {

static_assert(runtime_success == cudaSuccess);
static_assert(runtime_memory_allocation == cudaErrorMemoryAllocation);
static_assert(runtime_unloading == cudaErrorCudartUnloading);

std::atomic<bool> runtime_down{false};

// Handlers run last in, first out. This one is registered after the first call has made the
// runtime register its own, so it runs before the runtime goes.
void watch_for_the_end() noexcept {
  static std::once_flag registered;
  std::call_once(registered, [] {
    (void)std::atexit([] { runtime_down.store(true, std::memory_order_relaxed); });
  });
}

runtime_code device_count(int* count) noexcept {
  const runtime_code answer = cudaGetDeviceCount(count);
  watch_for_the_end();
  return answer;
}
runtime_code current_device(int* ordinal) noexcept {
  return cudaGetDevice(ordinal);
}
runtime_code use_device(int ordinal) noexcept {
  return cudaSetDevice(ordinal);
}
runtime_code memory_info(std::size_t* free_bytes, std::size_t* total_bytes) noexcept {
  return cudaMemGetInfo(free_bytes, total_bytes);
}
runtime_code allocate(void** base, std::size_t bytes) noexcept {
  return cudaMalloc(base, bytes);
}
runtime_code free_base(void* base) noexcept {
  return cudaFree(base);
}
void forget_error() noexcept {
  (void)cudaGetLastError();
}
const char* text(runtime_code code) noexcept {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}
bool going_down() noexcept {
  return runtime_down.load(std::memory_order_relaxed);
}

constexpr runtime_calls table{device_count, current_device, use_device, memory_info, allocate,
                              free_base,    forget_error,   text,       going_down};

}  // namespace

const runtime_calls& cuda_runtime() noexcept {
  return table;
}

bool built_with_cuda() noexcept {
  return true;
}

std::unique_ptr<bfc::source> make_cuda_source(int ordinal) {
  return std::make_unique<device_memory>(cuda_runtime(), ordinal);
}

}  // namespace bfc::cuda
