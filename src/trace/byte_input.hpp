// The bytes of a file, uncompressed on the way when they are gzip. Layer: trace.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace bfc::trace {

// Reads a file or standard input ("-") in pieces. Whether it is gzip is told by its first two
// bytes, not by its name; concatenated gzip members read as one.
class byte_input {
 public:
  // Fails: throws bfc::error(io_error).
  explicit byte_input(const std::string& path);
  ~byte_input();
  byte_input(const byte_input&) = delete;
  byte_input& operator=(const byte_input&) = delete;

  // Returns the bytes put into `to`; 0 only at the end. Requires: size > 0.
  // Fails: throws bfc::error(io_error), or (invalid_input) for corrupt gzip data.
  [[nodiscard]] std::size_t read(char* to, std::size_t size);

  // After the end: whether compressed data stopped before its own end mark.
  [[nodiscard]] bool cut_off() const noexcept;

  [[nodiscard]] bool is_gzip() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace bfc::trace
