/// Device memory by one cudaMalloc. Layer: cuda (stands on base and source).
/// This header names no CUDA type, so that it compiles without a toolkit.
#pragma once

#include <bfc/source/source.hpp>

#include <memory>

namespace bfc::cuda {

/// Whether this build has CUDA code in it (a toolkit was found and BFC_CUDA was on).
[[nodiscard]] bool built_with_cuda() noexcept;

/// The memory of device `ordinal`, by cudaMalloc. available_bytes() is cudaMemGetInfo's free less
/// a margin of 1/32 (at least 256 MiB) for contexts, libraries and other processes.
/// Does not survive fork. Makes no CUDA call in release() once the runtime is going down.
/// Fails: throws bfc::error(unavailable) with the driver's reason and the remedy.
[[nodiscard]] std::unique_ptr<bfc::source> make_cuda_source(int ordinal = 0);

}  // namespace bfc::cuda
