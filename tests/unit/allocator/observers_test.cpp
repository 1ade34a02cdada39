#include "support/pools.hpp"
#include <bfc/allocator/tag.hpp>

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

class recorder : public observer {
 public:
  void on_event(const event& what) noexcept override {
    const std::lock_guard hold(lock_);
    events_.push_back(what);
  }

  /// In the order of their numbers.
  std::vector<event> events() const {
    const std::lock_guard hold(lock_);
    std::vector<event> sorted = events_;
    std::sort(sorted.begin(), sorted.end(),
              [](const event& a, const event& b) { return a.sequence < b.sequence; });
    return sorted;
  }

 private:
  mutable std::mutex lock_;
  std::vector<event> events_;
};

/// Calls back into the pool, which deadlocks if any lock is held.
class calling_observer : public observer {
 public:
  explicit calling_observer(allocator& pool) : pool_(pool) {}
  void on_event(const event& what) noexcept override {
    ++calls;
    if (inside_ || what.kind != event_kind::allocate) return;
    inside_ = true;
    const allocation got = pool_.try_allocate(64);
    ok = got.code == status::ok && pool_.deallocate(got.pointer) == status::ok &&
         pool_.statistics().blocks.current == 1;
    inside_ = false;
  }
  unsigned calls = 0;
  bool ok = false;

 private:
  allocator& pool_;
  bool inside_ = false;
};

}  // namespace

TEST_CASE("an observer is told every event with its number, sizes, place and tag") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const auto seen = std::make_shared<recorder>();
  pool->add_observer(seen);
  const tag_scope tag("weights");
  void* a = pool->allocate(1000);
  CHECK(pool->try_expand(a, 2000) == status::ok);
  CHECK(pool->shrink(a, 500) == status::ok);
  CHECK_FALSE(pool->try_allocate(65 * KiB));
  CHECK(pool->deallocate(a) == status::ok);
  const std::vector<event> events = seen->events();
  REQUIRE(events.size() == 5);
  const event_kind kinds[] = {event_kind::allocate, event_kind::resize, event_kind::resize,
                              event_kind::out_of_memory, event_kind::deallocate};
  const std::uint64_t requested[] = {1000, 2000, 500, 65 * KiB, 500};
  const std::uint64_t rounded[] = {1024, 2048, 512, 65 * KiB, 512};
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(events[i].sequence == i + 1);
    CHECK(events[i].kind == kinds[i]);
    CHECK(events[i].requested_bytes == requested[i]);
    CHECK(events[i].size_bytes == rounded[i]);
    CHECK(events[i].offset == 0);
    CHECK(events[i].tag == intern_tag("weights"));
    CHECK(events[i].thread > 0);
  }
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("events of several threads are numbered without a gap and can be ordered") {
  const auto pool = test::simulated_pool(test::small_options(1 * MiB));
  const auto seen = std::make_shared<recorder>();
  pool->add_observer(seen);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const allocation got = pool->try_allocate(512);
        if (got) static_cast<void>(pool->deallocate(got.pointer));
      }
    });
  }
  for (std::thread& t : threads) t.join();
  const std::vector<event> events = seen->events();
  REQUIRE(events.size() == 4 * 200 * 2);
  std::vector<std::uint64_t> live;
  for (std::size_t i = 0; i < events.size(); ++i) {
    REQUIRE(events[i].sequence == i + 1);
    // Read in order, no offset is allocated while it is live.
    const auto at = std::find(live.begin(), live.end(), events[i].offset);
    if (events[i].kind == event_kind::allocate) {
      REQUIRE(at == live.end());
      live.push_back(events[i].offset);
    } else {
      REQUIRE(at != live.end());
      live.erase(at);
    }
  }
  CHECK(live.empty());
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("an observer may call the allocator") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const auto calling = std::make_shared<calling_observer>(*pool);
  pool->add_observer(calling);
  void* p = pool->allocate(256);
  CHECK(calling->ok);
  CHECK(calling->calls == 3);
  CHECK(pool->deallocate(p) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a removed observer is told nothing more, and others go on") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const auto first = std::make_shared<recorder>();
  const auto second = std::make_shared<recorder>();
  const std::uint64_t handle = pool->add_observer(first);
  CHECK(pool->add_observer(second) != handle);
  void* p = pool->allocate(256);
  pool->remove_observer(handle);
  pool->remove_observer(handle);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(first->events().size() == 1);
  CHECK(second->events().size() == 2);
}

TEST_CASE("an observer may remove itself, and a callback too, while it is being called") {
  class leaving_observer : public observer {
   public:
    explicit leaving_observer(allocator& pool) : pool_(pool) {}
    void on_event(const event&) noexcept override {
      ++calls;
      pool_.remove_observer(handle);
      // A list of the old length, so that freed memory is written over.
      pool_.remove_observer(pool_.add_observer(std::make_shared<recorder>()));
    }
    std::uint64_t handle = 0;
    unsigned calls = 0;

   private:
    allocator& pool_;
  };
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const auto leaving = std::make_shared<leaving_observer>(*pool);
  const auto staying = std::make_shared<recorder>();
  leaving->handle = pool->add_observer(leaving);
  pool->add_observer(staying);
  void* p = pool->allocate(256);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(leaving->calls == 1);
  CHECK(staying->events().size() == 2);

  std::uint64_t handle = 0;
  unsigned callback_calls = 0;
  handle = pool->add_out_of_memory_callback([&](const auto&) {
    ++callback_calls;
    pool->remove_out_of_memory_callback(handle);
    return callback_calls == 1;
  });
  CHECK_THROWS_AS(pool->allocate(65 * KiB), std::bad_alloc);
  CHECK(callback_calls == 1);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a refused batch leaves no trace of blocks in the events") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  const auto seen = std::make_shared<recorder>();
  pool->add_observer(seen);
  std::vector<batch_request> what(2);
  what[0].bytes = 32 * KiB;
  what[1].bytes = 33 * KiB;
  std::vector<void*> pointers(2);
  CHECK(pool->try_allocate_batch(what, pointers) == status::out_of_memory);
  std::uint64_t live = 0;
  for (const event& e : seen->events()) {
    if (e.kind == event_kind::allocate) ++live;
    if (e.kind == event_kind::deallocate) --live;
  }
  CHECK(live == 0);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a history that wraps counts what it dropped and keeps the last events in order") {
  options how = test::small_options(64 * KiB);
  how.history_events = 60;  // rounded up to 64
  const auto pool = test::simulated_pool(how);
  for (int i = 0; i < 50; ++i) CHECK(pool->deallocate(pool->allocate(300)) == status::ok);
  const history past = pool->recent_events();
  REQUIRE(past.events.size() == 64);
  CHECK(past.dropped == 36);
  for (std::size_t i = 0; i < past.events.size(); ++i) {
    CHECK(past.events[i].sequence == 37 + i);
    CHECK(past.events[i].size_bytes == 512);
    CHECK(past.events[i].kind ==
          (past.events[i].sequence % 2 == 1 ? event_kind::allocate : event_kind::deallocate));
    CHECK(past.events[i].time_ns > 0);
    if (i > 0) CHECK(past.events[i].time_ns >= past.events[i - 1].time_ns);
  }
}

TEST_CASE("callbacks may free one block at a time, up to 16 times") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  std::vector<void*> cached;
  for (int i = 0; i < 16; ++i) cached.push_back(pool->allocate(4 * KiB));
  pool->add_out_of_memory_callback([&](const auto&) {
    if (cached.empty()) return false;
    CHECK(pool->deallocate(cached.back()) == status::ok);
    cached.pop_back();
    return true;
  });
  void* all = nullptr;
  CHECK_NOTHROW(all = pool->allocate(64 * KiB));
  CHECK(pool->deallocate(all) == status::ok);
  CHECK(pool->deallocate_batch(cached) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a callback that claims to free for ever does not keep a request for ever") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  unsigned calls = 0;
  pool->add_out_of_memory_callback([&](const auto&) {
    ++calls;
    return true;
  });
  CHECK_THROWS_AS(pool->allocate(65 * KiB), std::bad_alloc);
  CHECK(calls >= 16);
  CHECK(calls <= 17);
}

TEST_CASE("an out-of-memory callback that frees something has the search repeated") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  std::vector<void*> cached;
  for (int i = 0; i < 4; ++i) cached.push_back(pool->allocate(16 * KiB));
  unsigned calls = 0;
  std::uint64_t requested = 0;
  const std::uint64_t handle = pool->add_out_of_memory_callback([&](const auto& report) {
    ++calls;
    requested = report.requested_bytes;
    if (cached.empty()) return false;
    CHECK(pool->deallocate(cached.back()) == status::ok);
    cached.pop_back();
    return true;
  });
  void* p = pool->allocate(32 * KiB);  // two blocks must go, one a call
  CHECK(calls == 2);
  CHECK(requested == 32 * KiB);
  CHECK(cached.size() == 2);
  SECTION("it is asked again for the next shortage, until it has nothing to free") {
    CHECK_THROWS_AS(pool->allocate(64 * KiB), std::bad_alloc);
    CHECK(calls == 2 + 3);
    CHECK(cached.empty());
  }
  SECTION("after its removal it is not asked any more") {
    pool->remove_out_of_memory_callback(handle);
    CHECK_THROWS_AS(pool->allocate(33 * KiB), std::bad_alloc);
    CHECK(calls == 2);
  }
  SECTION("try_allocate calls nobody") {
    CHECK(pool->try_allocate(33 * KiB).code == status::out_of_memory);
    CHECK(calls == 2);
  }
  cached.push_back(p);
  CHECK(pool->deallocate_batch(cached) == status::ok);
  test::check_all_space_is_one_block(*pool);
}
