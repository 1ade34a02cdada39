// Reading the traces named on the command line. Part of: cli.
#pragma once

#include "cli/output.hpp"
#include <bfc/trace/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bfc::cli {

struct loaded {
  trace::trace data;
  exit_code code = exit_code::done;  // truncated, unless that is tolerated
};

// Warns on stderr of a truncated trace. Fails: throws as trace::read_tsv.
[[nodiscard]] loaded load(const std::string& path, bool tolerant);

// Notes on stderr, for people, that some of the trace was left out. Silent when `unknown_frees` is
// 0.
void note_skipped(const std::string& trace_name, std::uint64_t unknown_frees);

// Fails: throws bfc::error(invalid_option) when standard input is named more than once, or a path
// is empty.
void check_paths(const std::vector<std::string>& paths);

}  // namespace bfc::cli
