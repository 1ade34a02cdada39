// The audit build's check after every mutation. Private to core.
#pragma once

#include <bfc/base/contract.hpp>
#include <bfc/core/heap.hpp>

namespace bfc::core {

/// Validates the whole heap; ends the process and prints the violations if there are any.
void audit_now(const heap& what) noexcept;

/// Does nothing but in audit builds (contract.hpp). There: every mutation of a heap of up to 2,000
/// blocks is checked, and one in so many of a larger one that the cost a mutation stays the same.
inline void audit(const heap& what) noexcept {
  if constexpr (audit_enabled) audit_now(what);
}

}  // namespace bfc::core
