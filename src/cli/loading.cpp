#include "cli/loading.hpp"

#include <bfc/base/error.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace bfc::cli {
namespace {

// The reader names the rule; how to mend a file is for the person at the command line.
trace::trace read(const std::string& path) {
  try {
    return trace::read_tsv(path);
  } catch (const error& why) {
    const std::string_view text = why.what();
    if (text.find("without carriage return") == std::string_view::npos) throw;
    throw error(why.code(), std::string(text) + "; convert it with tr -d '\\r'");
  }
}

}  // namespace

loaded load(const std::string& path, bool tolerant) {
  loaded result{read(path), exit_code::done};
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
