#include "thread_context.hpp"

#include <atomic>

namespace bfc::detail {

thread_local constinit thread_context context{};

void number_thread(thread_context& c) noexcept {
  static std::atomic<std::uint32_t> last{0};
  c.number = last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace bfc::detail
