#include "handoff_lock.hpp"

#include "thread_context.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bfc {

namespace {

/// One look at the lock costs the holder a cache miss, so looks are some microseconds apart.
constexpr int pauses_between_looks = 64;
constexpr int patience_looks = 16;   ///< Then the waiter claims the lock.
constexpr int claimed_looks = 4096;  ///< With a claim it looks all the time; then it sleeps.

void pause_once() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

long membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0U, 0);
}

bool register_membarrier() noexcept {
  return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

}  // namespace

handoff_lock::handoff_lock() noexcept : sleepers_order_us_(register_membarrier()) {}

bool handoff_lock::try_lock_as(std::uint32_t me) noexcept {
  const std::uint32_t turn = claimant_.load(std::memory_order_relaxed);
  if (turn != nobody && turn != me) return false;
  int expected = unlocked;
  if (word_.load(std::memory_order_relaxed) != unlocked ||
      !word_.compare_exchange_strong(expected, locked, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
    return false;
  }
  if (turn == me) claimant_.store(nobody, std::memory_order_relaxed);
  return true;
}

void handoff_lock::lock_contended() noexcept {
  const std::uint32_t me = this_thread_context().number;
  for (;;) {
    for (int look = 0; look < patience_looks; ++look) {
      if (try_lock_as(me)) return;
      for (int i = 0; i < pauses_between_looks; ++i) pause_once();
    }
    // Only one waiter can have the claim; the others go on looking for a while, then sleep.
    std::uint32_t expected = nobody;
    const bool claimed = claimant_.compare_exchange_strong(expected, me, std::memory_order_relaxed);
    for (int look = 0; look < claimed_looks; ++look) {
      if (try_lock_as(me)) return;
      const int pauses = claimed ? 1 : pauses_between_looks;
      for (int i = 0; i < pauses; ++i) pause_once();
      if (!claimed && look > patience_looks) break;
    }
    // The holder is not running, or does something long. Nobody shall wait for a sleeper's turn.
    if (claimed) claimant_.store(nobody, std::memory_order_relaxed);
    sleep();
  }
}

/// Returns when the lock may be free. The flag is set first, then the lock is looked at; unlock
/// frees the lock first, then looks at the flag: one of them sees the other.
void handoff_lock::sleep() noexcept {
  sleeping_.store(1, std::memory_order_seq_cst);
  if (sleepers_order_us_) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  if (word_.load(std::memory_order_seq_cst) == unlocked) return;
  sleeping_.wait(1, std::memory_order_relaxed);
}

void handoff_lock::wake() noexcept {
  sleeping_.store(0, std::memory_order_relaxed);
  sleeping_.notify_all();
}

void handoff_lock::forget_waiters() noexcept {
  claimant_.store(nobody, std::memory_order_relaxed);
  sleeping_.store(0, std::memory_order_relaxed);
  sleepers_order_us_ = register_membarrier();
}

}  // namespace bfc
