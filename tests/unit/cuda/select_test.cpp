#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>
#include <bfc/cuda/cuda_source.hpp>
#include <bfc/cuda/select.hpp>

#include <string>

#include <catch2/catch.hpp>

using bfc::status;
using bfc::cuda::select_source;

namespace {

// The reason a device cannot be had here; empty where there is one.
std::string refusal_here() {
  try {
    (void)bfc::cuda::make_cuda_source();
    return "";
  } catch (const bfc::error& e) {
    CHECK(e.code() == status::unavailable);
    return e.what();
  }
}

}  // namespace

TEST_CASE("auto takes the device that answers, else the host, and says which and why") {
  const std::string refusal = refusal_here();
  const auto chosen = select_source("auto");
  INFO(chosen.reason);
  if (refusal.empty()) {
    CHECK(chosen.where->name() == "cuda");
    CHECK(chosen.reason.find("CUDA device 0") == 0);
  } else {
    CHECK(chosen.where->name() == "host");
    CHECK(chosen.reason.find("host memory: no CUDA device") == 0);
    CHECK(refusal.find(chosen.reason.substr(13)) == 0);  // the very words of the refusal
  }
}

TEST_CASE("a device asked for by name is that device or a refusal with reason and remedy") {
  CHECK(select_source("host").where->name() == "host");
  CHECK(select_source("sim").where->name() == "sim");
  const std::string refusal = refusal_here();
  if (refusal.empty()) {
    CHECK(select_source("cuda").where->name() == "cuda");
  } else {
    CHECK_THROWS_WITH(select_source("cuda"), refusal);
    CHECK(refusal.find(';') != std::string::npos);
  }
}

TEST_CASE("a build without CUDA says so") {
  if (bfc::cuda::built_with_cuda()) return;
  CHECK(refusal_here().find("no CUDA device: this build has no CUDA in it; ") == 0);
}

TEST_CASE("the simulated device is as large as asked for, or as by default") {
  CHECK(select_source("sim", 3 * bfc::GiB).where->available_bytes() == 3 * bfc::GiB);
  CHECK(select_source("sim").where->available_bytes() == 139 * bfc::GiB);
}

TEST_CASE("an unknown device name is refused with the names there are") {
  for (const char* name : {"", "gpu", "CUDA", "cuda:0", "host "}) {
    try {
      (void)select_source(name);
      FAIL("accepted " << name);
    } catch (const bfc::error& e) {
      CHECK(e.code() == status::invalid_option);
      CHECK(std::string(e.what()) ==
            "device \"" + std::string(name) + "\" is not known; use one of auto, host, sim, cuda");
    }
  }
}
