#include <bfc/base/error.hpp>
#include <bfc/trace/trace.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

struct bad_text {
  std::string text;
  std::string where;  // "line L, column C"
  std::string rule;   // a part of the message
};

const std::string good = "0.000001\t1\t64\t0x10\n";

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(bfc::trace::parse_tsv(text, "bad.tsv"));
  } catch (const bfc::error& e) {
    CHECK(e.code() == bfc::status::invalid_input);
    return e.what();
  }
  return "(accepted)";
}

}  // namespace

TEST_CASE("every kind of malformed record is refused with file, line, column and rule", "[trace]") {
  const std::vector<bad_text> table{
      {"", "line 1, column 1", "no events"},
      {"\n", "line 1, column 1", "expected the time"},
      {good + "\n", "line 2, column 1", "expected the time"},
      {"# a comment\n", "line 1, column 1", "expected the time"},
      {"x.000001\t1\t64\t0x10\n", "line 1, column 1", "expected the time"},
      {"-1.000001\t1\t64\t0x10\n", "line 1, column 1", "expected the time"},
      {"\xEF\xBB\xBF" + good, "line 1, column 1", "found '\\xef\\xbb\\xbf0"},
      {"1\t1\t64\t0x10\n", "line 1, column 2", "expected '.'"},
      {"1,000001\t1\t64\t0x10\n", "line 1, column 2", "expected '.'"},
      {"1.\t1\t64\t0x10\n", "line 1, column 3", "six digits"},
      {"1.00001\t1\t64\t0x10\n", "line 1, column 8", "six digits"},
      {"1.0000001\t1\t64\t0x10\n", "line 1, column 9", "six digits"},
      {"1.000001 1\t64\t0x10\n", "line 1, column 9", "TAB after the time"},
      {"1.000001\n", "line 1, column 9", "TAB after the time"},
      {"18446744073709.000001\t1\t64\t0x10\n", "line 1, column 1", "below 2^64 microseconds"},
      {"99999999999999999999999.000001\t1\t64\t0x10\n", "line 1, column 1", "below 2^64"},
      {good + "0.000000\t1\t64\t0x20\n", "line 2, column 1", "must not run backwards"},
      {"1.000001\t\t64\t0x10\n", "line 1, column 10", "expected the thread"},
      {"1.000001\t-1\t64\t0x10\n", "line 1, column 10", "expected the thread"},
      {"1.000001\t4294967296\t64\t0x10\n", "line 1, column 10", "thread must be below 2^32"},
      {"1.000001\t1 \t64\t0x10\n", "line 1, column 11", "TAB after the thread"},
      {"1.000001\t1\n", "line 1, column 11", "TAB after the thread"},
      {"1.000001\t1\tx\t0x10\n", "line 1, column 12", "a size is a number of bytes"},
      {"1.000001\t1\t\t0x10\n", "line 1, column 12", "a size is a number of bytes"},
      {"1.000001\t1\t+5\t0x10\n", "line 1, column 12", "a size is a number of bytes"},
      {"1.000001\t1\t-\t0x10\n", "line 1, column 12", "a size is a number of bytes"},
      {"1.000001\t1\t-2\t0x10\n", "line 1, column 12", "-1 for a free"},
      {"1.000001\t1\t-10\t0x10\n", "line 1, column 12", "only negative size is -1"},
      {"1.000001\t1\t9223372036854775808\t0x10\n", "line 1, column 12", "below 2^63"},
      {"1.000001\t1\t99999999999999999999\t0x10\n", "line 1, column 12", "below 2^63"},
      {"1.000001\t1\t6.4\t0x10\n", "line 1, column 13", "TAB after the size"},
      {"1.000001\t1\t64\n", "line 1, column 14", "TAB after the size"},
      {"1.000001\t1\t64\t\n", "line 1, column 15", "a pointer is 0x"},
      {"1.000001\t1\t64\t10\n", "line 1, column 15", "a pointer is 0x"},
      {"1.000001\t1\t64\t0X10\n", "line 1, column 16", "a pointer is 0x"},
      {"1.000001\t1\t64\t0x\n", "line 1, column 17", "a pointer is 0x"},
      {"1.000001\t1\t64\t0xg\n", "line 1, column 17", "a pointer is 0x"},
      {"1.000001\t1\t64\t(null)\n", "line 1, column 17", "a pointer is 0x"},
      {"1.000001\t1\t64\t0x10000000000000000\n", "line 1, column 17", "pointer must be below"},
      {"1.000001\t1\t64\t0x10\t\n", "line 1, column 19", "expected the end of the line"},
      {"1.000001\t1\t64\t0x10 \n", "line 1, column 19", "expected the end of the line"},
      {"1.000001\t1\t64\t(nil)x\n", "line 1, column 20", "expected the end of the line"},
      {"1.000001\t1\t64\t0x10\r\n", "line 1, column 19", "line feed alone"},
      {good + good + std::string("0.000001\t1\t6\0\t0x10\n", 19), "line 3, column 13",
       "found '\\x00\\t0x10'"},
      {std::string(129, '0') + "\n", "line 1, column 129", "longer than 128 bytes"},
      {std::string(1000, '0'), "line 1, column 129", "longer than 128 bytes"},
      {good + std::string(1000, 'x'), "line 2, column 1", "expected the time"},
      // Without a line feed at its end, but beyond repair by whatever might have followed.
      {good + "hello", "line 2, column 1", "expected the time"},
      {good + "0.000000\t1", "line 2, column 1", "must not run backwards"},
      {"0.0000", "line 1, column 1", "ends within its first record"},
  };
  for (const bad_text& bad : table) {
    CAPTURE(bad.text);
    const std::string message = refusal_of(bad.text);
    CAPTURE(message);
    CHECK(message.find("bad.tsv: " + bad.where + ": ") == 0);
    CHECK(message.find(bad.rule) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("the extremes of every field are accepted", "[trace]") {
  const bfc::trace::trace t = bfc::trace::parse_tsv(
      "0.000000\t0\t0\t0x1\n"
      "18446744073708.999999\t4294967295\t9223372036854775807\t0xFFFFFFFFFFFFFFFF\n"
      "18446744073708.999999\t01\t-1\t0xffffffffffffffff\n",
      "x");
  REQUIRE(t.events.size() == 3);
  CHECK(t.events[0].size_bytes == 0);
  CHECK(t.events[1].time_us == 18446744073708999999u);
  CHECK(t.events[1].thread == 4294967295u);
  CHECK(t.events[1].size_bytes == INT64_MAX);
  CHECK(t.events[2].is_free());
  CHECK(t.events[2].block == 1);
}
