// Rows of text under a heading, in columns. Part of: cli.
#pragma once

#include <string>
#include <vector>

namespace bfc::cli {

// The first column is set to the left, the others to the right.
class table {
 public:
  explicit table(std::vector<std::string> heading);

  // Requires: as many cells as the heading has.
  void add(std::vector<std::string> row);

  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bfc::cli
