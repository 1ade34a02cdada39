// What the command says and how it ends. Part of: cli.
#pragma once

#include <bfc/base/error.hpp>

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace bfc::cli {

// Ordered by precedence: where several apply, the lowest but `done` is the program's.
enum class exit_code : int {
  done = 0,
  bad_result = 1,  // an allocation found no place, a block was damaged, stdout was closed
  usage = 2,       // a wrong flag, size or file
  truncated = 3,   // a trace ends early and --tolerant was not given
};

[[nodiscard]] exit_code worse(exit_code a, exit_code b) noexcept;

// The result was found but could not be handed over: the reader went away, or the disk is full.
class unwritable : public error {
 public:
  using error::error;
};

// Writes a whole result to stdout. Fails: throws unwritable.
void write_result(std::string_view text);

// Writes JSON, indented. A name that is no UTF-8 is shown with U+FFFD for what is wrong in it: the
// figures are good all the same. Fails: throws unwritable.
void write_json(const nlohmann::ordered_json& value);

// Writes one line to stderr, "bfc: " before it and line breaks taken out.
void complain(std::string_view text) noexcept;

}  // namespace bfc::cli
