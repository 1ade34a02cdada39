#include "cli/loading.hpp"

#include <bfc/base/error.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace bfc::cli {

loaded load(const std::string& path, bool tolerant) {
  loaded result{trace::read_tsv(path), exit_code::done};
  if (result.data.truncated) {
    complain("warning: " + result.data.warning);
    if (!tolerant) result.code = exit_code::truncated;
  }
  return result;
}

void note_skipped(const std::string& trace_name, std::uint64_t unknown_frees) {
  if (unknown_frees == 0) return;
  complain(fmt::format("note: {}: {} free{} of unknown pointers skipped", trace_name, unknown_frees,
                       unknown_frees == 1 ? "" : "s"));
}

void check_paths(const std::vector<std::string>& paths) {
  if (std::find(paths.begin(), paths.end(), "") != paths.end()) {
    throw error(status::invalid_option, "TRACE: '' cannot be opened; name a file, or - for stdin");
  }
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw error(status::invalid_option, "TRACE: standard input (-) can be read only once");
  }
}

}  // namespace bfc::cli
