#include <bfc/core/coalesce_trigger.hpp>

namespace bfc::core {

bool coalesce_trigger::window_closed(std::uint64_t unmerged_count,
                                     std::uint64_t unmerged_bytes) noexcept {
  bool due = false;
  if (policy_ == coalescing::threshold) {
    due = unmerged_count >= options_.unmerged_limit_count ||
          unmerged_bytes >= options_.unmerged_limit_bytes;
    // Not due: the window stays closed, and the next free asks again.
    if (!due || unmerged_count == 0) {
      window_frees_ = options_.window_frees - 1;
      return false;
    }
  } else if (policy_ == coalescing::ratio) {
    due = static_cast<double>(window_frees_) >=
          options_.ratio_limit * static_cast<double>(window_allocations_);
  }
  window_frees_ = 0;
  window_allocations_ = 0;
  return due && unmerged_count > 0;
}

}  // namespace bfc::core
