#include "fuzz/targets.hpp"
#include <bfc/base/error.hpp>
#include <bfc/trace/trace.hpp>

#include <string_view>
#include <vector>

namespace bfc::fuzz {
namespace {

/// What the reader promises of a trace it returns.
std::string check(const trace::trace& t) {
  std::vector<bool> live;
  for (const trace::event& e : t.events) {
    if (!e.is_free()) {
      if (e.block != live.size()) return "allocations are not numbered in order";
      live.push_back(true);
    } else {
      if (e.block >= live.size()) return "a free names a block not allocated yet";
      if (!live[e.block]) return "a block is freed twice";
      live[e.block] = false;
    }
  }
  if (t.block_count != live.size()) return "block_count is not the number of allocations";
  if (t.truncated == t.warning.empty()) return "truncated and warning disagree";
  return {};
}

}  // namespace

std::string check_trace(std::span<const std::uint8_t> input) {
  std::string text;
  text.reserve(input.size());
  for (const std::uint8_t byte : input) text.push_back(static_cast<char>(byte));
  try {
    return check(trace::parse_tsv(text, "fuzz"));
  } catch (const error& refusal) {
    const std::string_view what = refusal.what();
    if (refusal.code() != status::invalid_input) return "refused with " + std::string(what);
    if (what.find('\n') != std::string_view::npos) return "a message of several lines";
    if (what.substr(0, 4) != "fuzz") return "a message that does not name the input";
    return {};
  }
}

}  // namespace bfc::fuzz
