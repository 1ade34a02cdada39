/// Why a request could not be served. Layer: allocator.
#pragma once

#include <bfc/base/status.hpp>
#include <bfc/core/types.hpp>

#include <cstdint>
#include <new>
#include <string>

namespace bfc {

/// In one word, what stood in the way.
enum class shortage : std::uint8_t {
  larger_than_reservation,  ///< It can never fit.
  true_shortage,            ///< Fewer bytes are free than were asked for.
  alignment,                ///< A free block is large enough, but not at this alignment.
  fragmentation,            ///< Enough bytes are free, but not in one piece.
};

[[nodiscard]] const char* name(shortage why) noexcept;

/// The figures at the moment of refusal.
struct out_of_memory_report {
  std::string pool;  ///< options::name.
  std::uint64_t requested_bytes = 0;
  std::uint64_t rounded_bytes = 0;
  std::uint64_t alignment = 0;
  core::tag_id tag = core::tag_id::none;
  std::uint64_t capacity_bytes = 0;
  std::uint64_t live_bytes = 0;  ///< Rounded.
  std::uint64_t live_requested_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t largest_free_bytes = 0;     ///< In one piece, at the least alignment.
  std::uint64_t largest_aligned_bytes = 0;  ///< In one piece, at the request's alignment.
  shortage why = shortage::true_shortage;
  std::uint64_t event = 0;  ///< Number of the out_of_memory event.

  /// Five lines for people: the verdict, the request, the memory, and what would help.
  [[nodiscard]] std::string text() const;
};

/// Thrown by allocator::allocate.
class out_of_memory : public std::bad_alloc {
 public:
  explicit out_of_memory(out_of_memory_report report);
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] const out_of_memory_report& report() const noexcept { return report_; }

 private:
  out_of_memory_report report_;
  std::string text_;
};

}  // namespace bfc
