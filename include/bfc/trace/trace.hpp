/// A recorded sequence of allocations and frees, and the reader of its text form. Layer: trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bfc::trace {

/// One event. Frees refer to the block's allocation by number, so a replay needs no pointers.
struct event {
  std::uint32_t block = 0;       ///< Dense number of the block: the n-th allocation is block n.
  std::uint32_t thread = 0;      ///< As recorded.
  std::int64_t size_bytes = -1;  ///< Requested bytes; -1 is a free.
  std::uint64_t time_us = 0;     ///< Since the recording's clock origin.

  [[nodiscard]] bool is_free() const noexcept { return size_bytes < 0; }
};

/// A whole trace in memory.
struct trace {
  std::string name;                      ///< File name without folder and .tsv/.gz endings.
  std::vector<event> events;             ///< Frees of unknown pointers are not among them.
  std::uint64_t block_count = 0;         ///< Allocations.
  std::uint64_t unknown_frees = 0;       ///< Frees of pointers without a live allocation: skipped.
  std::uint64_t failed_allocations = 0;  ///< Allocations that returned a null pointer: skipped.
  std::uint64_t reissued_pointers = 0;   ///< Allocations of a pointer still live: the older block
                                         ///< is taken to have been freed unseen just before.
  bool truncated = false;                ///< The file ends within a record; what precedes is here.
  std::string warning;                   ///< One line for people when `truncated`, else empty.
};

/// Reads the 4-column text form: `seconds.micros <TAB> thread <TAB> size or -1 <TAB> pointer`,
/// plain or gzip (told apart by content, not by name). "-" reads standard input.
/// Fails: throws bfc::error with status::io_error (cannot open or read), or invalid_input naming
/// file, line, column, the rule and the text found.
[[nodiscard]] trace read_tsv(const std::string& path);

/// Parses text in memory; `name` is used in messages.
[[nodiscard]] trace parse_tsv(std::string_view text, const std::string& name);

}  // namespace bfc::trace
