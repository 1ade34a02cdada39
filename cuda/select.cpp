#include <bfc/base/error.hpp>
#include <bfc/cuda/cuda_source.hpp>
#include <bfc/cuda/select.hpp>
#include <bfc/source/host_source.hpp>
#include <bfc/source/simulated_source.hpp>

namespace bfc::cuda {
namespace {

selected_source first_answering() {
  try {
    return {make_cuda_source(), "CUDA device 0: it answered"};
  } catch (const error& refusal) {
    // The reason only: what to do about it is no business of a user who is content with the host.
    const std::string text = refusal.what();
    return {make_host_source(), "host memory: " + text.substr(0, text.find(';'))};
  }
}

selected_source simulated(std::size_t bytes) {
  simulated_options options;
  if (bytes != 0) options.device_bytes = bytes;
  return {make_simulated_source(options), "simulated memory: as asked for; it cannot be touched"};
}

}  // namespace

selected_source select_source(std::string_view name, std::size_t sim_bytes) {
  if (name == "auto") return first_answering();
  if (name == "host") return {make_host_source(), "host memory: as asked for"};
  if (name == "sim") return simulated(sim_bytes);
  if (name == "cuda") return {make_cuda_source(), "CUDA device 0: as asked for"};
  throw error(status::invalid_option, "device \"" + std::string(name) +
                                          "\" is not known; use one of auto, host, sim, cuda");
}

}  // namespace bfc::cuda
