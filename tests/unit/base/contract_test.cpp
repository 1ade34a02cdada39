#include <bfc/base/contract.hpp>

#include <array>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

TEST_CASE("a broken expectation throws a text with the rule, the condition and the place") {
  const int size = 3;
  try {
    BFC_EXPECT(size > 4, "size must be above 4");
    FAIL("nothing was thrown");
  } catch (const bfc::contract_violation& violation) {
    const std::string text = violation.what();
    CHECK(text.find("size must be above 4") == 0);
    CHECK(text.find("size > 4") != std::string::npos);
    CHECK(text.find("contract_test.cpp:") != std::string::npos);
  }
}

TEST_CASE("a kept expectation does nothing and is evaluated once") {
  int evaluations = 0;
  BFC_EXPECT(++evaluations == 1, "evaluated once");
  CHECK(evaluations == 1);
}

TEST_CASE("a switched-off assertion is not evaluated; a switched-on one is, once") {
  int evaluations = 0;
  BFC_ASSERT(++evaluations == 1);
  CHECK(evaluations == (bfc::assertions_enabled ? 1 : 0));
}

TEST_CASE("a failed assertion ends the process by abort, with one line on standard error") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // the test framework's own handler would report it
    ::dup2(ends[1], STDERR_FILENO);
    bfc::detail::assertion_failed("blocks == 1", "heap.cpp", 42);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 256> piece{};
  for (ssize_t n = 0; (n = ::read(ends[0], piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  CHECK(WIFSIGNALED(state));
  CHECK(WTERMSIG(state) == SIGABRT);
  CHECK(text == "bfc: assertion failed: blocks == 1, at heap.cpp:42\n");
}
