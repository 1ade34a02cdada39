#include "trace/byte_input.hpp"

#include <bfc/base/error.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace bfc::trace {

struct byte_input::state {
  std::string name;
  int descriptor = -1;
  bool gzip = false;
  bool at_end = false;     // of the file
  bool in_member = false;  // of gzip data: its end mark has not been seen
  bool cut_off = false;
  bool zlib_ready = false;
  z_stream zlib{};
  std::size_t first = 0;  // buffer[first, last) has been read and not used
  std::size_t last = 0;
  std::uint64_t file_offset = 0;  // of buffer[last]
  std::array<unsigned char, std::size_t{1} << 16> buffer{};

  ~state() {
    if (zlib_ready) inflateEnd(&zlib);
    if (descriptor > 0) ::close(descriptor);
  }

  [[nodiscard]] std::size_t waiting() const noexcept { return last - first; }

  // Reads more behind what is waiting; notes the end of the file.
  void fill() {
    if (first > 0) {
      std::memmove(buffer.data(), buffer.data() + first, waiting());
      last -= first;
      first = 0;
    }
    ssize_t got = 0;
    do {
      got = ::read(descriptor, buffer.data() + last, buffer.size() - last);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      throw error(status::io_error, name + ": cannot be read: " + std::strerror(errno));
    }
    at_end = got == 0;
    last += static_cast<std::size_t>(got);
    file_offset += static_cast<std::uint64_t>(got);
  }

  // Whether the next bytes begin a gzip member.
  [[nodiscard]] bool gzip_ahead() {
    while (waiting() < 2 && !at_end) fill();
    return waiting() >= 2 && buffer[first] == 0x1f && buffer[first + 1] == 0x8b;
  }

  [[noreturn]] void corrupt(const std::string& what) const {
    throw error(status::invalid_input, name + ": corrupt gzip data before byte " +
                                           std::to_string(file_offset - waiting()) + ": " + what +
                                           "; get the file again");
  }

  // Between members: starts the next one, or ends the input.
  [[nodiscard]] bool next_member() {
    if (gzip_ahead()) {
      if (inflateReset(&zlib) != Z_OK) throw error(status::host_memory, name + ": zlib failed");
      in_member = true;
      return true;
    }
    if (waiting() > 0) corrupt("bytes that are no gzip data follow its end");
    return false;
  }

  [[nodiscard]] std::size_t read_gzip(char* to, std::size_t size) {
    zlib.next_out = reinterpret_cast<Bytef*>(to);
    zlib.avail_out = static_cast<uInt>(size);
    while (zlib.avail_out == size) {
      if (!in_member && !next_member()) return 0;
      if (waiting() == 0) {
        if (!at_end) fill();
        if (waiting() == 0) {
          cut_off = true;
          return 0;
        }
      }
      zlib.next_in = buffer.data() + first;
      zlib.avail_in = static_cast<uInt>(waiting());
      const int code = inflate(&zlib, Z_NO_FLUSH);
      first = last - zlib.avail_in;
      if (code == Z_STREAM_END) {
        in_member = false;
      } else if (code == Z_MEM_ERROR) {
        throw error(status::host_memory, name + ": no memory to uncompress it");
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        corrupt(zlib.msg != nullptr ? zlib.msg : "it follows no known coding");
      }
    }
    return size - zlib.avail_out;
  }

  [[nodiscard]] std::size_t read_plain(char* to, std::size_t size) {
    if (waiting() == 0 && !at_end) fill();
    const std::size_t count = waiting() < size ? waiting() : size;
    std::memcpy(to, buffer.data() + first, count);
    first += count;
    return count;
  }
};

byte_input::byte_input(const std::string& path) : state_(std::make_unique<state>()) {
  state& s = *state_;
  if (path == "-") {
    s.name = "stdin";
    s.descriptor = 0;
  } else {
    s.name = path;
    s.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (s.descriptor < 0) {
      throw error(status::io_error, path + ": cannot be opened: " + std::strerror(errno));
    }
    struct stat about {};
    if (::fstat(s.descriptor, &about) == 0 && S_ISDIR(about.st_mode)) {
      throw error(status::io_error, path + ": is a folder; name a trace file in it");
    }
  }
  s.gzip = s.gzip_ahead();
  if (s.gzip) {
    if (inflateInit2(&s.zlib, 15 + 16) != Z_OK) {
      throw error(status::host_memory, s.name + ": no memory to uncompress it");
    }
    s.zlib_ready = true;
  }
}

byte_input::~byte_input() = default;

std::size_t byte_input::read(char* to, std::size_t size) {
  return state_->gzip ? state_->read_gzip(to, size) : state_->read_plain(to, size);
}

bool byte_input::cut_off() const noexcept {
  return state_->cut_off;
}
bool byte_input::is_gzip() const noexcept {
  return state_->gzip;
}

}  // namespace bfc::trace
