// The rules find what they are there to find: each is shown a violation and its lawful twin.
#include "rules.hpp"

#include <catch2/catch.hpp>

using namespace architecture;

namespace {

table small_table() {
  return parse_table(
      "# a comment\n"
      "layer base in include/bfc/base src/base on\n"
      "layer core in include/bfc/core src/core on base\n"
      "layer cuda in include/bfc/cuda cuda on base\n"
      "layer cli  in src/cli on *\n"
      "forbid core mutex sys/\n"
      "forbid public fmt/\n"
      "top src README.md\n"
      "docs README.md\n");
}

std::size_t include_findings(const std::string& path, const std::string& text) {
  return check_includes(small_table(), {path, text}).size();
}

std::size_t cuda_findings(const std::string& path, const std::string& text) {
  return check_cuda_names(small_table(), {path, text}).size();
}

std::size_t opening_findings(const std::string& text) {
  return check_header_opening(small_table(), {"include/bfc/core/x.hpp", text}).size();
}

std::size_t path_findings(const std::string& text) {
  return check_machine_paths({"README.md", text}).size();
}

}  // namespace

TEST_CASE("an include from a lower layer is allowed and one from a higher layer is found") {
  CHECK(include_findings("src/core/a.cpp", "#include <bfc/base/x.hpp>\n") == 0);
  CHECK(include_findings("src/base/a.cpp", "#include <bfc/core/x.hpp>\n") == 1);
  CHECK(include_findings("include/bfc/base/a.hpp", "  #  include \"bfc/core/x.hpp\"\n") == 1);
  CHECK(include_findings("src/cli/a.cpp", "#include <bfc/core/x.hpp>\n") == 0);
}

TEST_CASE("a private header of another layer is found, however it is spelt") {
  CHECK(include_findings("src/base/a.cpp", "#include \"core/x.hpp\"\n") == 1);
  CHECK(include_findings("src/base/a.cpp", "#include \"../core/x.hpp\"\n") == 1);
  CHECK(include_findings("src/base/a.cpp", "#include \"../../cuda/x.hpp\"\n") == 1);
  CHECK(include_findings("src/base/a.cpp", "#include \"x.hpp\"\n") == 0);
}

TEST_CASE("an include finding names file, line and both layers") {
  const findings found =
      check_includes(small_table(), {"src/base/a.cpp", "\n\n#include <bfc/core/x.hpp>\n"});
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "src/base/a.cpp:3: layer base may not include bfc/core/x.hpp of layer core");
}

TEST_CASE("an include in a comment does not count") {
  CHECK(include_findings("src/base/a.cpp", "// #include <bfc/core/x.hpp>\n") == 0);
  CHECK(include_findings("src/base/a.cpp", "/*\n#include <bfc/core/x.hpp>\n*/\n") == 0);
}

TEST_CASE("a file outside every layer and an include of no layer are found") {
  CHECK(include_findings("src/misc/a.cpp", "") == 1);
  CHECK(include_findings("include/bfc/a.hpp", "") == 1);
  CHECK(include_findings("src/core/a.cpp", "#include <bfc/misc/x.hpp>\n") == 1);
}

TEST_CASE("a forbidden header is found where it is forbidden and only there") {
  CHECK(include_findings("src/core/a.cpp", "#include <mutex>\n") == 1);
  CHECK(include_findings("src/core/a.cpp", "#include <sys/mman.h>\n") == 1);
  CHECK(include_findings("src/base/a.cpp", "#include <mutex>\n") == 0);
  CHECK(include_findings("include/bfc/base/a.hpp", "#include <fmt/format.h>\n") == 1);
  CHECK(include_findings("src/base/a.cpp", "#include <fmt/format.h>\n") == 0);
}

TEST_CASE("CUDA's names are found in code and strings, not in comments nor at the edge") {
  CHECK(cuda_findings("src/core/a.cpp", "cudaMalloc(&p, 1);\n") == 1);
  CHECK(cuda_findings("src/core/a.cpp", "cuMemAlloc(&p, 1);\n") == 1);
  CHECK(cuda_findings("src/core/a.cpp", "#include <cuda_runtime_api.h>\n") == 1);
  CHECK(cuda_findings("src/core/a.cpp", "load(\"cuInit\");\n") == 1);
  CHECK(cuda_findings("src/core/a.cpp", "int current = cut; bfc::cuda::select();\n") == 0);
  CHECK(cuda_findings("src/core/a.cpp", "/// as cudaMalloc does\n") == 0);
  CHECK(cuda_findings("src/core/a.cpp", "auto n = 1'000; // cudaMalloc\ncudaFree(p);") == 1);
  CHECK(cuda_findings("src/core/a.cpp", "auto s = \"//\"; cudaFree(p);") == 1);
  CHECK(cuda_findings("cuda/a.cpp", "cudaMalloc(&p, 1);\n") == 0);
}

TEST_CASE("a header's opening needs its comment, its own layer and #pragma once") {
  CHECK(opening_findings("/// What. Layer: core.\n#pragma once\n") == 0);
  CHECK(opening_findings("/// What.\n/// More. Layer: core (stands on base).\n#pragma once\n") ==
        0);
  CHECK(opening_findings("/// What. Layer:\n/// core.\n#pragma once\n") == 0);
  CHECK(opening_findings("/// What. Layer: base.\n#pragma once\n") == 1);
  CHECK(opening_findings("/// What. Layer: cores.\n#pragma once\n") == 1);
  CHECK(opening_findings("/// What.\n#pragma once\n") == 1);
  CHECK(opening_findings("// What. Layer: core.\n#pragma once\n") == 1);
  CHECK(opening_findings("/// What. Layer: core.\n\n#pragma once\n") == 1);
  CHECK(opening_findings("") == 1);
}

TEST_CASE("a file that no CMakeLists.txt lists is found") {
  const std::string path = "include/bfc/core/heap.hpp";
  CHECK(check_is_listed(path, "HEADERS heap.hpp types.hpp)").empty());
  CHECK(check_is_listed(path, "SOURCES min_heap.hpp core/heap.hpp").empty());
  CHECK(check_is_listed(path, "HEADERS min_heap.hpp types.hpp)").size() == 1);
  CHECK(check_is_listed(path, "# heap.hppx").size() == 1);
  CHECK(check_is_listed(path, "").size() == 1);
}

TEST_CASE("a stranger at the top level is found") {
  CHECK(check_top_level(small_table(), {"src", "README.md"}).empty());
  CHECK(check_top_level(small_table(), {"src", "notes.txt"}).size() == 1);
}

TEST_CASE("paths of somebody's machine are found and ordinary ones are not") {
  CHECK(path_findings("see /home/me/bfc\n") == 1);
  CHECK(path_findings("(/root/x)\n") == 1);
  CHECK(path_findings("./run, build/release/bin, https://a.org/home/x, ./root/x\n") == 0);
}

TEST_CASE("a table that cannot be read is refused") {
  CHECK_THROWS_AS(parse_table("layer base\n"), std::runtime_error);
  CHECK_THROWS_AS(parse_table("layer a in src/a on b\n"), std::runtime_error);
  CHECK_THROWS_AS(parse_table("lair a in src/a on\n"), std::runtime_error);
  CHECK_THROWS_AS(parse_table("layer a in x on\nlayer a in y on\n"), std::runtime_error);
}
