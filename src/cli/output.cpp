#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <nlohmann/json.hpp>

namespace bfc::cli {

exit_code worse(exit_code a, exit_code b) noexcept {
  if (a == exit_code::done) return b;
  if (b == exit_code::done) return a;
  return a < b ? a : b;
}

void write_result(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw unwritable(
        status::io_error,
        std::string("the result cannot be written to standard output: ") + std::strerror(errno));
  }
}

void write_json(const nlohmann::ordered_json& value) {
  write_result(value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void complain(std::string_view text) noexcept {
  std::fputs("bfc: ", stderr);
  for (const char c : text) std::fputc(c == '\n' ? ' ' : c, stderr);
  std::fputc('\n', stderr);
}

}  // namespace bfc::cli
