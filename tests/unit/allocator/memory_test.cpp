// What the facade costs in host memory. A program of its own, because it replaces operator new.
#include "support/counting_new.hpp"
#include "support/pools.hpp"
#include "support/seed.hpp"
#include <bfc/allocator/tag.hpp>
#include <bfc/base/contract.hpp>

#include <memory>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

}  // namespace

TEST_CASE("operator new is counted in this program") {
  const std::uint64_t before = test::operator_new_calls();
  const auto one = std::make_unique<int>(1);
  CHECK(*one == 1);  // keeps the compiler from leaving the allocation out
  CHECK(test::operator_new_calls() > before);
}

TEST_CASE("once warm no call of the facade allocates host memory") {
  options how = test::small_options(256 * MiB);
  how.expected_blocks = 256;
  how.coalesce = GENERATE(core::coalescing::immediate, core::coalescing::threshold,
                          core::coalescing::ratio, core::coalescing::on_failure);
  const auto pool = test::simulated_pool(how);
  constexpr std::size_t slots = 1000;  // more than expected, so that the books grow while warming
  std::vector<void*> live(slots, nullptr);
  const core::tag_id tag = intern_tag("warm");
  std::vector<batch_request> batch(8);
  for (batch_request& r : batch) r.bytes = 700;
  std::vector<void*> batch_pointers(8);
  bool all_ok = true;
  const auto churn = [&](std::uint64_t seed, int steps) {
    test::random_source random(seed);
    const tag_scope scope(tag);
    for (int i = 0; i < steps; ++i) {
      void*& slot = live[random.below(slots)];
      if (slot != nullptr) {
        all_ok &= pool->deallocate(slot) == status::ok;
        slot = nullptr;
        continue;
      }
      request_options aligned;
      aligned.alignment = std::size_t{256} << random.below(5);
      aligned.place = random.one_in(2) ? core::placement::low : core::placement::high;
      slot = pool->try_allocate(random.log_uniform(256 * KiB), aligned).pointer;
      if (slot != nullptr && random.one_in(4)) {
        static_cast<void>(pool->try_expand(slot, random.log_uniform(256 * KiB)));
      }
      if (slot != nullptr && random.one_in(4)) all_ok &= pool->shrink(slot, 1) == status::ok;
      static_cast<void>(pool->try_allocate(257 * MiB));
      static_cast<void>(pool->largest_available(4096));
      all_ok &= pool->try_allocate_batch(batch, batch_pointers) == status::ok;
      all_ok &= pool->deallocate_batch(batch_pointers) == status::ok;
    }
  };
  // As many blocks as there will ever be: all slots taken, every second given back.
  for (void*& slot : live) slot = pool->allocate(300);
  for (std::size_t i = 0; i < slots; i += 2) {
    all_ok &= pool->deallocate(live[i]) == status::ok;
    live[i] = nullptr;
  }
  churn(1, 20000);
  const std::uint64_t before = test::operator_new_calls();
  churn(2, 20000);
  const std::uint64_t after = test::operator_new_calls();
  if constexpr (!audit_enabled) {  // An audit copies the whole state after every mutation.
    CHECK(after == before);
  }
  CHECK(all_ok);
  CHECK(pool->deallocate_batch(live) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("139 GiB with a thousand blocks cost less than 1 MiB of host memory") {
  options how;
  how.capacity_bytes = 139 * GiB;
  how.max_alignment = 2 * MiB;
  const auto pool = test::simulated_pool(how);
  CHECK(pool->capacity_bytes() == 139 * GiB);
  std::vector<void*> live;
  for (int i = 0; i < 1000; ++i) live.push_back(pool->allocate(139 * GiB / 1100));
  CHECK(pool->statistics().metadata_bytes < 1 * MiB);
  CHECK(pool->statistics().blocks.current == 1000);
  CHECK(pool->driver_calls_after_start() == 0);
  CHECK(pool->deallocate_batch(live) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("host memory grows with the blocks, not with the capacity") {
  const auto metadata = [](std::uint64_t capacity) {
    options how;
    how.capacity_bytes = capacity;
    return test::simulated_pool(how)->statistics().metadata_bytes;
  };
  CHECK(metadata(64 * MiB) == metadata(128 * GiB));
}
