#include <bfc/base/checked.hpp>
#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>

namespace bfc {
namespace {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
constexpr char upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// What the user typed, made safe for one line of a terminal.
std::string quoted(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, shown)) out += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > shown) out += "...";
  return out + "\"";
}

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw error(status::invalid_input,
              "size " + quoted(text) + ": " + std::string(why) +
                  "; write a decimal number and at most one unit (B, K, M, G, T, also as KB or "
                  "KiB) without spaces: 512, 4K, 1.5GiB");
}

// The multiplier of a unit, or 0 when it is none.
constexpr std::uint64_t unit_bytes(std::string_view unit) noexcept {
  if (unit.empty()) return 1;
  constexpr std::string_view prefixes = "KMGT";
  const char first = upper(unit.front());
  if (first == 'B') return unit.size() == 1 ? 1 : 0;
  const std::size_t power = prefixes.find(first);
  if (power == std::string_view::npos) return 0;
  const std::string_view rest = unit.substr(1);
  const bool known = rest.empty() || (rest.size() == 1 && upper(rest[0]) == 'B') ||
                     (rest.size() == 2 && upper(rest[0]) == 'I' && upper(rest[1]) == 'B');
  return known ? std::uint64_t{1} << (10 * (power + 1)) : 0;
}

// unit x 0.digits, rounded up. From the last digit to the first, keeping only the whole part: the
// part dropped on the way never reaches the whole part again, it only says whether to round up.
constexpr std::uint64_t fraction_bytes(std::string_view digits, std::uint64_t unit) noexcept {
  std::uint64_t whole = 0;
  bool dropped = false;
  for (std::size_t i = digits.size(); i-- > 0;) {
    const std::uint64_t tenfold = whole + static_cast<std::uint64_t>(digits[i] - '0') * unit;
    dropped = dropped || tenfold % 10 != 0;
    whole = tenfold / 10;
  }
  return whole + (dropped ? 1 : 0);
}

std::string_view take_digits(std::string_view& rest) noexcept {
  std::size_t n = 0;
  while (n < rest.size() && is_digit(rest[n])) ++n;
  const std::string_view digits = rest.substr(0, n);
  rest.remove_prefix(n);
  return digits;
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  if (text.empty()) refuse(text, "it is empty");
  if (text.front() == '-') refuse(text, "a size is never negative");
  std::string_view rest = text;

  const std::string_view integer = take_digits(rest);
  if (integer.empty()) refuse(text, "it does not begin with a digit");
  std::string_view fraction;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    if (fraction.empty()) refuse(text, "digits are missing after the point");
  }
  const std::uint64_t unit = unit_bytes(rest);
  if (unit == 0) refuse(text, quoted(rest) + " is no unit");

  std::optional<std::uint64_t> bytes = 0;
  for (const char digit : integer) {
    if (bytes) bytes = checked_multiply(*bytes, 10);
    if (bytes) bytes = checked_add(*bytes, static_cast<std::uint64_t>(digit - '0'));
  }
  if (bytes) bytes = checked_multiply(*bytes, unit);
  if (bytes) bytes = checked_add(*bytes, fraction_bytes(fraction, unit));
  if (!bytes) refuse(text, "it is above 2^64 - 1 bytes");
  return *bytes;
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < KiB) return std::to_string(bytes) + " B";

  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 1023.5 and above would print as 1024: that is one of the next unit.
  while (value >= 1023.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%.*f %s", decimals, value, units[unit]);
  return out.data();
}

}  // namespace bfc
