/// The rules of the source tree, as functions from text to findings, so that they can themselves
/// be tested on made-up trees.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace architecture {

/// One line for people each: "path:line: what is wrong".
using findings = std::vector<std::string>;

struct source_file {
  std::string path;  ///< From the repository's root, with forward slashes.
  std::string text;
};

struct layer {
  std::vector<std::string> folders;
  std::set<std::string> stands_on;
};

/// What table.txt says.
struct table {
  std::map<std::string, layer> layers;
  std::map<std::string, std::vector<std::string>> forbidden_headers;  ///< By layer, or "public".
  std::set<std::string> top_level;
  std::vector<std::string> documents;
};

/// Fails: throws std::runtime_error naming the line.
[[nodiscard]] table parse_table(std::string_view text);

/// The layer whose folder holds `path`; empty when none does.
[[nodiscard]] std::string layer_of(const table& rules, std::string_view path);

/// The text with comments blanked out, line numbers kept. String literals stay.
[[nodiscard]] std::string without_comments(std::string_view text);

/// Include edges that the table does not allow, and headers that it forbids.
[[nodiscard]] findings check_includes(const table& rules, const source_file& file);

/// CUDA's names outside the CUDA edge.
[[nodiscard]] findings check_cuda_names(const table& rules, const source_file& file);

/// A public header opens with `///`, names its layer in that comment, then says `#pragma once`.
[[nodiscard]] findings check_header_opening(const table& rules, const source_file& file);

/// A file is named, as a word of its own, in the CMakeLists.txt that is responsible for it.
[[nodiscard]] findings check_is_listed(const std::string& path, std::string_view cmake_text);

/// Entries that do not belong at the top level.
[[nodiscard]] findings check_top_level(const table& rules, const std::set<std::string>& entries);

/// Absolute paths that exist on somebody's machine only.
[[nodiscard]] findings check_machine_paths(const source_file& file);

}  // namespace architecture
