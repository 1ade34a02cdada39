// Many threads on one pool. Worth most under ThreadSanitizer. Catch2's checks are not thread-safe,
// so threads count what went wrong and the test looks at the sums.
#include "support/pools.hpp"
#include "support/sanitizers.hpp"
#include "support/seed.hpp"
#include <bfc/allocator/tag.hpp>
#include <bfc/base/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

constexpr unsigned thread_count = 8;

/// What the threads of one test found.
struct findings {
  std::atomic<std::uint64_t> allocated{0};
  std::atomic<std::uint64_t> allocated_bytes{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> overwritten{0};
  std::atomic<std::uint64_t> bad_statuses{0};
};

class counting_observer : public observer {
 public:
  void on_event(const event& what) noexcept override {
    if (what.kind == event_kind::allocate) allocations.fetch_add(1);
    if (what.kind == event_kind::deallocate) deallocations.fetch_add(1);
    sequences.fetch_add(what.sequence);
    count.fetch_add(1);
  }
  std::atomic<std::uint64_t> allocations{0};
  std::atomic<std::uint64_t> deallocations{0};
  std::atomic<std::uint64_t> sequences{0};
  std::atomic<std::uint64_t> count{0};
};

struct held_block {
  unsigned char* memory = nullptr;
  std::size_t bytes = 0;
  unsigned char pattern = 0;
};

/// Writes its own pattern over every block and finds it unchanged when it gives the block back.
class worker {
 public:
  worker(allocator& pool, findings& found, std::uint64_t seed)
      : pool_(pool), found_(found), random_(seed) {}

  void run(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      if (held_.size() > 24 || (!held_.empty() && random_.one_in(2))) {
        give_back(random_.below(held_.size()));
      } else {
        take();
      }
      if (!held_.empty() && random_.one_in(8)) resize(held_[random_.below(held_.size())]);
    }
    while (!held_.empty()) give_back(held_.size() - 1);
  }

 private:
  void take() {
    const std::size_t bytes = random_.log_uniform(16 * KiB);
    request_options how;
    how.alignment = random_.one_in(4) ? std::size_t{256} << random_.below(5) : 0;
    how.place = random_.one_in(4) ? core::placement::high : core::placement::low;
    const allocation got = pool_.try_allocate(bytes, how);
    if (!got) {
      ++found_.refused;
      if (got.code != status::out_of_memory) ++found_.bad_statuses;
      return;
    }
    ++found_.allocated;
    found_.allocated_bytes += bytes;
    const held_block block{static_cast<unsigned char*>(got.pointer), bytes,
                           static_cast<unsigned char>(random_.next() | 1)};
    std::memset(block.memory, block.pattern, bytes);
    held_.push_back(block);
  }

  void give_back(std::size_t which) {
    const held_block block = held_[which];
    held_[which] = held_.back();
    held_.pop_back();
    const auto differs = [&](unsigned char byte) { return byte != block.pattern; };
    if (std::any_of(block.memory, block.memory + block.bytes, differs)) ++found_.overwritten;
    std::memset(block.memory, 0, block.bytes);
    const status s = random_.one_in(2) ? pool_.deallocate(block.memory)
                                       : pool_.deallocate(block.memory, block.bytes);
    if (s != status::ok) ++found_.bad_statuses;
  }

  void resize(held_block& block) {
    if (random_.one_in(2)) {
      const std::size_t more = block.bytes + random_.below(1024);
      const status s = pool_.try_expand(block.memory, more);
      if (s == status::ok) {
        std::memset(block.memory + block.bytes, block.pattern, more - block.bytes);
        block.bytes = more;
      } else if (s != status::cannot_expand) {
        ++found_.bad_statuses;
      }
    } else {
      const std::size_t less = 1 + random_.below(block.bytes);
      if (pool_.shrink(block.memory, less) != status::ok) ++found_.bad_statuses;
      block.bytes = less;
    }
  }

  allocator& pool_;
  findings& found_;
  test::random_source random_;
  std::vector<held_block> held_;
};

}  // namespace

TEST_CASE("threads with their own sizes never share memory, and the books agree at the end") {
  options how = test::small_options(2 * MiB);  // tight: some requests are refused
  how.coalesce = GENERATE(core::coalescing::immediate, core::coalescing::threshold,
                          core::coalescing::on_failure);
  const auto pool = test::host_pool(how);
  const auto seen = std::make_shared<counting_observer>();
  pool->add_observer(seen);
  const std::uint64_t seed = test::announce_seed("threads");
  findings found;
  const statistics_scope whole = pool->open_scope();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      const tag_scope tag("thread " + std::to_string(t));
      const statistics_scope own = pool->open_scope();
      worker(*pool, found, seed + t).run(test::scaled(3000));
      if (own.read().blocks.total == 0) ++found.bad_statuses;
    });
  }
  for (std::thread& t : threads) t.join();

  CHECK(found.overwritten == 0);
  CHECK(found.bad_statuses == 0);
  CHECK(found.allocated > 0);
  const statistics s = pool->statistics();
  CHECK(s.blocks.current == 0);
  CHECK(s.requested_bytes.current == 0);
  CHECK(s.rounded_bytes.current == 0);
  CHECK(s.blocks.total == found.allocated);
  CHECK(s.requested_bytes.total >= found.allocated_bytes);
  CHECK(s.out_of_memory_count == found.refused);
  CHECK(s.rejected_count == 0);
  std::uint64_t blocks_by_tag = 0;
  for (const tag_statistics& t : s.tags) {
    CHECK(t.blocks.current == 0);
    blocks_by_tag += t.blocks.total;
  }
  CHECK(blocks_by_tag == s.blocks.total);
  CHECK(whole.read().blocks.total == s.blocks.total);
  CHECK(whole.read().rounded_bytes.peak == s.rounded_bytes.peak);
  // Every event arrived once: their numbers are 1 to n.
  CHECK(seen->allocations == s.blocks.total);
  CHECK(seen->deallocations == s.blocks.total);
  CHECK(seen->count == s.event_count);
  CHECK(seen->sequences == s.event_count * (s.event_count + 1) / 2);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("readers of every kind may run beside threads that allocate") {
  const auto pool = test::host_pool(test::small_options(2 * MiB));
  findings found;
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    int on_the_stack = 0;
    while (!stop) {
      const statistics s = pool->statistics();
      if (s.rounded_bytes.current + s.free_bytes != s.capacity_bytes) ++found.bad_statuses;
      static_cast<void>(pool->recent_events());
      static_cast<void>(pool->largest_available(4096));
      static_cast<void>(pool->explain(&on_the_stack));
      if (!core::validate(pool->take_snapshot()).empty()) ++found.bad_statuses;
      pool->coalesce();
      if (pool->deallocate(&on_the_stack) != status::foreign_pointer) ++found.bad_statuses;
      const std::uint64_t handle = pool->add_observer(std::make_shared<counting_observer>());
      pool->remove_observer(handle);
    }
  });
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] { worker(*pool, found, t + 1).run(test::scaled(1000)); });
  }
  for (std::thread& t : threads) t.join();
  stop = true;
  reader.join();
  CHECK(found.overwritten == 0);
  CHECK(found.bad_statuses == 0);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("threads that run out of memory are helped by callbacks of other threads' memory") {
  const auto pool = test::simulated_pool(test::small_options(256 * KiB));
  std::mutex lock;
  std::vector<void*> cache;
  std::atomic<std::uint64_t> refused{0};
  pool->add_out_of_memory_callback([&](const out_of_memory_report&) {
    void* victim = nullptr;
    {
      const std::lock_guard hold(lock);
      if (cache.empty()) return false;
      victim = cache.back();
      cache.pop_back();
    }
    return pool->deallocate(victim) == status::ok;
  });
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thread_count; ++t) {
    threads.emplace_back([&] {
      for (unsigned i = 0; i < test::scaled(500); ++i) {
        try {
          void* p = pool->allocate(4 * KiB);
          const std::lock_guard hold(lock);
          cache.push_back(p);
        } catch (const std::bad_alloc&) {
          ++refused;  // others hold blocks that are not in the cache yet
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(pool->statistics().blocks.total + refused == thread_count * test::scaled(500));
  CHECK(pool->deallocate_batch(cache) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("close ends the calls of other threads with closed") {
  for (unsigned round = 0; round < test::scaled(50); ++round) {
    const auto pool = test::simulated_pool(test::small_options(1 * MiB));
    std::atomic<unsigned> running{0};
    std::atomic<std::uint64_t> bad{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        ++running;
        for (;;) {
          const allocation got = pool->try_allocate(1024);
          if (got.code == status::closed) return;
          if (!got) ++bad;
          static_cast<void>(pool->statistics());
          static_cast<void>(pool->size_of(got.pointer));
          const status s = pool->deallocate(got.pointer);
          if (s == status::closed) return;
          if (s != status::ok) ++bad;
        }
      });
    }
    while (running < 4) std::this_thread::yield();
    const std::uint64_t leaked = pool->close();
    for (std::thread& t : threads) t.join();
    CHECK(leaked <= 4);
    CHECK(bad == 0);
  }
}
