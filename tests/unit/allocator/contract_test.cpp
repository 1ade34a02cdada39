// What the facade promises at its edges: callees, closing, tags, scopes, time.
#include "support/pools.hpp"
#include <bfc/base/contract.hpp>
#include <bfc/base/error.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;
using test::simulated_pool;
using test::small_options;

/// An observer that acts when it is destroyed.
class last_words : public observer {
 public:
  explicit last_words(std::function<void()> words) : words_(std::move(words)) {}
  ~last_words() override { words_(); }
  void on_event(const event&) noexcept override {}

 private:
  std::function<void()> words_;
};

/// What a source that is slow to give its memory back shares with a test.
struct release_gate {
  std::atomic<bool> entered{false};
  std::atomic<bool> open{false};
  std::atomic<bool> waited_in_vain{false};
};

/// A source whose release waits for the gate to open, ten seconds at most.
class slow_release : public source {
 public:
  explicit slow_release(release_gate& gate) : gate_(gate) {}
  std::string_view name() const noexcept override { return "slow"; }
  int device() const noexcept override { return -1; }
  bool host_accessible() const noexcept override { return false; }
  bool survives_fork() const noexcept override { return true; }
  std::size_t available_bytes() noexcept override { return 1 * MiB; }
  range_result reserve(std::size_t bytes, std::size_t alignment) noexcept override {
    return inner_->reserve(bytes, alignment);
  }
  status release(memory_range range) noexcept override {
    gate_.entered = true;
    for (int i = 0; i < 10000 && !gate_.open; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    gate_.waited_in_vain = !gate_.open;
    return inner_->release(range);
  }
  std::uint64_t driver_calls() const noexcept override { return inner_->driver_calls(); }

 private:
  release_gate& gate_;
  std::unique_ptr<source> inner_ = make_simulated_source();
};

}  // namespace

TEST_CASE("an observer's destructor may use the allocator while others stay") {
  const auto pool = simulated_pool(small_options(64 * KiB));
  void* const block = pool->allocate(1000);
  status freed = status::closed;
  const auto staying = pool->add_observer(std::make_shared<last_words>([] {}));
  const auto leaving =
      pool->add_observer(std::make_shared<last_words>([&] { freed = pool->deallocate(block); }));
  pool->remove_observer(leaving);
  CHECK(freed == status::ok);
  pool->remove_observer(staying);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a request that fails inside an out-of-memory callback calls no callback") {
  const auto pool = simulated_pool(small_options(64 * KiB));
  int calls = 0;
  pool->add_out_of_memory_callback([&](const out_of_memory_report&) {
    ++calls;
    CHECK_THROWS_AS(pool->allocate(1 * MiB), out_of_memory);
    return false;
  });
  CHECK_THROWS_AS(pool->allocate(1 * MiB), out_of_memory);
  CHECK(calls == 1);
  CHECK_THROWS_AS(pool->allocate(1 * MiB), out_of_memory);
  CHECK(calls == 2);
}

TEST_CASE("an exception from an out-of-memory callback reaches the caller and nothing is lost") {
  const auto pool = simulated_pool(small_options(64 * KiB));
  const auto handle = pool->add_out_of_memory_callback(
      [](const out_of_memory_report&) -> bool { throw std::runtime_error("from the callback"); });
  CHECK_THROWS_AS(pool->allocate(1 * MiB), std::runtime_error);
  pool->remove_out_of_memory_callback(handle);
  CHECK_THROWS_AS(pool->allocate(1 * MiB), out_of_memory);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a refusal's report names its own event, whatever other threads do") {
  const auto pool = simulated_pool(small_options(1 * MiB));
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) static_cast<void>(pool->deallocate(pool->try_allocate(256).pointer));
  });
  for (int i = 0; i < 200; ++i) {
    try {
      static_cast<void>(pool->allocate(2 * MiB));
    } catch (const out_of_memory& refused) {
      const history past = pool->recent_events();
      for (const past_event& e : past.events) {
        if (e.sequence == refused.report().event) CHECK(e.kind == event_kind::out_of_memory);
      }
    }
  }
  stop = true;
  other.join();
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("closing does not hold the lock while the source gives the memory back") {
  release_gate gate;
  allocator pool(std::make_unique<slow_release>(gate), small_options(64 * KiB));
  std::thread closer([&] { pool.close(); });
  while (!gate.entered) std::this_thread::yield();
  CHECK(pool.try_allocate(100).code == status::closed);
  gate.open = true;
  closer.join();
  CHECK_FALSE(gate.waited_in_vain);
  CHECK(pool.driver_calls_after_start() == 0);
}

TEST_CASE("a tag that was never interned is refused before it costs anything") {
  const auto pool = simulated_pool(small_options(64 * KiB));
  request_options how;
  how.use_current_tag = false;
  how.tag = core::tag_id{20'000'000};
  const std::uint64_t before = pool->statistics().metadata_bytes;
  CHECK(pool->try_allocate(100, how).code == status::invalid_option);
  CHECK(pool->statistics().metadata_bytes == before);
  how.tag = intern_tag("known");
  void* const block = pool->allocate(100, how);
  CHECK(pool->deallocate(block) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("the history's time stamps exist from the first event and never run backwards") {
  options o = small_options(64 * KiB);
  o.history_events = 128;
  const auto pool = simulated_pool(o);
  for (int i = 0; i < 500; ++i) {
    static_cast<void>(pool->deallocate(pool->try_allocate(256).pointer));
    if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const history past = pool->recent_events();
    REQUIRE(past.events.front().time_ns > 0);
    for (std::size_t n = 1; n < past.events.size(); ++n) {
      REQUIRE(past.events[n].time_ns >= past.events[n - 1].time_ns);
    }
  }
  CHECK(pool->recent_events().events.size() == 128);
}

TEST_CASE("a scope that is assigned over ends, and one that was moved from cannot be read") {
  const auto pool = simulated_pool(small_options(64 * KiB));
  statistics_scope first = pool->open_scope();
  void* const block = pool->allocate(1000);
  statistics_scope second = pool->open_scope();
  first = std::move(second);
  CHECK(first.read().requested_bytes.total == 0);
  CHECK_THROWS_AS(second.read(), contract_violation);  // NOLINT: what moving leaves is the point.
  CHECK(pool->deallocate(block) == status::ok);
  test::check_all_space_is_one_block(*pool);
}
