#include "cuda_ops.hpp"
#include "cuda_runtime.hpp"
#include "device_memory.hpp"
#include "pattern.hpp"
#include <bfc/base/error.hpp>

#include <algorithm>
#include <string>

namespace bfc::cuda {
namespace {

constexpr unsigned threads_a_block = 256;
constexpr std::uint64_t most_blocks = 4096;  // the rest is the stride's

__device__ std::uint64_t first_index() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::uint64_t stride() {
  return static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
}

__global__ void fill_kernel(fill_word fill_at, std::uint64_t words) {
  const std::uint64_t whole = whole_words(fill_at.block, fill_at.bytes);
  for (std::uint64_t i = first_index(); i < words; i += stride()) {
    if (i < whole) {
      fill_at.whole(i);
    } else {
      fill_at.bytewise(i);
    }
  }
}

__global__ void check_kernel(word_differs differs_at, std::uint64_t words,
                             unsigned long long* mismatches) {
  const std::uint64_t whole = whole_words(differs_at.block, differs_at.bytes);
  unsigned long long mine = 0;
  for (std::uint64_t i = first_index(); i < words; i += stride()) {
    mine += i < whole ? differs_at.whole(i) : differs_at.bytewise(i);
  }
  if (mine != 0) atomicAdd(mismatches, mine);  // rare: one atomic a thread is cheap enough
}

unsigned blocks_for(std::uint64_t words) {
  const std::uint64_t wanted = (words + threads_a_block - 1) / threads_a_block;
  return static_cast<unsigned>(std::min(wanted, most_blocks));
}

class cuda_ops final : public device_ops {
 public:
  explicit cuda_ops(int ordinal) : calls_(cuda_runtime()), ordinal_(ordinal) {
    const device_scope scope(calls_, ordinal_);
    cudaError_t code = static_cast<cudaError_t>(scope.code());
    // A stream of our own, so that nothing else's work is waited for.
    if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (code == cudaSuccess) code = cudaMalloc(&counter_, sizeof(*counter_));
    if (code == cudaSuccess) return;
    const std::string reason = cudaGetErrorString(code);
    close();
    throw error(status::unavailable, "CUDA device " + std::to_string(ordinal_) +
                                         " cannot be written to: " + reason +
                                         "; see who holds it with nvidia-smi, or use host memory");
  }
  cuda_ops(const cuda_ops&) = delete;
  cuda_ops& operator=(const cuda_ops&) = delete;
  ~cuda_ops() override {
    if (calls_.going_down()) return;
    const device_scope scope(calls_, ordinal_);
    close();
  }

  status fill(std::byte* block, std::size_t bytes, std::uint64_t seed) noexcept override {
    const std::uint64_t words = word_count(bytes);
    if (words == 0) return status::ok;
    const device_scope scope(calls_, ordinal_);
    if (scope.code() != runtime_success) return status::driver_error;
    fill_kernel<<<blocks_for(words), threads_a_block, 0, stream_>>>(
        fill_word{block, bytes, pattern(seed)}, words);
    return finish(cudaGetLastError());
  }

  status check(const std::byte* block, std::size_t bytes, std::uint64_t seed,
               std::uint64_t& mismatches) noexcept override {
    mismatches = 0;
    const std::uint64_t words = word_count(bytes);
    if (words == 0) return status::ok;
    const device_scope scope(calls_, ordinal_);
    if (scope.code() != runtime_success) return status::driver_error;
    cudaError_t code = cudaMemsetAsync(counter_, 0, sizeof(*counter_), stream_);
    if (code == cudaSuccess) {
      check_kernel<<<blocks_for(words), threads_a_block, 0, stream_>>>(
          word_differs{block, bytes, pattern(seed)}, words, counter_);
      code = cudaGetLastError();
    }
    unsigned long long counted = 0;
    if (code == cudaSuccess) {
      code = cudaMemcpyAsync(&counted, counter_, sizeof(counted), cudaMemcpyDeviceToHost, stream_);
    }
    const status answer = finish(code);
    mismatches = counted;
    return answer;
  }

 private:
  // Always waits, also after a failure: nothing may still be running when the call returns.
  status finish(cudaError_t code) noexcept {
    const cudaError_t waited = cudaStreamSynchronize(stream_);
    if (code == cudaSuccess && waited == cudaSuccess) return status::ok;
    (void)cudaGetLastError();
    return status::driver_error;
  }

  void close() noexcept {
    if (counter_ != nullptr) (void)cudaFree(counter_);
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
    (void)cudaGetLastError();
  }

  const runtime_calls& calls_;
  int ordinal_;
  cudaStream_t stream_ = nullptr;
  unsigned long long* counter_ = nullptr;
};

}  // namespace

std::unique_ptr<device_ops> make_cuda_ops(int ordinal) {
  return std::make_unique<cuda_ops>(ordinal);
}

}  // namespace bfc::cuda
