// What bfc keeps for each thread. Private to allocator.
#pragma once

#include <bfc/core/types.hpp>

#include <cstdint>

namespace bfc {

struct thread_context {
  std::uint32_t number = 0;  ///< From 1, in the order in which threads first call bfc; 0: not yet.
  core::tag_id tag = core::tag_id::none;
  bool in_callback = false;  ///< Inside an out-of-memory callback.
};

namespace detail {
/// Initial-exec: an access is one instruction, in the shared library too.
extern thread_local constinit thread_context context __attribute__((tls_model("initial-exec")));
void number_thread(thread_context& c) noexcept;
}  // namespace detail

[[nodiscard]] inline thread_context& this_thread_context() noexcept {
  if (detail::context.number == 0) detail::number_thread(detail::context);
  return detail::context;
}

}  // namespace bfc
