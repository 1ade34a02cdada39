/// Counts what the process asks of the heap. Part of: bench.
#pragma once

#include <cstdint>

namespace bfc::bench {

/// Calls of operator new by this thread so far. This binary replaces operator new to count them.
[[nodiscard]] std::uint64_t heap_allocations() noexcept;

/// Bytes the C heap holds for the process now; 0 where it does not say (sanitizers).
[[nodiscard]] std::uint64_t heap_bytes_in_use() noexcept;

}  // namespace bfc::bench
