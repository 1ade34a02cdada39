/// The few things done *to* memory, behind one interface for host and device memory. Layer: cuda.
#pragma once

#include <bfc/base/status.hpp>
#include <bfc/source/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bfc::cuda {

/// Writes and checks a block-specific pattern: the 64-bit word at byte offset 8·i of the block is
/// a mix of `seed` and i; trailing bytes (fewer than 8) are the low bytes of the next word.
///
/// Thread safety: one thread at a time. Stream order: every call has finished when it returns.
class device_ops {
 public:
  virtual ~device_ops() = default;
  virtual status fill(std::byte* block, std::size_t bytes, std::uint64_t seed) noexcept = 0;
  /// Sets `mismatches` to the number of 8-byte words (the partial last one included) that differ.
  virtual status check(const std::byte* block, std::size_t bytes, std::uint64_t seed,
                       std::uint64_t& mismatches) noexcept = 0;
};

/// The operations for memory of this source: a host loop or CUDA kernels over the same functor.
/// Fails: throws bfc::error(unavailable) when the source's memory cannot be touched ("sim").
[[nodiscard]] std::unique_ptr<device_ops> make_device_ops(const bfc::source& where);

}  // namespace bfc::cuda
