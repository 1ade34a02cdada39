/// The version, in its one place; CMake reads it from here. Layer: base.
#pragma once

#define BFC_VERSION_MAJOR 0
#define BFC_VERSION_MINOR 1
#define BFC_VERSION_PATCH 0

namespace bfc {

struct version_number {
  int major;
  int minor;
  int patch;
};

inline constexpr version_number version{BFC_VERSION_MAJOR, BFC_VERSION_MINOR, BFC_VERSION_PATCH};

}  // namespace bfc
