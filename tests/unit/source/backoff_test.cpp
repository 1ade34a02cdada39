#include <bfc/base/checked.hpp>
#include <bfc/base/units.hpp>
#include <bfc/source/simulated_source.hpp>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using bfc::reserve_with_backoff;
using bfc::status;

namespace {

/// Refuses everything above `limit`, and writes down what it was asked for.
class stingy_source final : public bfc::source {
 public:
  explicit stingy_source(std::size_t limit, status refusal = status::out_of_memory)
      : limit_(limit), refusal_(refusal) {}
  std::string_view name() const noexcept override { return "stingy"; }
  int device() const noexcept override { return -1; }
  bool host_accessible() const noexcept override { return false; }
  bool survives_fork() const noexcept override { return true; }
  std::size_t available_bytes() noexcept override { return limit_; }
  bfc::range_result reserve(std::size_t bytes, std::size_t /*alignment*/) noexcept override {
    asked.push_back(bytes);
    if (asked.size() > 5000) std::abort();  // an endless loop, made visible
    if (bytes > limit_) return {refusal_, {}};
    return {status::ok, {reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40), bytes}};
  }
  status release(bfc::memory_range /*range*/) noexcept override { return status::ok; }
  std::uint64_t driver_calls() const noexcept override { return asked.size(); }

  std::vector<std::size_t> asked;

 private:
  std::size_t limit_;
  status refusal_;
};

}  // namespace

TEST_CASE("when the source always fails, the attempts end, with one status") {
  // Nine tenths of 512 rounded up to a granule of 256 is 512 again: a retry that rounds up asks
  // for the same for ever.
  stingy_source none(0);
  for (const std::size_t granule : {1U, 4U, 256U, 512U, 1024U, 2048U}) {
    none.asked.clear();
    const auto result = reserve_with_backoff(none, 2048, 100, granule, 256);
    CHECK(result.code == status::out_of_memory);
    CHECK(result.range.base == nullptr);
    CHECK(result.range.bytes == 0);
    CHECK(result.attempts == none.asked.size());
    CHECK(none.asked.size() <= 40);
    CHECK(none.asked.front() == 2048);
    CHECK(none.asked.back() == bfc::align_up(100, granule));
  }
}

TEST_CASE("every step is strictly smaller, a multiple of the granule and never below the least") {
  const char* const given = std::getenv("BFC_TEST_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "backoff: BFC_TEST_SEED=" << seed
            << std::endl;  // a forked child repeats what is buffered
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t granule = std::size_t{1} << (random() % 30);
    const std::size_t wanted = random() >> (random() % 64);
    const std::size_t least = wanted >> (random() % 64);
    const std::size_t limit = random() >> (random() % 64);
    stingy_source some(limit);
    const auto result = reserve_with_backoff(some, wanted, least, granule, 256);
    INFO(wanted << " least " << least << " granule " << granule << " limit " << limit);
    REQUIRE(result.attempts == some.asked.size());
    REQUIRE(some.asked.size() <= 500);
    for (std::size_t i = 0; i < some.asked.size(); ++i) {
      REQUIRE(some.asked[i] % granule == 0);
      REQUIRE(some.asked[i] >= least);
      REQUIRE(some.asked[i] > 0);
      if (i > 0) REQUIRE(some.asked[i] < some.asked[i - 1]);
    }
    if (result.code == status::ok) {
      REQUIRE(result.range.bytes == some.asked.back());
      REQUIRE(result.range.bytes <= limit);
    } else if (result.code == status::out_of_memory) {
      const auto lowest = bfc::checked_align_up(std::max<std::size_t>(least, 1), granule);
      REQUIRE(some.asked.back() == lowest.value());
    } else {
      REQUIRE(result.code == status::invalid_size);
      REQUIRE(some.asked.empty());
    }
  }
}

TEST_CASE("backing off finds at least nine tenths of what there is") {
  bfc::simulated_options options;
  options.device_bytes = 10 * bfc::GiB + 12345;
  const auto sim = bfc::make_simulated_source(options);
  const auto result =
      reserve_with_backoff(*sim, 200 * bfc::GiB, 64 * bfc::MiB, 2 * bfc::MiB, 2 * bfc::MiB);
  REQUIRE(result.code == status::ok);
  CHECK(result.range.bytes >= 9 * bfc::GiB - 2 * bfc::MiB);
  CHECK(result.range.bytes <= 10 * bfc::GiB);
  CHECK(sim->release(result.range) == status::ok);
}

TEST_CASE("a failure that is no shortage ends the attempts at once") {
  for (const status code : {status::driver_error, status::unavailable, status::forked}) {
    stingy_source broken(0, code);
    const auto result = reserve_with_backoff(broken, bfc::GiB, bfc::MiB, 256, 256);
    CHECK(result.code == code);
    CHECK(result.attempts == 1);
  }
}

TEST_CASE("a range that cannot be is refused without asking the source") {
  stingy_source none(0);
  CHECK(reserve_with_backoff(none, 0, 0, 256, 256).code == status::invalid_size);
  CHECK(reserve_with_backoff(none, 255, 0, 256, 256).code == status::invalid_size);
  CHECK(reserve_with_backoff(none, 1024, 2048, 256, 256).code == status::invalid_size);
  CHECK(reserve_with_backoff(none, SIZE_MAX, SIZE_MAX, 256, 256).code == status::invalid_size);
  CHECK(reserve_with_backoff(none, 1024, 256, 0, 256).code == status::invalid_alignment);
  CHECK(reserve_with_backoff(none, 1024, 256, 100, 256).code == status::invalid_alignment);
  CHECK(reserve_with_backoff(none, 1024, 256, 256, 3).code == status::invalid_alignment);
  CHECK(none.asked.empty());
}
