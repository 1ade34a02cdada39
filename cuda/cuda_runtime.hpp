// The real runtime behind the table. Layer: cuda, private; defined only with a toolkit.
#pragma once

#include "runtime_calls.hpp"

namespace bfc::cuda {

[[nodiscard]] const runtime_calls& cuda_runtime() noexcept;

}  // namespace bfc::cuda
