// The commands, each with the flags it takes. Part of: cli.
#pragma once

#include "cli/output.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bfc::cli {

// Flags as typed where a command checks them itself.
struct replay_flags {
  std::vector<std::string> paths;
  std::string device = "auto";
  std::string capacity = "auto";
  std::string coalesce = "threshold";
  std::string align = "256";
  bool touch = false;
  std::uint32_t repeat = 5;
  bool json = false;
  bool tolerant = false;
};

struct fit_flags {
  std::vector<std::string> paths;
  std::string policy = "all";
  std::string align = "256";
  bool json = false;
  bool tolerant = false;
};

struct info_flags {
  std::vector<std::string> paths;
  bool json = false;
  bool tolerant = false;
};

// Each throws bfc::error for a wrong flag, size or file before it writes any result.
[[nodiscard]] exit_code run_replay(const replay_flags& flags);
[[nodiscard]] exit_code run_fit(const fit_flags& flags);
[[nodiscard]] exit_code run_info(const info_flags& flags);

}  // namespace bfc::cli
