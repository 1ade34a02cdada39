/// What a call reports instead of throwing: one enumerator per way it can end. Layer: base.
#pragma once

#include <cstdint>
#include <string_view>

namespace bfc {

/// The outcome of an operation. `ok` is zero; every other value leaves the allocator unchanged.
enum class status : std::uint8_t {
  ok = 0,
  out_of_memory,      ///< No place in the reservation can host the request, even after merging.
  host_memory,        ///< The host could not provide memory for bfc's own bookkeeping.
  invalid_size,       ///< The size overflows when rounded, or can never fit an address range.
  invalid_alignment,  ///< The alignment is no power of two, or above the pool's maximum.
  foreign_pointer,    ///< The pointer is in no bfc reservation.
  interior_pointer,   ///< The pointer is inside a live block, not at its start.
  double_free,        ///< The block was freed before and the address has not been issued again.
  not_allocated,      ///< The address is free memory; the history no longer knows who freed it.
  wrong_size,         ///< The size given at deallocation is not the one asked for.
  wrong_pool,         ///< The pointer belongs to another bfc allocator.
  cannot_expand,      ///< The memory behind the block is live or ends too early.
  closed,             ///< The allocator was closed.
  forked,             ///< The pool cannot be used in a forked child.
  unavailable,        ///< The device or feature is not there (no GPU, built without CUDA).
  driver_error,       ///< The memory source's own call failed.
  invalid_option,     ///< An option is out of range, or contradicts another one.
  invalid_input,      ///< A file, flag or text does not follow its grammar.
  truncated_input,    ///< A file ends in the middle of a record.
  io_error,           ///< Reading or writing a file failed.
};

/// The enumerator's own spelling, e.g. "out_of_memory".
[[nodiscard]] std::string_view name(status s) noexcept;

/// One sentence that says what the status means and what to do about it.
[[nodiscard]] std::string_view message(status s) noexcept;

}  // namespace bfc
