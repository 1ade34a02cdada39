#include "trace/tsv_parser.hpp"

#include <bfc/base/error.hpp>

#include <cstring>
#include <limits>
#include <utility>

namespace bfc::trace {
namespace {

// Reads a line from left to right. After a failure the position is where the rule was broken;
// the position at the line's end means that the line may only be too short.
class scanner {
 public:
  explicit scanner(std::string_view line) noexcept
      : begin_(line.data()), at_(line.data()), end_(line.data() + line.size()) {}

  [[nodiscard]] std::size_t position() const noexcept {
    return static_cast<std::size_t>(at_ - begin_);
  }
  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] bool next_is(char c) const noexcept { return at_ != end_ && *at_ == c; }
  void step_to(std::size_t position) noexcept { at_ = begin_ + position; }

  bool skip(char c) noexcept {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  bool skip(std::string_view word) noexcept {
    for (const char c : word) {
      if (!skip(c)) return false;
    }
    return true;
  }

  enum class outcome { ok, no_digit, too_large };

  outcome number(std::uint64_t limit, std::uint64_t& out) noexcept {
    const char* const first = at_;
    std::uint64_t value = 0;
    for (; at_ != end_; ++at_) {
      const unsigned digit = static_cast<unsigned char>(*at_) - unsigned{'0'};
      if (digit > 9) break;
      if (value > (limit - digit) / 10) {
        at_ = first;
        return outcome::too_large;
      }
      value = 10 * value + digit;
    }
    out = value;
    return at_ == first ? outcome::no_digit : outcome::ok;
  }

  outcome hexadecimal(std::uint64_t& out) noexcept {
    const char* const first = at_;
    std::uint64_t value = 0;
    for (; at_ != end_; ++at_) {
      unsigned digit = static_cast<unsigned char>(*at_) - unsigned{'0'};
      if (digit > 9) {
        digit = (static_cast<unsigned char>(*at_) | 0x20u) - unsigned{'a'};
        if (digit > 5) break;
        digit += 10;
      }
      if (value >> 60 != 0) {
        at_ = first;
        return outcome::too_large;
      }
      value = 16 * value + digit;
    }
    out = value;
    return at_ == first ? outcome::no_digit : outcome::ok;
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
};

constexpr std::uint64_t us_per_s = 1'000'000;
constexpr std::uint64_t max_seconds = std::numeric_limits<std::uint64_t>::max() / us_per_s - 1;
constexpr std::uint64_t max_size = std::numeric_limits<std::int64_t>::max();

// What a message shows of a line: at most 24 characters, nothing that a terminal would obey.
std::string quoted(std::string_view text) {
  if (text.empty()) return "the end of the line";
  std::string out = "'";
  for (const char c : text.substr(0, 24)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte >= 0x7f) {
      constexpr char digits[] = "0123456789abcdef";
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + (text.size() > 24 ? "'..." : "'");
}

}  // namespace

tsv_parser::tsv_parser(std::string name, std::string trace_name) : name_(std::move(name)) {
  result_.name = std::move(trace_name);
}

tsv_parser::verdict tsv_parser::parse(std::string_view line, record& out) const noexcept {
  using outcome = scanner::outcome;
  scanner s(line);
  const auto broken = [&s](const char* rule) { return verdict{rule, s.position()}; };

  std::uint64_t seconds = 0;
  switch (s.number(max_seconds, seconds)) {
    case outcome::no_digit:
      return broken("expected the time, as in 12.345678");
    case outcome::too_large:
      return broken("the time must be below 2^64 microseconds");
    case outcome::ok:
      break;
  }
  if (!s.skip('.')) return broken("expected '.' after the seconds");
  std::uint64_t micros = 0;
  const std::size_t fraction = s.position();
  static_cast<void>(s.number(max_size, micros));
  if (s.position() - fraction != 6) {
    // Too many digits: point at the seventh. Too few: at what stands where a digit should.
    if (s.position() > fraction + 6) s.step_to(fraction + 6);
    return broken("the time has exactly six digits of microseconds");
  }
  out.time_us = seconds * us_per_s + micros;
  if (!s.skip('\t')) return broken("expected a TAB after the time");
  if (out.time_us < last_time_us_) return {"time must not run backwards", 0};

  std::uint64_t thread = 0;
  switch (s.number(UINT32_MAX, thread)) {
    case outcome::no_digit:
      return broken("expected the thread, a decimal number");
    case outcome::too_large:
      return broken("the thread must be below 2^32");
    case outcome::ok:
      break;
  }
  out.thread = static_cast<std::uint32_t>(thread);
  if (!s.skip('\t')) return broken("expected a TAB after the thread");

  const std::size_t size_at = s.position();
  if (s.skip('-')) {
    if (!s.skip('1')) {
      if (!s.at_end()) s.step_to(size_at);
      return broken("a size is a number of bytes, or -1 for a free");
    }
    if (!s.at_end() && !s.next_is('\t')) {
      s.step_to(size_at);
      return broken("the only negative size is -1, for a free");
    }
    out.size_bytes = -1;
  } else {
    std::uint64_t size = 0;
    switch (s.number(max_size, size)) {
      case outcome::no_digit:
        return broken("a size is a number of bytes, or -1 for a free");
      case outcome::too_large:
        return broken("the size must be below 2^63 bytes");
      case outcome::ok:
        break;
    }
    out.size_bytes = static_cast<std::int64_t>(size);
  }
  if (!s.skip('\t')) return broken("expected a TAB after the size");

  if (s.next_is('(')) {
    if (!s.skip("(nil)")) return broken("a pointer is 0x with hexadecimal digits, or (nil)");
    out.pointer = 0;
  } else {
    if (!s.skip("0x")) return broken("a pointer is 0x with hexadecimal digits, or (nil)");
    switch (s.hexadecimal(out.pointer)) {
      case outcome::no_digit:
        return broken("a pointer is 0x with hexadecimal digits, or (nil)");
      case outcome::too_large:
        return broken("the pointer must be below 2^64");
      case outcome::ok:
        break;
    }
  }
  if (!s.at_end()) {
    return broken(
        s.next_is('\r')
            ? "lines end with a line feed alone, without carriage return; convert with tr -d '\\r'"
            : "expected the end of the line after the pointer");
  }
  return {};
}

void tsv_parser::take(const record& what) {
  const auto add_free = [&](std::uint32_t block) {
    result_.events.push_back({block, what.thread, -1, what.time_us});
  };
  last_time_us_ = what.time_us;
  if (what.size_bytes < 0) {
    if (what.pointer == 0) return;  // freeing null does nothing
    if (const auto block = live_.remove(what.pointer)) {
      add_free(*block);
    } else {
      ++result_.unknown_frees;
    }
    return;
  }
  if (what.pointer == 0) {
    ++result_.failed_allocations;
    return;
  }
  const auto block = static_cast<std::uint32_t>(result_.block_count);
  if (const auto before = live_.insert(what.pointer, block)) {
    ++result_.reissued_pointers;
    add_free(*before);
  }
  result_.events.push_back({block, what.thread, what.size_bytes, what.time_us});
  ++result_.block_count;
}

void tsv_parser::refuse(std::string_view line, const verdict& why) const {
  throw error(status::invalid_input, name_ + ": line " + std::to_string(lines_ + 1) + ", column " +
                                         std::to_string(why.at + 1) + ": " + why.rule + "; found " +
                                         quoted(line.substr(why.at)));
}

std::size_t tsv_parser::feed(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const auto* const feed =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const std::string_view line(at, static_cast<std::size_t>((feed == nullptr ? end : feed) - at));
    if (line.size() > max_line_bytes) {
      record ignored;
      const verdict why = parse(line.substr(0, max_line_bytes), ignored);
      if (why.rule != nullptr && why.at < max_line_bytes) refuse(line, why);
      refuse(line, {"no record is longer than 128 bytes", max_line_bytes});
    }
    if (feed == nullptr) break;
    record next;
    if (const verdict why = parse(line, next); why.rule != nullptr) refuse(line, why);
    if (result_.block_count == UINT32_MAX) {
      refuse(line, {"a trace has fewer than 2^32 allocations", 0});
    }
    take(next);
    ++lines_;
    at = feed + 1;
  }
  return text.size() - static_cast<std::size_t>(end - at);
}

trace tsv_parser::finish(std::string_view rest, bool cut_off) {
  if (!rest.empty()) {
    // A last line without its line feed may have lost digits of its pointer even if it looks
    // whole, so it is never taken. If more text could not make it a record, it is not cut but bad.
    record ignored;
    const verdict why = parse(rest, ignored);
    if (why.rule != nullptr && why.at < rest.size()) refuse(rest, why);
  }
  result_.truncated = cut_off || !rest.empty();
  if (lines_ == 0) {
    throw error(status::invalid_input,
                name_ + ": line 1, column 1: no events" +
                    (result_.truncated ? ": it ends within its first record"
                                       : ": a trace has at least one record"));
  }
  if (result_.truncated) {
    result_.warning = name_ + ": truncated after line " + std::to_string(lines_) + ": " +
                      (cut_off ? "its gzip data ends early" : "its last line has no line feed") +
                      "; what precedes is used";
  }
  return std::move(result_);
}

}  // namespace bfc::trace
