#include "progress.hpp"

#include <cstdio>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace bfc::bench {

progress::progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  clear();
}

void progress::begin(std::string task, std::uint64_t total) {
  task_ = std::move(task);
  done_ = 0;
  total_ = total;
  begin_ = std::chrono::steady_clock::now();
  draw();
}

void progress::step_to(std::uint64_t done) {
  done_ = done;
  // Drawing between two measurements costs some microseconds of terminal; ten a second are enough.
  if (std::chrono::steady_clock::now() - drawn_ > std::chrono::milliseconds(100)) draw();
}

void progress::draw() {
  if (!shown_) return;
  drawn_ = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(drawn_ - begin_).count();
  std::string line = fmt::format("{}: {}/{}", task_, done_, total_);
  if (done_ != 0 && seconds > 0) {
    const double rate = static_cast<double>(done_) / seconds;
    line +=
        fmt::format(", {:.1f}/s, {:.0f} s left", rate, static_cast<double>(total_ - done_) / rate);
  }
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace bfc::bench
