#include "cuda_ops.hpp"
#include "pattern.hpp"
#include <bfc/base/error.hpp>
#include <bfc/cuda/device_ops.hpp>

#include <string>

namespace bfc::cuda {
namespace {

class host_ops final : public device_ops {
 public:
  // Two loops each, so that the compiler can make the one over whole words wide.
  status fill(std::byte* block, std::size_t bytes, std::uint64_t seed) noexcept override {
    const fill_word fill_at{block, bytes, pattern(seed)};
    const std::uint64_t whole = whole_words(block, bytes);
    const std::uint64_t words = word_count(bytes);
    for (std::uint64_t i = 0; i < whole; ++i) fill_at.whole(i);
    for (std::uint64_t i = whole; i < words; ++i) fill_at.bytewise(i);
    return status::ok;
  }

  status check(const std::byte* block, std::size_t bytes, std::uint64_t seed,
               std::uint64_t& mismatches) noexcept override {
    const word_differs differs_at{block, bytes, pattern(seed)};
    const std::uint64_t whole = whole_words(block, bytes);
    const std::uint64_t words = word_count(bytes);
    std::uint64_t counted = 0;
    for (std::uint64_t i = 0; i < whole; ++i) counted += differs_at.whole(i);
    for (std::uint64_t i = whole; i < words; ++i) counted += differs_at.bytewise(i);
    mismatches = counted;
    return status::ok;
  }
};

}  // namespace

std::unique_ptr<device_ops> make_device_ops(const bfc::source& where) {
  if (where.host_accessible()) return std::make_unique<host_ops>();
  if (where.device() >= 0) return make_cuda_ops(where.device());
  throw error(status::unavailable,
              "memory of source \"" + std::string(where.name()) +
                  "\" cannot be touched: there is nothing behind its addresses; use the source "
                  "host or cuda");
}

}  // namespace bfc::cuda
