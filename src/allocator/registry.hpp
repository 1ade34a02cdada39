// All pools of the process: whose pointer is it, and what happens at fork. Private to allocator.
#pragma once

#include <bfc/allocator/allocator.hpp>

namespace bfc {

/// Makes a pool known until remove_pool. From the first one on, fork waits for every pool's lock,
/// so that a child never inherits one in the middle of a change.
void add_pool(allocator::state& pool);
void remove_pool(allocator::state& pool) noexcept;

/// Whether `pointer` is in the reservation of an open pool.
[[nodiscard]] bool is_in_any_pool(const void* pointer) noexcept;

}  // namespace bfc
