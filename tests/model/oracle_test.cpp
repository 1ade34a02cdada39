// The oracle, the shrinker and the printer are test code that others rely on, so they are tested
// too: by hand, against numbers worked out on paper.
#include "model/oracle.hpp"

#include "model/shrink.hpp"
#include "model/step_program.hpp"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

namespace {

using namespace bfc::model;
using bfc::status;
using bfc::core::mark_set;
using bfc::core::placement;
using bfc::core::request;

request ask(std::uint64_t bytes, std::uint64_t alignment = 0, placement place = placement::low) {
  request r;
  r.bytes = bytes;
  r.alignment = alignment;
  r.place = place;
  return r;
}

/// Holes of 512 at 256, 256 at 1024, 256 at 1536 in a space of 2048 with unit 256.
oracle three_holes() {
  oracle o(2048, 256);
  o.take(0, ask(256));
  o.take(768, ask(256));
  o.take(1280, ask(256));
  o.take(1792, ask(200));
  return o;
}

}  // namespace

TEST_CASE("the oracle takes the smallest hole, the lowest or the highest of equal ones") {
  const oracle o = three_holes();
  CHECK(o.judge(ask(256)).offset == 1024);
  CHECK(o.judge(ask(256, 0, placement::high)).offset == 1536);
  CHECK(o.judge(ask(257)).offset == 256);
  CHECK(o.judge(ask(257)).size_bytes == 512);
  CHECK(o.judge(ask(513)).code == status::out_of_memory);
}

TEST_CASE("the oracle honours alignment before size") {
  const oracle o = three_holes();
  CHECK(o.judge(ask(256, 1024)).offset == 1024);
  CHECK(o.judge(ask(256, 512)).offset == 1024);
  CHECK(o.judge(ask(256, 512, placement::high)).offset == 1536);
  CHECK(o.judge(ask(512, 512)).code == status::out_of_memory);
  CHECK(o.judge(ask(256, 2048)).code == status::out_of_memory);
  CHECK(o.judge(ask(256, 3)).code == status::invalid_alignment);
  CHECK(o.judge(ask(1, std::uint64_t{1} << 63)).code == status::out_of_memory);
  CHECK(oracle(2048, 256).judge(ask(1, std::uint64_t{1} << 63)).offset == 0);
}

TEST_CASE("high placement takes the highest aligned offset of the hole") {
  const oracle o(2048, 256);
  CHECK(o.judge(ask(300, 0, placement::high)).offset == 1536);
  CHECK(o.judge(ask(300, 1024, placement::high)).offset == 1024);
  CHECK(o.judge(ask(2048, 1024, placement::high)).offset == 0);
}

TEST_CASE("sizes that wrap when rounded are invalid to the oracle") {
  const oracle o(2048, 256);
  CHECK(o.judge(ask(UINT64_MAX)).code == status::invalid_size);
  CHECK(o.judge(ask(UINT64_MAX - 255)).code == status::out_of_memory);
  CHECK(o.judge(ask(0)).code == status::invalid_size);
}

TEST_CASE("the oracle keeps marked memory from requests until it is settled") {
  oracle o = three_holes();
  o.release(768, mark_set{3});
  CHECK(o.classify(768) == status::not_allocated);
  CHECK(o.judge(ask(1024)).code == status::out_of_memory);
  CHECK(o.largest_available(0) == 512);
  o.settle(mark_set{2});
  CHECK(o.largest_available(0) == 512);
  o.settle(mark_set{3});
  CHECK(o.judge(ask(1024)).offset == 256);
  CHECK(o.largest_available(0) == 1024);
  CHECK(o.largest_available(512) == 768);
}

TEST_CASE("the oracle classifies offsets") {
  const oracle o = three_holes();
  CHECK(o.classify(768) == status::ok);
  CHECK(o.classify(769) == status::interior_pointer);
  CHECK(o.classify(1023) == status::interior_pointer);
  CHECK(o.classify(1024) == status::not_allocated);
  CHECK(o.classify(2047) == status::interior_pointer);
  CHECK(o.classify(2048) == status::foreign_pointer);
}

TEST_CASE("the oracle expands into the hole behind and no further") {
  oracle o = three_holes();
  CHECK(o.expand(0, 769) == status::cannot_expand);
  CHECK(o.expand(0, 768) == status::ok);
  CHECK(o.live_bytes() == 1536);
  CHECK(o.shrink(0, 1) == status::ok);
  CHECK(o.shrink(0, 2) == status::invalid_size);
  CHECK(o.live_bytes() == 1024);
  CHECK(o.footprint_bytes() == 2048);
}

TEST_CASE("a failing program shrinks to the steps that matter") {
  program p;
  for (std::uint32_t i = 0; i < 500; ++i) p.steps.push_back(allocate(1000 + i, 512));
  p.steps[137] = settle(3);
  p.steps[411] = release(9);
  const auto count = [](const program& c, const step& s) {
    return std::count(c.steps.begin(), c.steps.end(), s);
  };
  const auto fails = [&](const program& c) {
    const auto sized = std::any_of(c.steps.begin(), c.steps.end(), [](const step& s) {
      return s.kind == step_kind::allocate && s.bytes >= 40;
    });
    return sized && count(c, settle(3)) == 1;
  };
  const program small = shrink_program(p, fails);
  REQUIRE(small.steps.size() == 2);
  CHECK(count(small, settle(3)) == 1);
  CHECK(small.steps[0].bytes < 80);
  CHECK(small.steps[0].alignment == 0);
}

TEST_CASE("a program prints as the source that builds it") {
  program p;
  p.setup.capacity_bytes = 4096;
  p.steps = {allocate(100),
             allocate(7, 512, placement::high, 2),
             release(3),
             release_with_marks(1, 2),
             settle(2),
             expand(0, 5),
             shrink(1, 500),
             shrink(1, 500, 3),
             coalesce(),
             largest(1024),
             bad_release(bad_offset::interior, 1, 9)};
  const std::string text = to_source(p);
  CHECK(text.find("p.setup.capacity_bytes = 4096u;") != std::string::npos);
  CHECK(text.find("    allocate(100u),\n    allocate(7u, 512u, placement::high, 2),\n"
                  "    release(3),\n    release_with_marks(1, 2),\n    settle(2),\n"
                  "    expand(0, 5u),\n    shrink(1, 500u),\n    shrink(1, 500u, 3),\n    "
                  "coalesce(),\n    largest(1024u),\n"
                  "    bad_release(bad_offset::interior, 1, 9u),\n") != std::string::npos);
}

TEST_CASE("equal bytes decode to equal programs with valid setups") {
  std::array<std::uint8_t, 64> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + 5);
  CHECK(decode(bytes).steps == decode(bytes).steps);
  for (unsigned first = 0; first < 256; ++first) {
    bytes[0] = static_cast<std::uint8_t>(first);
    bytes[1] = static_cast<std::uint8_t>(255 - first);
    const auto setup = decode(bytes).setup;
    CHECK(setup.capacity_bytes / setup.unit_bytes >= 1);
    CHECK(setup.capacity_bytes / setup.unit_bytes <= UINT32_MAX);
    CHECK(setup.unit_bytes >= 16);
    CHECK(setup.unit_bytes <= 2u << 20);
  }
  CHECK(decode({}).steps.empty());
}
