// What the CUDA edge answers in a build without a toolkit.
#include "cuda_ops.hpp"
#include <bfc/base/error.hpp>
#include <bfc/cuda/cuda_source.hpp>

#include <string>

namespace bfc::cuda {
namespace {

[[noreturn]] void refuse() {
  throw error(status::unavailable,
              "no CUDA device: this build has no CUDA in it; build with BFC_CUDA=ON and a CUDA "
              "toolkit, or use the host's memory");
}

}  // namespace

bool built_with_cuda() noexcept {
  return false;
}

std::unique_ptr<bfc::source> make_cuda_source(int /*ordinal*/) {
  refuse();
}

std::unique_ptr<device_ops> make_cuda_ops(int /*ordinal*/) {
  refuse();
}

}  // namespace bfc::cuda
