#include <bfc/core/types.hpp>

namespace bfc::core {

std::string_view name(coalescing policy) noexcept {
  switch (policy) {
    case coalescing::immediate:
      return "immediate";
    case coalescing::threshold:
      return "threshold";
    case coalescing::ratio:
      return "ratio";
    case coalescing::on_failure:
      return "on-failure";
  }
  return "unknown";
}

}  // namespace bfc::core
