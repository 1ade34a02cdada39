// The operations for CUDA memory. Layer: cuda, private. Defined in device_ops.cu, or without a
// toolkit in cuda_source_absent.cpp.
#pragma once

#include <bfc/cuda/device_ops.hpp>

#include <memory>

namespace bfc::cuda {

/// Fails: throws bfc::error(unavailable) with the driver's reason.
[[nodiscard]] std::unique_ptr<device_ops> make_cuda_ops(int ordinal);

}  // namespace bfc::cuda
