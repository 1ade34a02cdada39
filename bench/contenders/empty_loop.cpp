/// Does nothing when called. What is left is the measuring loop itself, which every contender's
/// figure contains.
#include "contenders.hpp"

namespace bfc::bench {
namespace {

class empty_loop {
 public:
  explicit empty_loop(const setup&) {}

  // The empty statement keeps the optimiser from seeing that nothing happens.
  [[gnu::noinline]] std::uint64_t allocate(std::uint64_t bytes) noexcept {
    asm volatile("" : "+r"(bytes));
    return bytes;
  }

  [[gnu::noinline]] bool deallocate(std::uint64_t where) noexcept {
    asm volatile("" : "+r"(where));
    return true;
  }

  [[nodiscard]] std::uint64_t base() const noexcept { return 0; }
};

}  // namespace

contender_entry make_empty_loop() {
  return {"empty-loop", maker<empty_loop>(), false, false, false};
}

}  // namespace bfc::bench
