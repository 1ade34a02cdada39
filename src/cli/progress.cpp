#include "cli/progress.hpp"

#include <cstdio>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace bfc::cli {

progress::progress() : watched_(::isatty(STDERR_FILENO) == 1) {}

progress::progress(std::string label, std::string unit) : progress() {
  begin(std::move(label), std::move(unit));
}

progress::~progress() {
  take_away();
}

void progress::begin(std::string label, std::string unit, std::uint64_t total) {
  take_away();
  label_ = std::move(label);
  unit_ = std::move(unit);
  done_ = 0;
  total_ = total;
  start_ = clock::now();
  next_ = start_ + std::chrono::seconds(1);
}

void progress::take_away() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void progress::update(std::uint64_t done, std::uint64_t total) {
  done_ = done;
  total_ = total;
  if (!watched_ || total == 0) return;
  const auto now = clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / seconds;
  const double left = done == 0 ? 0 : static_cast<double>(total - done) / rate;
  fmt::print(stderr, "\r\x1b[K{}: {:.0f}%, {} {}/s, {:.0f} s left", label_,
             100.0 * static_cast<double>(done) / static_cast<double>(total), format_count(rate),
             unit_, left);
  std::fflush(stderr);
  shown_ = true;
}

std::string format_count(double count) {
  const char* suffix = "";
  for (const char* larger : {" k", " M", " G"}) {
    if (count < 1000) break;
    count /= 1000;
    suffix = larger;
  }
  if (*suffix == '\0') return fmt::format("{:.0f}", count);
  return fmt::format("{:.{}f}{}", count, count < 10 ? 2 : count < 100 ? 1 : 0, suffix);
}

}  // namespace bfc::cli
