#include "registry.hpp"

#include "state.hpp"
#include "tag_names.hpp"

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

/// Everything a child's first call could wait for is held across the fork, in the one order in
/// which such locks are ever nested: registry, tags, callee lists, pool.
void before_fork() {
  all().mutex.lock();
  lock_tag_names();
  for (allocator::state* pool : all().pools) {
    pool->observers.lock();
    pool->out_of_memory_callbacks.lock();
  }
  for (allocator::state* pool : all().pools) pool->lock.lock();
}

void release_all() {
  for (allocator::state* pool : all().pools) {
    pool->lock.unlock();
    pool->out_of_memory_callbacks.unlock();
    pool->observers.unlock();
  }
  unlock_tag_names();
  all().mutex.unlock();
}

void after_fork_in_child() {
  for (allocator::state* pool : all().pools) {
    if (pool->mode == pool_mode::open && !pool->from->survives_fork()) {
      pool->mode = pool_mode::forked;
    }
    pool->lock.forget_waiters();
  }
  release_all();
}

}  // namespace

void add_pool(allocator::state& pool) {
  static const int registered = pthread_atfork(before_fork, release_all, after_fork_in_child);
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
  return std::any_of(all().pools.begin(), all().pools.end(), [&](allocator::state* pool) {
    if (!pool->contains(pointer)) return false;
    const std::lock_guard pool_guard(pool->lock);
    return pool->mode == pool_mode::open;
  });
}

}  // namespace bfc
