#include "fuzz/targets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using check_function = std::string (*)(std::span<const std::uint8_t>);

void check_every_file(const std::string& folder, check_function check) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path corpus = BFC_SOURCE_DIR "/tests/fuzz/corpus";
  for (const auto& entry : std::filesystem::directory_iterator(corpus / folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    INFO(file.string());
    CHECK(check(bytes) == "");
  }
}

}  // namespace

TEST_CASE("the heap agrees with the oracle on every kept step program") {
  check_every_file("steps", bfc::fuzz::check_steps);
}

TEST_CASE("the trace reader keeps its promises on every kept text") {
  check_every_file("trace", bfc::fuzz::check_trace);
}
