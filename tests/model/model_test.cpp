#include "model/machine.hpp"
#include "model/shrink.hpp"
#include "model/step_generator.hpp"
#include "support/seed.hpp"
#include <bfc/core/types.hpp>

#include <algorithm>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

#ifndef BFC_MODEL_DEFAULT_STEPS
#define BFC_MODEL_DEFAULT_STEPS 100000
#endif

namespace {

using namespace bfc::model;

/// Runs one random program as it is generated. A failure comes back shrunk, as source.
std::string run_random_program(std::uint64_t seed, bfc::core::coalescing policy,
                               std::uint64_t step_count) {
  bfc::test::random_source random(seed);
  program p;
  p.setup = random_setup(random, policy);
  step_generator generator(random, p.setup);
  const std::uint64_t inspect_every = random.one_in(2) ? 1 : 8;
  machine m(p.setup, inspect_every);
  disagreement found;
  while (!found && p.steps.size() < step_count) {
    p.steps.push_back(generator.next(m.live_blocks()));
    found = m.apply(p.steps.back());
  }
  if (!found) found = m.finish();
  if (!found) return {};
  // Inspect after every step from here on: failures show earlier, so programs get shorter.
  const auto fails = [](const program& candidate) { return run(candidate).has_value(); };
  if (!fails(p)) return "seed " + std::to_string(seed) + ": " + *found + "\n" + to_source(p);
  const program small = shrink_program(p, fails);
  const failure last = *run(small);
  return "seed " + std::to_string(seed) + ", step " + std::to_string(last.step) + " of " +
         std::to_string(small.steps.size()) + ": " + last.text + "\n" + to_source(small);
}

}  // namespace

TEST_CASE("random programs get the oracle's verdicts under every coalescing policy") {
  const std::uint64_t seed = bfc::test::announce_seed("model");
  const std::uint64_t total =
      bfc::test::number_from_environment("BFC_MODEL_STEPS", BFC_MODEL_DEFAULT_STEPS);
  constexpr std::uint64_t program_steps = 2000;
  const std::uint64_t policies = std::size(bfc::core::all_coalescing_policies);
  std::uint64_t done = 0;
  for (std::uint64_t n = 0; done < total; ++n) {
    const std::uint64_t steps = std::min(program_steps, total - done);
    const std::string trouble =
        run_random_program(seed + n, bfc::core::all_coalescing_policies[n % policies], steps);
    INFO("BFC_TEST_SEED=" << seed << ", program " << n << "\n" << trouble);
    REQUIRE(trouble.empty());
    done += steps;
  }
}

TEST_CASE("programs decoded from random bytes get the oracle's verdicts") {
  bfc::test::random_source random(bfc::test::announce_seed("bytes"));
  for (int n = 0; n < 200; ++n) {
    std::vector<std::uint8_t> bytes(random.below(400));
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random.next());
    const program p = decode(bytes);
    const auto fails = [](const program& candidate) { return run(candidate).has_value(); };
    if (!fails(p)) continue;
    const program small = shrink_program(p, fails);
    INFO(run(small)->text << "\n" << to_source(small));
    REQUIRE_FALSE(fails(small));
  }
}
