// Aligned address ranges from mmap. Layer: source, private.
#pragma once

#include <bfc/source/source.hpp>

#include <cstddef>
#include <cstdint>

namespace bfc::detail {

/// Whether the pages of a range may be touched.
enum class access { none, read_write };

/// Maps anonymous, unreserved pages at a base aligned to `alignment`; `calls` counts the calls
/// made of the system. The range's length is `bytes`, its mapping ends at the next page border.
/// Fails: invalid_size (0, or longer than any address space), invalid_alignment, out_of_memory,
/// driver_error.
[[nodiscard]] range_result map_aligned(std::size_t bytes, std::size_t alignment, access rights,
                                       std::uint64_t& calls) noexcept;

/// Unmaps a range of map_aligned.
status unmap(memory_range range, std::uint64_t& calls) noexcept;

}  // namespace bfc::detail
