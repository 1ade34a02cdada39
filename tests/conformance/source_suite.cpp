#include "source_suite.hpp"

#include <bfc/base/checked.hpp>
#include <bfc/base/units.hpp>

#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

namespace bfc::test {
namespace {

std::uintptr_t address(const memory_range& range) {
  return reinterpret_cast<std::uintptr_t>(range.base);
}

bool overlap(const memory_range& a, const memory_range& b) {
  return address(a) < address(b) + b.bytes && address(b) < address(a) + a.bytes;
}

void check_facts(source& from) {
  CHECK((from.name() == "host" || from.name() == "sim" || from.name() == "cuda"));
  CHECK(from.device() >= -1);
  if (from.host_accessible()) CHECK(from.device() == -1);
  const std::uint64_t calls = from.driver_calls();
  CHECK(from.driver_calls() == calls);  // asking for facts asks no driver
  CHECK(from.available_bytes() > 0);
  CHECK(from.driver_calls() > calls);
}

void check_alignments_and_lengths(source& from) {
  std::vector<memory_range> held;
  for (std::size_t alignment = 1; alignment <= 64 * MiB; alignment *= 4) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, 3 * MiB}) {
      const std::uint64_t calls = from.driver_calls();
      const range_result result = from.reserve(bytes, alignment);
      INFO(bytes << " bytes aligned to " << alignment);
      REQUIRE(result.code == status::ok);
      CHECK(result.range.base != nullptr);
      CHECK(result.range.bytes == bytes);
      CHECK(address(result.range) % alignment == 0);
      CHECK(from.driver_calls() > calls);
      for (const memory_range& other : held) CHECK_FALSE(overlap(result.range, other));
      if (from.host_accessible()) {
        CHECK(result.range.base[bytes - 1] == std::byte{0});
        result.range.base[0] = std::byte{1};
        result.range.base[bytes - 1] = std::byte{2};
      }
      held.push_back(result.range);
    }
  }
  for (const memory_range& range : held) {
    const std::uint64_t calls = from.driver_calls();
    CHECK(from.release(range) == status::ok);
    CHECK(from.driver_calls() > calls);
  }
}

void check_refused_requests(source& from) {
  const auto refused_with = [&](std::size_t bytes, std::size_t alignment) {
    const range_result result = from.reserve(bytes, alignment);
    CHECK(result.range.base == nullptr);
    CHECK(result.range.bytes == 0);
    return result.code;
  };
  CHECK(refused_with(0, 256) == status::invalid_size);
  CHECK(refused_with(4096, 0) == status::invalid_alignment);
  CHECK(refused_with(4096, 3) == status::invalid_alignment);
  CHECK(refused_with(4096, 2 * MiB + 1) == status::invalid_alignment);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2}) {
    const status code = refused_with(bytes, 2 * MiB);
    CHECK((code == status::invalid_size || code == status::out_of_memory));
  }
  const range_result after = from.reserve(MiB, 2 * MiB);
  REQUIRE(after.code == status::ok);
  CHECK(from.release(after.range) == status::ok);
}

void check_refused_releases(source& from) {
  const range_result result = from.reserve(2 * MiB, 4096);
  REQUIRE(result.code == status::ok);
  const memory_range range = result.range;
  CHECK(from.release({nullptr, 0}) == status::foreign_pointer);
  CHECK(from.release({range.base, range.bytes - 1}) == status::foreign_pointer);
  CHECK(from.release({range.base, range.bytes + 1}) == status::foreign_pointer);
  CHECK(from.release({range.base + 4096, range.bytes - 4096}) == status::foreign_pointer);
  if (from.host_accessible()) range.base[0] = std::byte{1};  // still there
  CHECK(from.release(range) == status::ok);
  CHECK(from.release(range) == status::foreign_pointer);
}

void check_nothing_leaks(source& from) {
  for (int round = 0; round < 500; ++round) {
    const range_result result = from.reserve(16 * MiB, 2 * MiB);
    REQUIRE(result.code == status::ok);
    REQUIRE(from.release(result.range) == status::ok);
  }
}

}  // namespace

void check_source_contract(const source_factory& make) {
  const std::unique_ptr<source> from = make();
  SECTION("it states its facts without a call, and what is available with one") {
    check_facts(*from);
  }
  SECTION("ranges have the length and alignment asked for and do not overlap") {
    check_alignments_and_lengths(*from);
  }
  SECTION("impossible requests are refused and hold nothing") {
    check_refused_requests(*from);
  }
  SECTION("only exactly what was handed out is taken back, and once") {
    check_refused_releases(*from);
  }
  SECTION("reserving and releasing again and again leaks nothing") {
    check_nothing_leaks(*from);
  }
}

}  // namespace bfc::test
