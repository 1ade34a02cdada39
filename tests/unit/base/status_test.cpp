#include <bfc/base/error.hpp>
#include <bfc/base/status.hpp>

#include <cstdint>
#include <set>
#include <string>

#include <catch2/catch.hpp>

namespace {

constexpr auto last = static_cast<std::uint8_t>(bfc::status::io_error);

}  // namespace

TEST_CASE("every status has a name of its own, spelt as its enumerator") {
  std::set<std::string> names;
  for (std::uint8_t i = 0; i <= last; ++i) {
    names.insert(std::string(bfc::name(static_cast<bfc::status>(i))));
  }
  CHECK(names.size() == last + 1U);
  CHECK(names.count("unknown_status") == 0);
  CHECK(bfc::name(bfc::status::ok) == "ok");
  CHECK(bfc::name(bfc::status::out_of_memory) == "out_of_memory");
  CHECK(bfc::name(bfc::status::double_free) == "double_free");
  CHECK(bfc::name(bfc::status::truncated_input) == "truncated_input");
  CHECK(bfc::name(bfc::status::io_error) == "io_error");
}

TEST_CASE("every status has a message of its own, one line and one sentence that says what to do") {
  std::set<std::string> messages;
  for (std::uint8_t i = 0; i <= last; ++i) {
    const std::string text(bfc::message(static_cast<bfc::status>(i)));
    INFO(text);
    CHECK(text.size() > 20);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.back() == '.');
    CHECK(text.find(';') != std::string::npos);  // the fact; the remedy
    messages.insert(text);
  }
  CHECK(messages.size() == last + 1U);
}

TEST_CASE("a value that is no status is named as such instead of being read past the table") {
  const auto beyond = static_cast<bfc::status>(last + 1);
  CHECK(bfc::name(beyond) == "unknown_status");
  CHECK(bfc::name(static_cast<bfc::status>(255)) == "unknown_status");
  CHECK(!bfc::message(beyond).empty());
}

TEST_CASE("an error carries its status and its text") {
  const bfc::error e(bfc::status::invalid_option, "unit_bytes is 3");
  CHECK(e.code() == bfc::status::invalid_option);
  CHECK(std::string(e.what()) == "unit_bytes is 3");
}
