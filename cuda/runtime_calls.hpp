// The few CUDA runtime calls the source makes, as a table, so that everything decided around them
// is tested on machines without a device. Names no CUDA type. Layer: cuda, private.
#pragma once

#include <cstddef>

namespace bfc::cuda {

/// A cudaError_t. The values named here are the ones that decide something; cuda_source.cpp
/// checks them against the toolkit's.
using runtime_code = int;
inline constexpr runtime_code runtime_success = 0;
inline constexpr runtime_code runtime_memory_allocation = 2;
inline constexpr runtime_code runtime_unloading = 4;

struct runtime_calls {
  runtime_code (*device_count)(int* count) noexcept;
  runtime_code (*current_device)(int* ordinal) noexcept;
  runtime_code (*use_device)(int ordinal) noexcept;
  runtime_code (*memory_info)(std::size_t* free_bytes, std::size_t* total_bytes) noexcept;
  runtime_code (*allocate)(void** base, std::size_t bytes) noexcept;
  runtime_code (*free)(void* base) noexcept;
  /// Clears the thread's last error, so that the caller's next check does not find ours.
  void (*forget_error)() noexcept;
  const char* (*text)(runtime_code) noexcept;
  /// Whether the process is ending and the runtime may be gone: then no call is made.
  bool (*going_down)() noexcept;
};

}  // namespace bfc::cuda
