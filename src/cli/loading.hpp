// Reading the traces named on the command line. Part of: cli.
#pragma once

#include "cli/output.hpp"
#include <bfc/trace/trace.hpp>

#include <string>
#include <vector>

namespace bfc::cli {

struct loaded {
  trace::trace data;
  exit_code code = exit_code::done;  // truncated, unless that is tolerated
};

// Warns on stderr of a truncated trace. Fails: throws as trace::read_tsv.
[[nodiscard]] loaded load(const std::string& path, bool tolerant);

// Fails: throws bfc::error(invalid_option) when standard input is named more than once.
void check_paths(const std::vector<std::string>& paths);

}  // namespace bfc::cli
