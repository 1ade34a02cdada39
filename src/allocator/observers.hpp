// Who is told of events, and the telling, outside the lock. Private to allocator.
#pragma once

#include <bfc/allocator/event.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace bfc {

/// A list of callees that is copied on change, so that calls run on a list nobody changes and
/// under no lock. Thread safety: any thread.
template <typename Callee>
class callee_list {
 public:
  using entries = std::vector<std::pair<std::uint64_t, Callee>>;

  std::uint64_t add(Callee what) {
    std::shared_ptr<const entries> old;  // Ends after the guard: it may destroy callees.
    const std::lock_guard guard(mutex_);
    auto larger = std::make_shared<entries>(*current_);
    larger->emplace_back(++last_handle_, std::move(what));
    old = std::exchange(current_, std::move(larger));
    used_.store(true, std::memory_order_release);
    return last_handle_;
  }

  void remove(std::uint64_t handle) {
    std::shared_ptr<const entries> old;  // As above.
    const std::lock_guard guard(mutex_);
    auto smaller = std::make_shared<entries>(*current_);
    std::erase_if(*smaller, [&](const auto& entry) { return entry.first == handle; });
    used_.store(!smaller->empty(), std::memory_order_release);
    old = std::exchange(current_, std::move(smaller));
  }

  [[nodiscard]] bool empty() const noexcept { return !used_.load(std::memory_order_relaxed); }

  /// For fork: nobody changes or copies the list in between.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  [[nodiscard]] std::shared_ptr<const entries> current() const noexcept {
    const std::lock_guard guard(mutex_);
    return current_;
  }

 private:
  std::atomic<bool> used_{false};
  mutable std::mutex mutex_;
  std::uint64_t last_handle_ = 0;
  std::shared_ptr<const entries> current_ = std::make_shared<entries>();
};

}  // namespace bfc
