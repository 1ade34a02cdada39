#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>
#include <bfc/source/simulated_source.hpp>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>

using bfc::GiB;
using bfc::status;

TEST_CASE("a simulated device hands out what it has and no more") {
  bfc::simulated_options options;
  options.device_bytes = 10 * GiB;
  const auto sim = bfc::make_simulated_source(options);
  CHECK(sim->available_bytes() == 10 * GiB);
  const auto first = sim->reserve(6 * GiB, 2 * bfc::MiB);
  REQUIRE(first.code == status::ok);
  CHECK(sim->available_bytes() == 4 * GiB);
  CHECK(sim->reserve(4 * GiB + 1, 256).code == status::out_of_memory);
  const auto second = sim->reserve(4 * GiB, 256);
  REQUIRE(second.code == status::ok);
  CHECK(sim->available_bytes() == 0);
  CHECK(sim->release(first.range) == status::ok);
  CHECK(sim->available_bytes() == 6 * GiB);
  CHECK(sim->release(second.range) == status::ok);
  CHECK(sim->available_bytes() == 10 * GiB);
}

TEST_CASE("several hundred GiB can be simulated") {
  bfc::simulated_options options;
  options.device_bytes = 512 * GiB;
  const auto sim = bfc::make_simulated_source(options);
  const auto held = sim->reserve(512 * GiB, 64 * bfc::MiB);
  REQUIRE(held.code == status::ok);
  CHECK(held.range.bytes == 512 * GiB);
  CHECK(sim->release(held.range) == status::ok);
}

TEST_CASE("touching a simulated address faults, as a device's would") {
  const auto sim = bfc::make_simulated_source();
  const auto held = sim->reserve(bfc::MiB, 4096);
  REQUIRE(held.code == status::ok);
  for (const bool write : {false, true}) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      std::signal(SIGSEGV, SIG_DFL);  // a sanitizer or the test framework would report it
      auto* const at = reinterpret_cast<volatile unsigned char*>(held.range.base);
      if (write) {
        *at = 1;
      } else {
        (void)*at;
      }
      ::_exit(0);
    }
    int state = 0;
    REQUIRE(::waitpid(child, &state, 0) == child);
    CHECK(WIFSIGNALED(state));
    CHECK(WTERMSIG(state) == SIGSEGV);
  }
  CHECK(sim->release(held.range) == status::ok);
}

TEST_CASE("reserve calls fail on schedule, with the status asked for, and count") {
  bfc::simulated_options options;
  options.fail_calls_until = 2;
  options.fail_on_call = {4, 6};
  options.failure = GENERATE(status::out_of_memory, status::driver_error);
  const auto sim = bfc::make_simulated_source(options);
  std::vector<int> failed;
  for (int call = 1; call <= 8; ++call) {
    const auto result = sim->reserve(256, 256);
    if (result.code == status::ok) continue;
    CHECK(result.code == options.failure);
    CHECK(result.range.base == nullptr);
    failed.push_back(call);
  }
  CHECK(failed == std::vector<int>{1, 2, 4, 6});
  CHECK(sim->driver_calls() == 8);
}

TEST_CASE("a scheduled failure must be a failure") {
  bfc::simulated_options options;
  options.failure = status::ok;
  CHECK_THROWS_AS(bfc::make_simulated_source(options), bfc::error);
}

TEST_CASE("whether simulated memory survives a fork is the test's choice") {
  bfc::simulated_options options;
  CHECK_FALSE(bfc::make_simulated_source(options)->survives_fork());
  options.survives_fork = true;
  CHECK(bfc::make_simulated_source(options)->survives_fork());
}
