// How much memory this process could still have. Layer: source, private.
#pragma once

#include <cstdint>
#include <string>

namespace bfc::detail {

/// The kernel's MemAvailable, or what the process's control groups (v1 or v2, any ancestor) still
/// allow where that is less. 0 when nothing can be learnt.
/// `root` stands for "/" so that a test can offer other machines.
[[nodiscard]] std::uint64_t host_available_bytes(const std::string& root = {});

}  // namespace bfc::detail
