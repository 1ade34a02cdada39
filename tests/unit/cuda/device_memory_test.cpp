#include "fake_runtime.hpp"
#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>

#include <conformance/source_suite.hpp>
#include <device_memory.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using bfc::GiB;
using bfc::MiB;
using bfc::status;
using bfc::cuda::device_memory;
using bfc::test::fake;
using bfc::test::fake_calls;

namespace {

std::unique_ptr<device_memory> open(int ordinal = 0) {
  return std::make_unique<device_memory>(fake_calls(), ordinal);
}

std::string refusal(int ordinal = 0) {
  try {
    open(ordinal);
    return "it opened";
  } catch (const bfc::error& e) {
    CHECK(e.code() == status::unavailable);
    CHECK(fake().errors_left == 0);
    return e.what();
  }
}

}  // namespace

TEST_CASE("CUDA memory keeps the contract of a source, whatever the driver aligns to") {
  for (const std::uintptr_t alignment : {std::uintptr_t{256}, std::uintptr_t{2 * MiB}}) {
    DYNAMIC_SECTION("bases aligned to " << alignment) {
      fake() = {};
      fake().base_alignment = alignment;
      bfc::test::check_source_contract([] { return open(); });
      CHECK(fake().live.empty());
    }
  }
}

TEST_CASE("an absent device is refused with the driver's own words and a remedy") {
  fake() = {};
  fake().count_answer = 35;
  CHECK(refusal() ==
        "no CUDA device: CUDA driver version is insufficient for CUDA runtime version; install or "
        "update the NVIDIA driver, or use the host's memory");
  fake() = {};
  fake().count = 0;
  CHECK(refusal().find("no CUDA device: the driver reports none") == 0);
}

TEST_CASE("an ordinal out of range is refused with the range") {
  fake() = {};
  CHECK(refusal(1) == "no CUDA device 1: the driver reports 1 device; the only ordinal is 0");
  CHECK(refusal(-1).find("no CUDA device -1: the driver reports 1 device") == 0);
  fake().count = 4;
  CHECK(refusal(4) == "no CUDA device 4: the driver reports 4 devices; use an ordinal from 0 to 3");
  CHECK(open(3)->device() == 3);
}

TEST_CASE("a device that is counted but does not work is refused when opened") {
  fake() = {};
  fake().info_answer = 46;
  CHECK(refusal().find("CUDA device 0 does not answer: some other failure; ") == 0);
  fake() = {};
  fake().count = 2;
  fake().use_answer = 46;
  CHECK(refusal(1).find("CUDA device 1 does not answer: some other failure; ") == 0);
}

TEST_CASE("what is available is what is free less a thirty-second of it and at least 256 MiB") {
  fake() = {};
  const auto source = open();
  fake().free_bytes = 128 * GiB;
  CHECK(source->available_bytes() == 124 * GiB);
  fake().free_bytes = 8 * GiB;
  CHECK(source->available_bytes() == 8 * GiB - 256 * MiB);
  fake().free_bytes = GiB;
  CHECK(source->available_bytes() == GiB - 256 * MiB);
  fake().free_bytes = 100 * MiB;
  CHECK(source->available_bytes() == 0);
  fake().info_answer = 46;
  CHECK(source->available_bytes() == 0);
  CHECK(fake().errors_left == 0);
}

TEST_CASE("an aligned base is taken as it comes, with one allocation of exactly the bytes") {
  fake() = {};
  const auto source = open();
  const auto held = source->reserve(GiB + 1, 2 * MiB);
  REQUIRE(held.code == status::ok);
  CHECK(fake().allocated == std::vector<std::size_t>{GiB + 1});
  CHECK(source->release(held.range) == status::ok);
  CHECK(fake().live.empty());
}

TEST_CASE("a misaligned base is given back and as much more is asked for as alignment can cost") {
  fake() = {};
  fake().base_alignment = 256;
  const auto source = open();
  const auto held = source->reserve(GiB, 2 * MiB);
  REQUIRE(held.code == status::ok);
  CHECK(fake().allocated == std::vector<std::size_t>{GiB, GiB + 2 * MiB - 256});
  REQUIRE(fake().live.size() == 1);
  const auto begin = reinterpret_cast<std::uintptr_t>(fake().live.begin()->first);
  const auto base = reinterpret_cast<std::uintptr_t>(held.range.base);
  CHECK(base % (2 * MiB) == 0);
  CHECK(base >= begin);
  CHECK(base + held.range.bytes <= begin + fake().live.begin()->second);
  CHECK(source->release(held.range) == status::ok);
  CHECK(fake().live.empty());
}

TEST_CASE("a refused allocation is out of memory, first or second, and leaves nothing behind") {
  fake() = {};
  fake().base_alignment = 256;
  const auto source = open();
  fake().allocate_answers = {2};
  CHECK(source->reserve(GiB, 2 * MiB).code == status::out_of_memory);
  fake().allocated.clear();
  fake().allocate_answers = {0, 2};
  CHECK(source->reserve(GiB, 2 * MiB).code == status::out_of_memory);
  fake().allocated.clear();
  fake().allocate_answers = {700};
  CHECK(source->reserve(GiB, 2 * MiB).code == status::driver_error);
  CHECK(fake().live.empty());
  CHECK(fake().errors_left == 0);
}

TEST_CASE("calls are made on the source's device and the caller's is restored") {
  fake() = {};
  fake().count = 3;
  fake().current = 1;
  {
    const auto source = open(2);
    CHECK(fake().current == 1);
    const auto held = source->reserve(MiB, 256);
    REQUIRE(held.code == status::ok);
    CHECK(fake().devices_allocated_on == std::vector<int>{2});
    CHECK(fake().current == 1);
    (void)source->available_bytes();
    CHECK(fake().current == 1);
    CHECK(source->release(held.range) == status::ok);
    CHECK(fake().current == 1);
  }
  CHECK(fake().current == 1);
}

TEST_CASE("a device that cannot be made current is a driver error and loses nothing") {
  fake() = {};
  fake().count = 2;
  const auto source = open(1);
  fake().use_answer = 46;
  CHECK(source->reserve(MiB, 256).code == status::driver_error);
  CHECK(source->available_bytes() == 0);
  CHECK(fake().live.empty());
  CHECK(fake().errors_left == 0);
}

TEST_CASE("no CUDA call of any kind is made once the runtime is going down") {
  fake() = {};
  auto source = open();
  const auto first = source->reserve(MiB, 256);
  const auto second = source->reserve(MiB, 256);
  REQUIRE(first.code == status::ok);
  REQUIRE(second.code == status::ok);
  fake().down = true;
  const std::uint64_t calls = fake().all_calls;
  CHECK(source->release(first.range) == status::ok);
  CHECK(source->release(first.range) == status::foreign_pointer);
  CHECK(source->reserve(MiB, 256).code == status::unavailable);
  CHECK(source->available_bytes() == 0);
  source.reset();  // still holds the second
  CHECK(fake().all_calls == calls);
}

TEST_CASE("a runtime that is unloading has taken the memory back already") {
  fake() = {};
  const auto source = open();
  const auto held = source->reserve(MiB, 256);
  fake().free_answer = 4;
  CHECK(source->release(held.range) == status::ok);
}

TEST_CASE("what a CUDA source still holds at its end is freed") {
  fake() = {};
  auto source = open();
  REQUIRE(source->reserve(MiB, 256).code == status::ok);
  REQUIRE(source->reserve(MiB, 256).code == status::ok);
  source.reset();
  CHECK(fake().live.empty());
}

TEST_CASE("in a forked child a CUDA source refuses and makes no call") {
  fake() = {};
  auto source = open();
  CHECK_FALSE(source->survives_fork());
  const auto held = source->reserve(MiB, 256);
  REQUIRE(held.code == status::ok);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::uint64_t calls = fake().all_calls;
    bool right = source->release(held.range) == status::forked;
    right = right && source->reserve(MiB, 256).code == status::forked;
    right = right && source->available_bytes() == 0;
    source.reset();
    right = right && fake().all_calls == calls;
    ::_exit(right ? 0 : 1);
  }
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  CHECK(WIFEXITED(state));
  CHECK(WEXITSTATUS(state) == 0);
  CHECK(source->release(held.range) == status::ok);
}

TEST_CASE("calls for memory and about memory are counted, others are not") {
  fake() = {};
  fake().base_alignment = 256;
  const auto source = open();
  CHECK(source->driver_calls() == fake().memory_calls);
  const auto held = source->reserve(MiB, 2 * MiB);  // allocate, free, allocate
  CHECK(source->driver_calls() == fake().memory_calls);
  (void)source->available_bytes();
  CHECK(source->release(held.range) == status::ok);
  CHECK(source->driver_calls() == fake().memory_calls);
  CHECK(source->driver_calls() == 6);
}
