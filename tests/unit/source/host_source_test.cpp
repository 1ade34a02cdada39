#include <bfc/base/units.hpp>
#include <bfc/source/host_source.hpp>

#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using bfc::status;

namespace {

// Whether the page at `at` is mapped: msync refuses addresses that are not.
bool mapped(const std::byte* at) {
  return ::msync(const_cast<std::byte*>(at), 1, MS_ASYNC) == 0;
}

/// Runs `body` in a forked child; its exit code.
template <typename Body>
int in_a_child(Body body) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(body());
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

}  // namespace

TEST_CASE("a host reservation larger than the machine's memory costs only what is touched") {
  const auto host = bfc::make_host_source();
  const auto held = host->reserve(200 * bfc::GiB, 2 * bfc::MiB);
  REQUIRE(held.code == status::ok);
  held.range.base[0] = std::byte{1};
  held.range.base[held.range.bytes - 1] = std::byte{2};
  CHECK(held.range.base[held.range.bytes / 2] == std::byte{0});
  CHECK(host->release(held.range) == status::ok);
}

TEST_CASE("over-mapping for an alignment leaves nothing mapped before or behind the range") {
  const auto host = bfc::make_host_source();
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // Neighbouring mappings would hide a remainder, so the borders are looked at for several.
  int clean_before = 0;
  int clean_behind = 0;
  for (int i = 0; i < 8; ++i) {
    const auto held = host->reserve(3 * page, 64 * bfc::MiB);
    REQUIRE(held.code == status::ok);
    CHECK(mapped(held.range.base));
    CHECK(mapped(held.range.base + 2 * page));
    clean_before += mapped(held.range.base - page) ? 0 : 1;
    clean_behind += mapped(held.range.base + 3 * page) ? 0 : 1;
    REQUIRE(host->release(held.range) == status::ok);
    CHECK_FALSE(mapped(held.range.base));
  }
  CHECK(clean_before >= 4);
  CHECK(clean_behind >= 4);
}

TEST_CASE("what a host source still holds at its end is unmapped") {
  auto host = bfc::make_host_source();
  const auto held = host->reserve(bfc::MiB, 4096);
  REQUIRE(held.code == status::ok);
  REQUIRE(mapped(held.range.base));
  host.reset();
  CHECK_FALSE(mapped(held.range.base));
}

TEST_CASE("a forked child writes to its own copy of host memory") {
  const auto host = bfc::make_host_source();
  CHECK(host->survives_fork());
  const auto held = host->reserve(bfc::MiB, 4096);
  REQUIRE(held.code == status::ok);
  held.range.base[7] = std::byte{1};
  const int code = in_a_child([&] {
    if (held.range.base[7] != std::byte{1}) return 2;
    held.range.base[7] = std::byte{9};
    const auto more = host->reserve(bfc::MiB, 4096);
    if (more.code != status::ok) return 3;
    return host->release(held.range) == status::ok ? 0 : 4;
  });
  CHECK(code == 0);
  CHECK(held.range.base[7] == std::byte{1});
  CHECK(host->release(held.range) == status::ok);
}

TEST_CASE("when the system refuses addresses, a host source says out of memory and holds nothing") {
  const auto host = bfc::make_host_source();
  const int code = in_a_child([&] {
    const rlimit no_more{1, 1};
    if (::setrlimit(RLIMIT_AS, &no_more) != 0) return 2;
    const auto refused = host->reserve(bfc::GiB, 2 * bfc::MiB);
    return refused.code == status::out_of_memory && refused.range.base == nullptr ? 0 : 3;
  });
  CHECK(code == 0);
}
