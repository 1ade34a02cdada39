#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>
#include <bfc/cuda/cuda_source.hpp>
#include <bfc/cuda/device_ops.hpp>
#include <bfc/cuda/select.hpp>

#include <conformance/device_ops_suite.hpp>
#include <conformance/source_suite.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

using bfc::GiB;
using bfc::MiB;
using bfc::status;

namespace {

// Whether there is a device to test on. Where one is promised (BFC_REQUIRE_GPU), its absence is a
// failure; elsewhere it is a skip, with the reason.
bool device_answers() {
  try {
    (void)bfc::cuda::make_cuda_source();
    return true;
  } catch (const bfc::error& e) {
    if (std::getenv("BFC_REQUIRE_GPU") != nullptr) FAIL(e.what());
    std::cout << "SKIPPED: " << e.what() << '\n';
    return false;
  }
}

// Initialised before main, so destroyed after every handler registered later: when the runtime has
// gone already. A crash then fails the whole program.
std::unique_ptr<bfc::source> kept;

}  // namespace

TEST_CASE("device memory keeps the contract of a source") {
  if (!device_answers()) return;
  bfc::test::check_source_contract([] { return bfc::cuda::make_cuda_source(); });
}

TEST_CASE("device memory is filled and checked word by word, as host memory is") {
  if (!device_answers()) return;
  const auto device = bfc::cuda::make_cuda_source();
  bfc::test::check_device_ops(*device);
}

TEST_CASE("auto chooses the device that answers") {
  if (!device_answers()) return;
  const auto chosen = bfc::cuda::select_source("auto");
  CHECK(chosen.where->name() == "cuda");
  CHECK(chosen.where->device() == 0);
}

TEST_CASE(
    "what the device says is available can be reserved in one piece, and written to its end") {
  if (!device_answers()) return;
  const auto device = bfc::cuda::make_cuda_source();
  const std::size_t available = device->available_bytes();
  REQUIRE(available > GiB);
  const auto held = bfc::reserve_with_backoff(*device, available, GiB, 2 * MiB, 2 * MiB);
  REQUIRE(held.code == status::ok);
  CHECK(held.attempts == 1);
  CHECK(device->available_bytes() < available);
  const auto ops = bfc::cuda::make_device_ops(*device);
  REQUIRE(ops->fill(held.range.base, held.range.bytes, 42) == status::ok);
  std::uint64_t mismatches = 1;
  REQUIRE(ops->check(held.range.base, held.range.bytes, 42, mismatches) == status::ok);
  CHECK(mismatches == 0);
  CHECK(device->release(held.range) == status::ok);
}

TEST_CASE("more than the device has is out of memory, and the device works on") {
  if (!device_answers()) return;
  const auto device = bfc::cuda::make_cuda_source();
  CHECK(device->reserve(std::size_t{1} << 44, 2 * MiB).code == status::out_of_memory);
  const auto held = device->reserve(MiB, 2 * MiB);
  REQUIRE(held.code == status::ok);
  CHECK(device->release(held.range) == status::ok);
}

TEST_CASE("a source that outlives the runtime lets the process end in peace") {
  if (!device_answers()) return;
  kept = bfc::cuda::make_cuda_source();
  REQUIRE(kept->reserve(MiB, 2 * MiB).code == status::ok);
}
