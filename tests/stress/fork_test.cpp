// What a forked child may do with a pool, while other threads of the parent use it.
#include "support/pools.hpp"
#include "support/sanitizers.hpp"

#include <atomic>
#include <cstring>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

/// Runs `body` in a child and returns its exit code; 1000 + signal when it was killed.
int run_in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);  // a deadlock ends the child, not the test run
    _exit(body());
  }
  int state = 0;
  if (child < 0 || waitpid(child, &state, 0) != child) return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 1000 + WTERMSIG(state);
}

/// Threads that keep the pool's lock busy as long as it lives.
class busy_threads {
 public:
  explicit busy_threads(allocator& pool)
      : busy_threads([&pool] {
          const allocation got = pool.try_allocate(4096);
          if (got) static_cast<void>(pool.deallocate(got.pointer));
        }) {}

  explicit busy_threads(const std::function<void()>& step) {
    for (int t = 0; t < 3; ++t) {
      threads_.emplace_back([this, step] {
        while (!stop_) step();
      });
    }
  }
  ~busy_threads() {
    stop_ = true;
    for (std::thread& t : threads_) t.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

class quiet_observer : public observer {
 public:
  void on_event(const event&) noexcept override {}
};

/// Host memory that claims not to survive a fork, as device memory does not.
class unforkable_source : public source {
 public:
  std::string_view name() const noexcept override { return inner_->name(); }
  int device() const noexcept override { return inner_->device(); }
  bool host_accessible() const noexcept override { return inner_->host_accessible(); }
  bool survives_fork() const noexcept override { return false; }
  std::size_t available_bytes() noexcept override { return inner_->available_bytes(); }
  range_result reserve(std::size_t bytes, std::size_t alignment) noexcept override {
    return inner_->reserve(bytes, alignment);
  }
  status release(memory_range range) noexcept override { return inner_->release(range); }
  std::uint64_t driver_calls() const noexcept override { return inner_->driver_calls(); }

 private:
  std::unique_ptr<source> inner_ = make_host_source();
};

}  // namespace

TEST_CASE("a child of a busy parent goes on with its own copy of a host pool") {
  const auto pool = test::host_pool(test::small_options(1 * MiB));
  void* inherited = pool->allocate(1000);
  std::memset(inherited, 7, 1000);
  {
    const busy_threads busy(*pool);
    for (unsigned i = 0; i < test::scaled(50); ++i) {
      const int code = run_in_child([&] {
        const allocation got = pool->try_allocate(5000);
        if (!got) return 1;
        std::memset(got.pointer, 9, 5000);
        if (pool->deallocate(got.pointer) != status::ok) return 2;
        if (static_cast<const char*>(inherited)[999] != 7) return 3;
        if (pool->deallocate(inherited, 1000) != status::ok) return 4;
        if (!core::validate(pool->take_snapshot()).empty()) return 5;
        return 0;
      });
      REQUIRE(code == 0);
    }
  }
  CHECK(pool->size_of(inherited) == 1000);  // the parent's books are its own
  CHECK(pool->deallocate(inherited) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a child can use a pool whose observers were being told at the fork") {
  const auto pool = test::host_pool(test::small_options(1 * MiB));
  pool->add_observer(std::make_shared<quiet_observer>());
  {
    const busy_threads busy(*pool);
    for (unsigned i = 0; i < test::scaled(200); ++i) {
      const int code = run_in_child([&] {
        const allocation got = pool->try_allocate(5000);
        return got && pool->deallocate(got.pointer) == status::ok ? 0 : 1;
      });
      REQUIRE(code == 0);
    }
  }
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a fork beside threads that ask about foreign pointers comes to an end") {
  const auto pool = test::host_pool(test::small_options(1 * MiB));
  int on_the_stack = 0;
  {
    const busy_threads busy([&] {
      static_cast<void>(pool->explain(&on_the_stack));
      static_cast<void>(pool->deallocate(&on_the_stack));
    });
    for (unsigned i = 0; i < test::scaled(200); ++i) {
      REQUIRE(run_in_child([&] { return pool->explain(&on_the_stack).text.empty() ? 1 : 0; }) == 0);
    }
  }
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a fork beside threads that ask who freed a tagged block comes to an end") {
  const auto pool = test::host_pool(test::small_options(1 * MiB));
  void* freed = nullptr;
  {
    const tag_scope scope("asked about");
    freed = pool->allocate(1000);
  }
  REQUIRE(pool->deallocate(freed) == status::ok);
  {
    const busy_threads busy([&] { static_cast<void>(pool->explain(freed)); });
    for (unsigned i = 0; i < test::scaled(200); ++i) {
      REQUIRE(run_in_child([&] { return pool->explain(freed).text.empty() ? 1 : 0; }) == 0);
    }
  }
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a child that was forked while a pool was being closed finds it closed or open") {
  for (unsigned i = 0; i < test::scaled(50); ++i) {
    const auto pool = test::host_pool(test::small_options(1 * MiB));
    // The thread outlives the child: ThreadSanitizer reports, in the child, one that has finished.
    std::atomic<bool> child_ended{false};
    std::thread closer([&] {
      pool->close();
      while (!child_ended) std::this_thread::yield();
    });
    const int code = run_in_child([&] {
      const status got = pool->try_allocate(1000).code;
      return got == status::ok || got == status::closed ? 0 : 1;
    });
    child_ended = true;
    closer.join();
    REQUIRE(code == 0);
  }
}

TEST_CASE("a pool whose memory does not survive a fork answers forked in the child") {
  const auto pool = std::make_unique<allocator>(std::make_unique<unforkable_source>(),
                                                test::small_options(1 * MiB));
  void* inherited = pool->allocate(1000);
  {
    const busy_threads busy(*pool);
    for (unsigned i = 0; i < test::scaled(25); ++i) {
      const int code = run_in_child([&] {
        if (pool->try_allocate(1).code != status::forked) return 1;
        if (pool->deallocate(inherited) != status::forked) return 2;
        if (pool->deallocate(inherited, 1000) != status::forked) return 3;
        if (pool->try_expand(inherited, 2000) != status::forked) return 4;
        if (pool->shrink(inherited, 1) != status::forked) return 5;
        return 0;
      });
      REQUIRE(code == 0);
    }
  }
  CHECK(pool->deallocate(inherited) == status::ok);
  test::check_all_space_is_one_block(*pool);
}
