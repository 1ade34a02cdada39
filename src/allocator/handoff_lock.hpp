// The allocator's lock. Private to allocator.
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/single_threaded.h>

namespace bfc {

/// A mutual-exclusion lock for critical sections of some ten nanoseconds.
///
/// Uncontended it costs one compare-and-swap to take and a plain store to give back (plain stores
/// only while the process has one thread); a std::mutex costs two atomic read-modify-writes and the
/// calls around them.
///
/// Contended it keeps the working set where it is: the thread that just had the lock may take it
/// again, since the books are in its cache, until a waiter has lost patience; then the waiter
/// announces itself and nobody else takes the lock before it. So two threads that do nothing but
/// allocate take turns of some 20 microseconds, instead of passing every cache line to and fro at
/// every call, and neither can starve. (A spin lock with back-off has the first property and not
/// the second, a ticket lock the second and not the first.)
///
/// A waiter that has spun for long sleeps in the kernel. The plain store in unlock cannot see a
/// sleeper that announces itself at the same moment; the sleeper therefore has the kernel order
/// every running thread's memory (membarrier) between its announcement and its last look. Where
/// the kernel refuses membarrier, unlock is a sequentially consistent exchange instead.
///
/// Not recursive. Among more than two waiters fairness is bounded, not first come first served.
class handoff_lock {
 public:
  handoff_lock() noexcept;
  handoff_lock(const handoff_lock&) = delete;
  handoff_lock& operator=(const handoff_lock&) = delete;

  void lock() noexcept {
    if (__libc_single_threaded != 0) {
      word_.store(locked, std::memory_order_relaxed);
      return;
    }
    int expected = unlocked;
    if (claimant_.load(std::memory_order_relaxed) != nobody ||
        !word_.compare_exchange_strong(expected, locked, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      lock_contended();
    }
  }

  void unlock() noexcept {
    if (sleepers_order_us_) {
      word_.store(unlocked, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      word_.exchange(unlocked, std::memory_order_seq_cst);
    }
    if (sleeping_.load(std::memory_order_relaxed) != 0) wake();
  }

  /// For a forked child, on the thread that held the lock across the fork: whoever waited for it
  /// does not exist here.
  void forget_waiters() noexcept;

 private:
  static constexpr int unlocked = 0;
  static constexpr int locked = 1;
  static constexpr std::uint32_t nobody = 0;

  [[nodiscard]] bool try_lock_as(std::uint32_t me) noexcept;
  void lock_contended() noexcept;
  void sleep() noexcept;
  void wake() noexcept;

  std::atomic<int> word_{unlocked};
  std::atomic<std::uint32_t> claimant_{nobody};  ///< The waiter whose turn it is: thread number.
  std::atomic<int> sleeping_{0};                 ///< 1: somebody sleeps, or is about to.
  bool sleepers_order_us_;
};

}  // namespace bfc
