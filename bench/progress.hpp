/// One line on a terminal that says what is being done. Silent elsewhere. Part of: bench.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bfc::bench {

class progress {
 public:
  /// Draws on standard error if `wanted` and that is a terminal.
  explicit progress(bool wanted);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// Begins a task of `total` steps.
  void begin(std::string task, std::uint64_t total);
  void step() { step_to(done_ + 1); }
  void step_to(std::uint64_t done);
  void clear();

 private:
  void draw();

  bool shown_ = false;
  std::string task_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace bfc::bench
