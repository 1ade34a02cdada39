/// What the figures were taken on. Part of: bench.
#pragma once

#include <sched.h>
#include <string>

namespace bfc::bench {

struct machine_facts {
  std::string processor;
  unsigned core_count = 0;
  std::string system;  ///< Kernel and release.
  std::string libc;
  std::string compiler;
  std::string build;        ///< "release", or what makes this build unfit for figures.
  double load_average = 0;  ///< Of the last minute, at the start.
};

[[nodiscard]] machine_facts describe_machine();

/// By how much the tick clock's readings differ at least. Some processors advance it in steps of
/// 10 ns; percentiles of single calls are multiples of that.
[[nodiscard]] double clock_step_ns();

/// Keeps the calling thread on one core while it lives, then restores what it was allowed before.
class pinned {
 public:
  /// The core the thread runs on.
  pinned() noexcept;

  /// The n-th of the cores it may use, modulo their count.
  explicit pinned(unsigned n) noexcept;

  ~pinned();
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;

  /// Whether the system allowed it.
  [[nodiscard]] bool holds() const noexcept { return holds_; }

 private:
  void pin_to(int core) noexcept;

  cpu_set_t before_{};
  bool holds_ = false;
};

/// Cores this process may use.
[[nodiscard]] unsigned usable_cores() noexcept;

}  // namespace bfc::bench
