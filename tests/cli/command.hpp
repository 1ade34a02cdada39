/// Runs the built bfc command and keeps what it says.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace bfc::test {

/// A file with a content, gone at the end of the test.
class scratch_file {
 public:
  explicit scratch_file(const std::string& content = "", const std::string& ending = ".tsv") {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/bfc-cli-XXXXXX" + ending;
    const int descriptor = ::mkstemps(path_.data(), static_cast<int>(ending.size()));
    if (descriptor < 0) throw std::runtime_error("cannot make " + path_);
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    ::close(descriptor);
    if (written != static_cast<ssize_t>(content.size())) throw std::runtime_error("short write");
  }
  ~scratch_file() { ::unlink(path_.c_str()); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// What is between the last '/' and the ending: how bfc calls the trace.
  [[nodiscard]] std::string trace_name() const {
    const std::size_t slash = path_.rfind('/') + 1;
    return path_.substr(slash, path_.find('.', slash) - slash);
  }

  [[nodiscard]] std::string read() const {
    std::string text;
    const int descriptor = ::open(path_.c_str(), O_RDONLY);
    char buffer[4096];
    for (ssize_t n; (n = ::read(descriptor, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(descriptor);
    return text;
  }

 private:
  std::string path_;
};

struct command_result {
  int code = -1;  ///< Exit code, or minus the signal that ended it.
  std::string out;
  std::string err;

  /// Whether stderr holds exactly one line, and it begins as all complaints do.
  [[nodiscard]] bool complained_in_one_line() const {
    return err.rfind("bfc: ", 0) == 0 && err.find('\n') == err.size() - 1;
  }
};

/// `out_path`: where stdout goes instead of being kept.
inline command_result run_bfc(std::vector<std::string> words, const std::string& in = "/dev/null",
                              const std::string& out_path = "") {
  const scratch_file out;
  const scratch_file err;
  const std::string& to = out_path.empty() ? out.path() : out_path;
  words.insert(words.begin(), BFC_COMMAND);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, to.c_str(), O_WRONLY | O_TRUNC, 0);
  posix_spawn_file_actions_addopen(&files, 2, err.path().c_str(), O_WRONLY | O_TRUNC, 0);
  pid_t child = -1;
  const int failure =
      ::posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) throw std::runtime_error("cannot start " + words[0]);
  int status = 0;
  ::waitpid(child, &status, 0);

  command_result result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.out = out.read();
  result.err = err.read();
  return result;
}

/// The names of an object's fields, in order.
template <typename Json>
std::vector<std::string> names_of(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

/// Peak of 4 x 256,000 bytes; needs 6 x 256,000 (see the replay layer's tests).
inline constexpr const char* needs_half_more =
    "0.000000\t1\t256000\t0x10\n"
    "0.000001\t1\t256000\t0x20\n"
    "0.000002\t1\t256000\t0x30\n"
    "0.000003\t2\t256000\t0x40\n"
    "0.000004\t1\t-1\t0x10\n"
    "0.000005\t1\t-1\t0x30\n"
    "0.000006\t1\t512000\t0x50\n";

}  // namespace bfc::test
