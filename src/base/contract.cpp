#include <bfc/base/contract.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace bfc::detail {

void expectation_failed(const char* condition, const char* text, const char* file, int line) {
  throw contract_violation(std::string(text) + " (expected: " + condition + ", at " + file + ":" +
                           std::to_string(line) + ")");
}

// The process ends here, perhaps in the middle of an allocation and perhaps under a lock: no heap
// and no stdio buffers.
void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::array<char, 512> text{};
  const int length = std::snprintf(text.data(), text.size(),
                                   "bfc: assertion failed: %s, at %s:%d\n", condition, file, line);
  if (length > 0) {
    const std::size_t shown = std::min(static_cast<std::size_t>(length), text.size() - 1);
    if (::write(STDERR_FILENO, text.data(), shown) < 0) std::abort();
  }
  std::abort();
}

}  // namespace bfc::detail
