#include "audit.hpp"

#include <bfc/core/validator.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace bfc::core {

void audit_now(const heap& what) noexcept {
  static thread_local std::uint64_t skipped_blocks = 0;
  constexpr std::uint64_t always_below = 2000;
  const std::uint64_t blocks = what.counters().live_blocks + what.free_blocks();
  if (blocks > always_below) {
    skipped_blocks += always_below;
    if (skipped_blocks < blocks) return;
    skipped_blocks = 0;
  }
  const auto violations = validate(what.take_snapshot());
  if (violations.empty()) return;
  for (const violation& v : violations) {
    std::fprintf(stderr, "bfc audit: invariant %d: %s\n", v.invariant, v.text.c_str());
  }
  std::abort();
}

}  // namespace bfc::core
