// The allocator's own lock, by itself: exclusion, and that no waiter is forgotten.
#include "allocator/handoff_lock.hpp"
#include "support/sanitizers.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using bfc::handoff_lock;

template <typename Body>
void run_threads(unsigned count, Body body) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < count; ++t) threads.emplace_back(body, t);
  for (std::thread& t : threads) t.join();
}

}  // namespace

TEST_CASE("only one thread at a time is behind the lock") {
  handoff_lock lock;
  std::uint64_t plain = 0;  // not atomic: exclusion is all that protects it
  constexpr unsigned rounds = bfc::test::scaled(50000);
  const unsigned threads = GENERATE(1U, 2U, 3U, 16U);
  run_threads(threads, [&](unsigned) {
    for (unsigned i = 0; i < rounds; ++i) {
      const std::lock_guard hold(lock);
      ++plain;
    }
  });
  CHECK(plain == std::uint64_t{threads} * rounds);
}

TEST_CASE("waiters that fell asleep behind a long holder are woken") {
  handoff_lock lock;
  std::uint64_t plain = 0;
  constexpr unsigned rounds = bfc::test::scaled(50);
  run_threads(6, [&](unsigned t) {
    for (unsigned i = 0; i < rounds; ++i) {
      {
        const std::lock_guard hold(lock);
        ++plain;
        // Now and then longer than any waiter spins.
        if ((i + t) % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      }
      if (t % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  CHECK(plain == 6 * rounds);
}

TEST_CASE("a lone waiter gets the lock from a thread that takes it all the time") {
  handoff_lock lock;
  std::atomic<bool> stop{false};
  std::atomic<bool> running{false};
  std::thread greedy([&] {
    while (!stop) {
      const std::lock_guard hold(lock);
      running = true;
    }
  });
  while (!running) std::this_thread::yield();
  for (unsigned i = 0; i < bfc::test::scaled(1000); ++i) {
    const std::lock_guard hold(lock);
  }
  stop = true;
  greedy.join();
  SUCCEED("the waiter was never starved");
}
