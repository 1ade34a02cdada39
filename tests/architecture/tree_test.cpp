// The rules, applied to this repository.
#include "rules.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

namespace fs = std::filesystem;
using namespace architecture;

namespace {

const fs::path& root() {
  static const fs::path path(BFC_SOURCE_DIR);
  return path;
}

source_file read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return {fs::relative(path, root()).generic_string(), text.str()};
}

const table& rules() {
  static const table read_once = parse_table(read(root() / "tests/architecture/table.txt").text);
  return read_once;
}

/// Every C++ and CUDA source below these folders, in order of path.
std::vector<source_file> sources_below(const std::vector<std::string>& folders) {
  std::set<fs::path> paths;
  for (const std::string& folder : folders) {
    if (!fs::exists(root() / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
      const std::string ending = entry.path().extension().string();
      if (entry.is_regular_file() && (ending == ".hpp" || ending == ".cpp" || ending == ".h" ||
                                      ending == ".cu" || ending == ".cuh")) {
        paths.insert(entry.path());
      }
    }
  }
  std::vector<source_file> files;
  for (const fs::path& path : paths) files.push_back(read(path));
  return files;
}

/// The text of every CMakeLists.txt below a folder.
std::string cmake_text_below(const std::string& folder) {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
    if (entry.path().filename() == "CMakeLists.txt") all += read(entry.path()).text;
  }
  return all;
}

void require_none(const findings& found) {
  for (const std::string& line : found) UNSCOPED_INFO(line);
  REQUIRE(found.empty());
}

template <typename Check>
void require_all(const std::vector<source_file>& files, Check check) {
  REQUIRE_FALSE(files.empty());
  findings all;
  for (const source_file& file : files) {
    const findings found = check(file);
    all.insert(all.end(), found.begin(), found.end());
  }
  require_none(all);
}

}  // namespace

TEST_CASE("every source lies in a layer and includes only what the table allows") {
  require_all(sources_below({"include", "src", "cuda", "bench", "examples"}),
              [](const source_file& file) { return check_includes(rules(), file); });
}

TEST_CASE("CUDA's names appear at the CUDA edge only") {
  require_all(sources_below({"include", "src", "cuda", "bench", "examples"}),
              [](const source_file& file) { return check_cuda_names(rules(), file); });
}

TEST_CASE("every public header opens with a comment that names its layer") {
  require_all(sources_below({"include"}),
              [](const source_file& file) { return check_header_opening(rules(), file); });
}

TEST_CASE("every public header is installed and compiled alone") {
  require_all(sources_below({"include"}), [](const source_file& file) {
    const std::string layer = layer_of(rules(), file.path);
    return check_is_listed(file.path, cmake_text_below(layer == "cuda" ? "cuda" : "src/" + layer));
  });
}

TEST_CASE("every source is built, every test among them") {
  for (const char* const folder : {"src", "cuda", "bench", "examples", "tests"}) {
    const std::string listed = cmake_text_below(folder);
    require_all(sources_below({folder}), [&](const source_file& file) -> findings {
      if (file.path.ends_with(".hpp")) return {};
      return check_is_listed(file.path, listed);
    });
  }
}

TEST_CASE("every folder of tests is part of the build") {
  const std::string listed = read(root() / "tests/CMakeLists.txt").text;
  findings found;
  for (const auto& entry : fs::recursive_directory_iterator(root() / "tests")) {
    if (entry.path().filename() != "CMakeLists.txt") continue;
    const std::string folder =
        fs::relative(entry.path().parent_path(), root() / "tests").generic_string();
    if (folder == "." || folder == "package/consumer") continue;  // itself; a project of its own
    const findings missing = check_is_listed(folder, listed);
    found.insert(found.end(), missing.begin(), missing.end());
  }
  require_none(found);
}

TEST_CASE("the top level holds what was agreed and nothing else") {
  std::set<std::string> entries;
  for (const auto& entry : fs::directory_iterator(root())) {
    const std::string name = entry.path().filename().string();
    if (name != ".git" && name != "build") entries.insert(name);
  }
  REQUIRE_FALSE(entries.empty());
  require_none(check_top_level(rules(), entries));
}

TEST_CASE("documents and scripts name no path of somebody's machine") {
  std::vector<source_file> files = sources_below({"include", "src", "cuda", "bench", "examples"});
  for (const std::string& name : rules().documents) files.push_back(read(root() / name));
  for (const char* const name : {"run", ".ci/run", "CMakeLists.txt", "CMakePresets.json"}) {
    files.push_back(read(root() / name));
  }
  require_all(files, check_machine_paths);
}
