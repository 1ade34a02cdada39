#include "host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

namespace bfc::detail {
namespace {

std::optional<std::uint64_t> leading_number(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{}) return std::nullopt;  // "max", too, is no number: no limit
  return value;
}

// The number after `key` at the start of a line.
std::optional<std::uint64_t> keyed_number(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (std::string_view(line).substr(0, key.size()) == key) {
      return leading_number(std::string_view(line).substr(key.size()));
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> file_number(const std::string& path) {
  return keyed_number(path, "");
}

/// The names one version of control groups gives the same three facts.
struct group_files {
  std::string_view mount;
  std::string_view limit;
  std::string_view usage;
  std::string_view reclaimable;
};
constexpr group_files version_1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                "memory.usage_in_bytes", "total_inactive_file "};
constexpr group_files version_2{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};

std::optional<std::uint64_t> room_in(const std::string& folder, const group_files& files) {
  const auto limit = file_number(folder + "/" + std::string(files.limit));
  const auto usage = file_number(folder + "/" + std::string(files.usage));
  if (!limit || !usage) return std::nullopt;
  // Page cache that nobody uses counts as usage, but the kernel drops it before it refuses.
  const auto cache = keyed_number(folder + "/memory.stat", files.reclaimable).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, cache);
  return *limit - std::min(*limit, used);
}

// The least room of the group and all its ancestors. A group path of another namespace leads
// nowhere under our mount; its ancestors end at the mount's own root, which is then our group.
std::uint64_t least_room(const std::string& root, std::string group, const group_files& files) {
  std::uint64_t least = UINT64_MAX;
  while (true) {
    if (group == "/") group.clear();
    const auto room = room_in(root + std::string(files.mount) + group, files);
    if (room) least = std::min(least, *room);
    if (group.empty()) return least;
    const std::size_t slash = group.find_last_of('/');
    group.resize(slash == std::string::npos ? 0 : slash);
  }
}

bool names_memory(std::string_view controllers) {
  std::string padded(1, ',');
  padded.append(controllers).push_back(',');
  return padded.find(",memory,") != std::string::npos;
}

std::uint64_t group_room(const std::string& root) {
  std::uint64_t least = UINT64_MAX;
  std::ifstream file(root + "/proc/self/cgroup");  // lines of "number:controllers:path"
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_room(root, group, version_2));
    if (names_memory(controllers)) least = std::min(least, least_room(root, group, version_1));
  }
  return least;
}

}  // namespace

std::uint64_t host_available_bytes(const std::string& root) {
  const std::string meminfo = root + "/proc/meminfo";
  auto available_kib = keyed_number(meminfo, "MemAvailable:");
  if (!available_kib) available_kib = keyed_number(meminfo, "MemFree:");
  return std::min(available_kib.value_or(0) * 1024, group_room(root));
}

}  // namespace bfc::detail
