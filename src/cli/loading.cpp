#include "cli/loading.hpp"

#include <bfc/base/error.hpp>

#include <algorithm>

namespace bfc::cli {

loaded load(const std::string& path, bool tolerant) {
  loaded result{trace::read_tsv(path), exit_code::done};
  if (result.data.truncated) {
    complain("warning: " + result.data.warning);
    if (!tolerant) result.code = exit_code::truncated;
  }
  return result;
}

void check_paths(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw error(status::invalid_option, "TRACE: standard input (-) can be read only once");
  }
}

}  // namespace bfc::cli
