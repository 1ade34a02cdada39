/// Where a reservation comes from. Layer: source (stands on base only).
#pragma once

#include <bfc/base/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace bfc {

/// One contiguous address range. `base` need not be readable by the host.
struct memory_range {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
};

struct range_result {
  status code = status::ok;
  memory_range range;
};

/// Hands out address ranges. A pool takes one at its start and returns it at its end; nothing
/// else calls a source, so a running pool makes no driver call.
///
/// Thread safety: calls on one source are made by one thread at a time.
class source {
 public:
  virtual ~source() = default;

  /// "host", "sim" or "cuda".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// The CUDA device ordinal, or -1 when the memory belongs to the host.
  [[nodiscard]] virtual int device() const noexcept = 0;

  /// Whether the host may read and write the memory.
  [[nodiscard]] virtual bool host_accessible() const noexcept = 0;

  /// Whether a forked child may go on using the memory (its own copy of it).
  [[nodiscard]] virtual bool survives_fork() const noexcept = 0;

  /// Bytes that could be reserved now, as far as the source can know. 0: nothing, or unknown.
  [[nodiscard]] virtual std::size_t available_bytes() noexcept = 0;

  /// Reserves `bytes` at a base aligned to `alignment` (a power of two).
  /// Fails: invalid_size (0 or beyond any address space), invalid_alignment, out_of_memory,
  /// host_memory, unavailable, driver_error, forked; nothing is held then.
  [[nodiscard]] virtual range_result reserve(std::size_t bytes, std::size_t alignment) noexcept = 0;

  /// Returns a range obtained from this source's `reserve`. What is still held when the source
  /// ends is returned then.
  /// Fails: foreign_pointer when it is not exactly such a range, driver_error, forked.
  virtual status release(memory_range range) noexcept = 0;

  /// Calls made so far that asked the system or driver for memory or about memory.
  [[nodiscard]] virtual std::uint64_t driver_calls() const noexcept = 0;
};

struct backoff_result {
  status code = status::ok;
  memory_range range;
  unsigned attempts = 0;  ///< Calls of `reserve`.
};

/// Reserves `wanted` bytes, or on out_of_memory nine tenths of it, and so on down to `least`.
/// Every step is strictly smaller than the one before and a multiple of `granule`, so it ends
/// after a bounded number of attempts. `wanted` is rounded down to the granule, `least` up to it.
/// Fails: the source's last answer; or without a call invalid_alignment (granule or alignment is
/// no power of two) or invalid_size (no multiple of the granule lies between least and wanted).
[[nodiscard]] backoff_result reserve_with_backoff(source& from, std::size_t wanted,
                                                  std::size_t least, std::size_t granule,
                                                  std::size_t alignment) noexcept;

}  // namespace bfc
