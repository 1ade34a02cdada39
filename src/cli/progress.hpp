// How far long work has come, for people who watch. Part of: cli; bench uses it too.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bfc::cli {

// One line on stderr, rewritten in place: share, rate and time left. Silent unless stderr is a
// terminal, and for the first second, which most work does not outlast.
// Thread safety: one call at a time.
class progress {
 public:
  progress();  // of nothing yet
  progress(std::string label, std::string unit);
  ~progress();  // takes the line away
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Begins another piece of work. `label`: what is being done; `unit`: what is counted, in the
  // plural; `total`: how much of it, for step and step_to.
  void begin(std::string label, std::string unit, std::uint64_t total = 0);

  void update(std::uint64_t done, std::uint64_t total);
  void step_to(std::uint64_t done) { update(done, total_); }
  void step() { update(done_ + 1, total_); }

 private:
  void take_away();

  using clock = std::chrono::steady_clock;

  std::string label_;
  std::string unit_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  bool watched_;
  bool shown_ = false;
  clock::time_point start_;
  clock::time_point next_;
};

// "950", "12.3 k", "4.56 M": a count with three digits.
[[nodiscard]] std::string format_count(double count);

}  // namespace bfc::cli
