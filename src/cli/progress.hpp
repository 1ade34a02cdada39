// How far long work has come, for people who watch. Part of: cli.
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
  // `label`: what is being done; `unit`: what is counted, in the plural.
  progress(std::string label, std::string unit);
  ~progress();  // takes the line away
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void update(std::uint64_t done, std::uint64_t total);

 private:
  using clock = std::chrono::steady_clock;

  std::string label_;
  std::string unit_;
  bool watched_;
  bool shown_ = false;
  clock::time_point start_ = clock::now();
  clock::time_point next_ = start_ + std::chrono::seconds(1);
};

// "950", "12.3 k", "4.56 M": a count with three digits.
[[nodiscard]] std::string format_count(double count);

}  // namespace bfc::cli
