// From the bytes of a 4-column trace to its events. Layer: trace.
#pragma once

#include "trace/live_pointers.hpp"
#include <bfc/trace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bfc::trace {

// No record is longer: 20 + 1 + 6 digits of time, 10 of thread, 19 of size, 18 of pointer, tabs.
// Leading zeros are allowed up to this; a longer line is refused before it is read to its end.
inline constexpr std::size_t max_line_bytes = 128;

// Takes a file's text in pieces of any size. `name` is how messages call the file.
class tsv_parser {
 public:
  tsv_parser(std::string name, std::string trace_name);

  // Takes the whole lines of `text` and returns how many bytes they are; the caller gives the
  // rest again, with more behind it. Fails: throws bfc::error(invalid_input).
  [[nodiscard]] std::size_t feed(std::string_view text);

  // Ends the file with what `feed` left of it. `cut_off`: the file is known to go on.
  [[nodiscard]] trace finish(std::string_view rest, bool cut_off);

 private:
  struct record {
    std::uint64_t time_us = 0;
    std::uint64_t pointer = 0;
    std::int64_t size_bytes = 0;
    std::uint32_t thread = 0;
  };

  // Why a line is no record, and where in it; `rule` is null when it is one.
  struct verdict {
    const char* rule = nullptr;
    std::size_t at = 0;
  };

  [[nodiscard]] verdict parse(std::string_view line, record& out) const noexcept;
  void take(const record& what);
  [[noreturn]] void refuse(std::string_view line, const verdict& why) const;

  std::string name_;
  trace result_;
  live_pointers live_;
  std::uint64_t lines_ = 0;  // whole ones taken so far
  std::uint64_t last_time_us_ = 0;
};

}  // namespace bfc::trace
