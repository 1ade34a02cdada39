#include "trace/live_pointers.hpp"

#include "support/seed.hpp"

#include <unordered_map>

#include <catch2/catch.hpp>

TEST_CASE("live_pointers answers as a standard map does, through growth and removal", "[trace]") {
  bfc::test::random_source random(bfc::test::announce_seed("live_pointers"));
  bfc::trace::live_pointers ours;
  std::unordered_map<std::uint64_t, std::uint32_t> model;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    // Few distinct pointers, so that hits, misses and re-issues are all frequent; some far apart.
    std::uint64_t pointer = 16 * random.between(1, 3000);
    if (random.one_in(4)) pointer <<= 40;
    const auto known = model.find(pointer);
    if (random.one_in(2)) {
      const auto before = ours.insert(pointer, i);
      REQUIRE(before.has_value() == (known != model.end()));
      if (before) REQUIRE(*before == known->second);
      model[pointer] = i;
    } else {
      const auto removed = ours.remove(pointer);
      REQUIRE(removed.has_value() == (known != model.end()));
      if (removed) {
        REQUIRE(*removed == known->second);
        model.erase(known);
      }
    }
    REQUIRE(ours.size() == model.size());
  }
}
