#include <bfc/core/coalesce_trigger.hpp>

namespace bfc::core {

coalesce_trigger::coalesce_trigger(coalescing policy, const trigger_options& options,
                                   std::uint64_t limit_units) noexcept {
  if (policy == coalescing::threshold) {
    limit_units_ = limit_units;
  } else if (policy == coalescing::ratio) {
    window_frees_ = options.window_frees;
    frees_left_ = window_frees_;
    ratio_limit_ = options.ratio_limit;
  }
}

bool coalesce_trigger::window_closed(std::uint64_t unmerged_units,
                                     std::uint64_t allocations) noexcept {
  const std::uint64_t allocated = allocations - allocations_at_start_;
  frees_left_ = window_frees_;
  allocations_at_start_ = allocations;
  return unmerged_units > 0 &&
         static_cast<double>(window_frees_) >= ratio_limit_ * static_cast<double>(allocated);
}

}  // namespace bfc::core
