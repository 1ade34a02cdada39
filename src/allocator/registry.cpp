#include "registry.hpp"

#include "state.hpp"

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace bfc {

namespace {

struct registry {
  std::mutex mutex;
  std::vector<allocator::state*> pools;
};

/// Never destroyed: pools may be statics that outlive any other static.
registry& all() {
  static auto* const pools = new registry;
  return *pools;
}

void before_fork() {
  all().mutex.lock();
  for (allocator::state* pool : all().pools) pool->lock.lock();
}

void after_fork_in_parent() {
  for (allocator::state* pool : all().pools) pool->lock.unlock();
  all().mutex.unlock();
}

void after_fork_in_child() {
  for (allocator::state* pool : all().pools) {
    if (pool->mode == pool_mode::open && !pool->from->survives_fork()) {
      pool->mode = pool_mode::forked;
    }
    pool->lock.forget_waiters();
    pool->lock.unlock();
  }
  all().mutex.unlock();
}

}  // namespace

void add_pool(allocator::state& pool) {
  static const int registered =
      pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  if (registered != 0) throw error(status::host_memory, "pthread_atfork: out of host memory");
  const std::lock_guard guard(all().mutex);
  all().pools.push_back(&pool);
}

void remove_pool(allocator::state& pool) noexcept {
  const std::lock_guard guard(all().mutex);
  std::erase(all().pools, &pool);
}

bool is_in_any_pool(const void* pointer) noexcept {
  const std::lock_guard guard(all().mutex);
  return std::any_of(all().pools.begin(), all().pools.end(),
                     [&](const allocator::state* pool) { return pool->contains(pointer); });
}

}  // namespace bfc
