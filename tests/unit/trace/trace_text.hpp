/// Traces written as text and as files, for tests that read them again.
#pragma once

#include <bfc/trace/trace.hpp>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <zlib.h>

namespace bfc::test {

/// The 4-column form; block n gets an address of its own.
inline std::string print_tsv(const trace::trace& what) {
  std::string text;
  for (const trace::event& e : what.events) {
    char line[128];
    const int length = std::snprintf(
        line, sizeof line, "%" PRIu64 ".%06" PRIu64 "\t%" PRIu32 "\t%" PRId64 "\t0x%" PRIx64 "\n",
        e.time_us / 1'000'000, e.time_us % 1'000'000, e.thread, e.size_bytes,
        0x7f0000000000u + std::uint64_t{64} * e.block);
    text.append(line, static_cast<std::size_t>(length));
  }
  return text;
}

/// One gzip member.
inline std::string gzip(std::string_view text) {
  z_stream zlib{};
  if (deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::string out(deflateBound(&zlib, static_cast<uLong>(text.size())), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&zlib, Z_FINISH);
  out.resize(out.size() - zlib.avail_out);
  deflateEnd(&zlib);
  if (code != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

/// A file that goes when the test does.
class temporary_file {
 public:
  explicit temporary_file(std::string_view content, const std::string& ending = ".tsv") {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/bfc-test-XXXXXX" + ending;
    const int descriptor = ::mkstemps(path_.data(), static_cast<int>(ending.size()));
    if (descriptor < 0) throw std::runtime_error("cannot make " + path_);
    std::size_t written = 0;
    while (written < content.size()) {
      const ssize_t n = ::write(descriptor, content.data() + written, content.size() - written);
      if (n <= 0) throw std::runtime_error("cannot write " + path_);
      written += static_cast<std::size_t>(n);
    }
    ::close(descriptor);
  }
  ~temporary_file() { ::unlink(path_.c_str()); }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace bfc::test
