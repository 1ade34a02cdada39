#include "cli/table.hpp"

#include <bfc/base/contract.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace bfc::cli {

table::table(std::vector<std::string> heading) {
  rows_.push_back(std::move(heading));
}

void table::add(std::vector<std::string> row) {
  BFC_EXPECT(row.size() == rows_.front().size(), "a row has as many cells as the heading");
  rows_.push_back(std::move(row));
}

std::string table::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    out += fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) out += fmt::format("  {:>{}}", row[i], widths[i]);
    out += '\n';
  }
  return out;
}

}  // namespace bfc::cli
