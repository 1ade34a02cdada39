#include <bfc/core/heap.hpp>
#include <bfc/core/validator.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace bfc::core {

/// Every mutation of a heap of up to 2,000 blocks is checked, and one in so many of a larger one
/// that the cost a mutation stays the same. Violations are printed, and end the process.
void heap::audit_now() const noexcept {
  static thread_local std::uint64_t skipped_blocks = 0;
  constexpr std::uint64_t always_below = 2000;
  const std::uint64_t blocks = blocks_.size();
  if (blocks > always_below) {
    skipped_blocks += always_below;
    if (skipped_blocks < blocks) return;
    skipped_blocks = 0;
  }
  const auto violations = validate(take_snapshot());
  if (violations.empty()) return;
  for (const violation& v : violations) {
    std::fprintf(stderr, "bfc audit: invariant %d: %s\n", v.invariant, v.text.c_str());
  }
  std::abort();
}

}  // namespace bfc::core
