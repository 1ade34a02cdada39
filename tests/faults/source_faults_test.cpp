#include <bfc/base/units.hpp>
#include <bfc/source/simulated_source.hpp>

#include <cstdint>

#include <catch2/catch.hpp>

using bfc::GiB;
using bfc::status;

TEST_CASE("whichever first calls fail, backing off goes on with the next, and nothing is lost") {
  for (std::uint64_t failing = 0; failing <= 60; ++failing) {
    bfc::simulated_options options;
    options.device_bytes = 64 * GiB;
    options.fail_calls_until = failing;
    const auto sim = bfc::make_simulated_source(options);
    const auto result = bfc::reserve_with_backoff(*sim, 64 * GiB, GiB, 2 * bfc::MiB, 2 * bfc::MiB);
    INFO(failing << " failing calls");
    if (result.code == status::ok) {
      CHECK(result.attempts == failing + 1);
      CHECK(sim->available_bytes() == 64 * GiB - result.range.bytes);
      CHECK(sim->release(result.range) == status::ok);
    } else {
      CHECK(result.code == status::out_of_memory);
      CHECK(failing >= 40);  // 0.9^39 of 64 GiB is still above 1 GiB
      CHECK(result.range.base == nullptr);
    }
    CHECK(sim->available_bytes() == 64 * GiB);
  }
}

TEST_CASE("a source that fails at call n, for every n, keeps what it lent before and after") {
  constexpr std::uint64_t calls = 12;
  for (std::uint64_t failing = 1; failing <= calls; ++failing) {
    bfc::simulated_options options;
    options.device_bytes = calls * GiB;
    options.fail_on_call = {failing};
    options.failure = failing % 2 == 0 ? status::out_of_memory : status::driver_error;
    const auto sim = bfc::make_simulated_source(options);
    std::vector<bfc::memory_range> held;
    for (std::uint64_t call = 1; call <= calls; ++call) {
      const auto result = sim->reserve(GiB, 2 * bfc::MiB);
      REQUIRE((result.code == status::ok) == (call != failing));
      if (result.code == status::ok) held.push_back(result.range);
    }
    CHECK(sim->available_bytes() == GiB);
    for (const auto& range : held) CHECK(sim->release(range) == status::ok);
    CHECK(sim->available_bytes() == calls * GiB);
  }
}

TEST_CASE("a failure other than a shortage is handed on from whichever attempt it comes") {
  for (std::uint64_t failing = 1; failing <= 10; ++failing) {
    bfc::simulated_options options;
    options.device_bytes = GiB;  // everything asked for below is too much
    options.fail_on_call = {failing};
    options.failure = status::driver_error;
    const auto sim = bfc::make_simulated_source(options);
    const auto result =
        bfc::reserve_with_backoff(*sim, 64 * GiB, 2 * GiB, 2 * bfc::MiB, 2 * bfc::MiB);
    CHECK(result.code == status::driver_error);
    CHECK(result.attempts == failing);
    CHECK(sim->available_bytes() == GiB);
  }
}
