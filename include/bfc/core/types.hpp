/// The core's small vocabulary: ids, directions, policies. Layer: core.
#pragma once

#include <cstdint>
#include <string_view>

namespace bfc::core {

/// The streams that may still touch a free block, interned by the layer above. To the core it is
/// an opaque number; only equality with another one and with `none` matters.
enum class mark_set : std::uint32_t { none = 0 };

/// A caller's name for what memory is for, interned by the layer above. 0 is untagged.
enum class tag_id : std::uint32_t { none = 0 };

/// Which end of the chosen free block a request is cut from, and which of equally large blocks
/// is taken: the lowest address or the highest.
enum class placement : std::uint8_t { low, high };

/// When adjacent free blocks are merged. All but `immediate` let a freed block wait for a request
/// of its exact size, and merge what waits before a hole is split (heap.cpp says when not) and
/// before a request is refused.
enum class coalescing : std::uint8_t {
  immediate,   ///< In the deallocation that makes them adjacent.
  threshold,   ///< Also when more blocks or bytes wait than their limits.
  ratio,       ///< Also when the historic frees/allocations of a window reach their limit.
  on_failure,  ///< At no other time, as long as there are places to wait in.
};

[[nodiscard]] std::string_view name(coalescing policy) noexcept;

/// All policies, in the order in which reports list them.
inline constexpr coalescing all_coalescing_policies[] = {
    coalescing::immediate, coalescing::threshold, coalescing::ratio, coalescing::on_failure};

}  // namespace bfc::core
