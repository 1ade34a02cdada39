/// The bfc-bench command, as a function. Part of: bench.
#pragma once

#include "contender.hpp"

#include <iosfwd>
#include <vector>

namespace bfc::bench {

/// Reads the command line, measures, writes results to `out` and messages to `err`.
/// Returns the exit code: 0; 1 a contender answered wrongly, memory ran out or `out`
/// cannot be written; 2 a mistake in flags or files.
int run_command(int argument_count, const char* const* arguments,
                const std::vector<contender_entry>& known, std::ostream& out, std::ostream& err);

}  // namespace bfc::bench
