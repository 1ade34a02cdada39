/// A device of any size that holds nothing: addresses only, and failures on schedule.
/// Layer: source.
#pragma once

#include <bfc/source/source.hpp>

#include <cstdint>
#include <vector>

namespace bfc {

struct simulated_options {
  std::size_t device_bytes = std::size_t{139}
                             << 30;  ///< What the device has; reserve() above it fails.
  std::uint64_t fail_calls_until =
      0;  ///< reserve() fails with out_of_memory for its first n calls.
  std::vector<std::uint64_t>
      fail_on_call;  ///< 1-based numbers of reserve() calls that fail likewise.
  status failure = status::out_of_memory;  ///< What a scheduled failure reports; never ok.
  bool survives_fork = false;              ///< Like device memory, unless a test wants otherwise.
};

/// The addresses are unique and never readable: touching one faults, as device memory would.
/// Fails: throws bfc::error(invalid_option) when `failure` is ok.
[[nodiscard]] std::unique_ptr<source> make_simulated_source(const simulated_options& options = {});

}  // namespace bfc
