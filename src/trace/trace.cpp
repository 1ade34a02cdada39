#include "trace/byte_input.hpp"
#include "trace/tsv_parser.hpp"
#include <bfc/base/error.hpp>
#include <bfc/trace/trace.hpp>

#include <cstring>

namespace bfc::trace {
namespace {

std::string trace_name(std::string_view path) {
  if (path == "-") return "stdin";
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  for (const std::string_view ending : {".gz", ".tsv"}) {
    if (path.size() > ending.size() && path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  return std::string(path);
}

// Whether the rest of the input reads without complaint, as far as is worth looking.
bool rest_is_sound(byte_input& input, char* buffer, std::size_t size) {
  constexpr std::size_t far_enough = std::size_t{256} << 20;
  try {
    for (std::size_t seen = 0; seen < far_enough;) {
      const std::size_t got = input.read(buffer, size);
      if (got == 0) break;
      seen += got;
    }
    return true;
  } catch (const error&) {
    return false;
  }
}

}  // namespace

trace read_tsv(const std::string& path) {
  byte_input input(path);
  tsv_parser parser(path == "-" ? "stdin" : path, trace_name(path));
  std::vector<char> buffer(std::size_t{1} << 18);
  std::size_t held = 0;  // bytes of an unfinished line at the buffer's start
  while (const std::size_t got = input.read(buffer.data() + held, buffer.size() - held)) {
    held += got;
    std::size_t used = 0;
    try {
      used = parser.feed({buffer.data(), held});
    } catch (const error& bad_line) {
      // Damaged compressed data yields nonsense before its checksum can tell: blame the damage.
      if (!input.is_gzip() || rest_is_sound(input, buffer.data(), buffer.size())) throw;
      throw error(status::invalid_input, path + ": corrupt gzip data (first seen as: " +
                                             bad_line.what() + "); get the file again");
    }
    held -= used;
    std::memmove(buffer.data(), buffer.data() + used, held);
  }
  return parser.finish({buffer.data(), held}, input.cut_off());
}

trace parse_tsv(std::string_view text, const std::string& name) {
  tsv_parser parser(name, trace_name(name));
  const std::size_t used = parser.feed(text);
  return parser.finish(text.substr(used), false);
}

}  // namespace bfc::trace
