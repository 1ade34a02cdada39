// Programs with which the model (tests/model) found faults of the heap, as it printed them.
#include "model/machine.hpp"
#include "model/step_program.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace bfc::model;
using bfc::core::coalescing;
using bfc::core::placement;

program small_space(coalescing policy) {
  program p;
  p.setup.capacity_bytes = 3072;
  p.setup.unit_bytes = 256;
  p.setup.policy = policy;
  return p;
}

void check_agrees(const program& p) {
  const auto found = run(p);
  CAPTURE(found ? found->text : std::string());
  CHECK_FALSE(found.has_value());
}

}  // namespace

TEST_CASE("a run of several unmerged blocks becomes one hole with what stands behind it") {
  program p = small_space(coalescing::threshold);
  p.steps = {allocate(1), allocate(1), release(0), release(0), coalesce(), allocate(3072)};
  check_agrees(p);
}

TEST_CASE("growing into a part of an unmerged block leaves the rest of it listed once") {
  program p = small_space(coalescing::threshold);
  p.steps = {allocate(256),  allocate(512), allocate(256), release(1),
             expand(0, 256), allocate(256), release(0),    coalesce()};
  check_agrees(p);
}
