/// From a name on a command line to a source. Layer: cuda (stands on base and source).
/// Built without a CUDA toolkit too; then every way to CUDA answers status::unavailable.
#pragma once

#include <bfc/source/source.hpp>

#include <string>
#include <string_view>

namespace bfc::cuda {

struct selected_source {
  std::unique_ptr<bfc::source> where;
  std::string reason;  ///< One phrase for people: "host memory: no CUDA device answered (...)".
};

/// `name`: auto, host, sim or cuda. auto takes CUDA when this build has it and a device answers,
/// else the host. `sim_bytes`: the simulated device's size, 0 for its default.
/// Fails: throws bfc::error(invalid_option) for an unknown name (listing the names), and
/// bfc::error(unavailable) when cuda was asked for by name and cannot be had, saying why.
[[nodiscard]] selected_source select_source(std::string_view name, std::size_t sim_bytes = 0);

}  // namespace bfc::cuda
