/// A test of the heap as data: a setup and typed steps. Programs come from a seed, from bytes
/// (fuzzing) or from source; they print as C++ that can be pasted into a regression test.
#pragma once

#include <bfc/core/heap.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bfc::model {

enum class step_kind : std::uint8_t {
  allocate,
  release,  ///< The nth live block, counted modulo the live blocks.
  release_with_marks,
  settle,
  expand,  ///< By `bytes` more than was requested; the sum stops at 2^64 - 1.
  shrink,  ///< To `permille` thousandths of what was requested; 0 or > 1000 is misuse.
  coalesce,
  bad_release,  ///< Release, expand and shrink at an offset that is no block's start.
  largest,
};

/// Where a bad release aims.
enum class bad_offset : std::uint8_t {
  foreign,   ///< `delta` bytes beyond the capacity, at most 2^64 - 1.
  interior,  ///< 1 + delta % (size - 1) bytes into the nth live block.
  free,      ///< The start of the nth free hole.
  freed,     ///< The offset freed last.
};

struct step {
  step_kind kind = step_kind::coalesce;
  std::uint64_t bytes = 0;      ///< allocate: request; expand: more; shrink: permille; bad: delta.
  std::uint64_t alignment = 0;  ///< allocate, largest.
  core::placement place = core::placement::low;
  std::uint32_t tag = 0;
  std::uint32_t nth = 0;
  std::uint32_t marks = 0;
  bad_offset aim = bad_offset::foreign;
  bool operator==(const step&) const = default;
};

[[nodiscard]] step allocate(std::uint64_t bytes, std::uint64_t alignment = 0,
                            core::placement place = core::placement::low, std::uint32_t tag = 0);
[[nodiscard]] step release(std::uint32_t nth);
[[nodiscard]] step release_with_marks(std::uint32_t nth, std::uint32_t marks);
[[nodiscard]] step settle(std::uint32_t marks);
[[nodiscard]] step expand(std::uint32_t nth, std::uint64_t more);
[[nodiscard]] step shrink(std::uint32_t nth, std::uint64_t permille, std::uint32_t marks = 0);
[[nodiscard]] step coalesce();
[[nodiscard]] step bad_release(bad_offset aim, std::uint32_t nth, std::uint64_t delta);
[[nodiscard]] step largest(std::uint64_t alignment);

struct program {
  core::heap_options setup;
  std::vector<step> steps;
};

/// C++ source that rebuilds the program.
[[nodiscard]] std::string to_source(const program& p);
[[nodiscard]] std::string to_source(const step& s);

/// Every byte sequence is a program; equal bytes are equal programs. Steps are bounded by the
/// length: at least one byte each.
[[nodiscard]] program decode(std::span<const std::uint8_t> bytes);

}  // namespace bfc::model
