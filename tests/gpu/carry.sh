#!/bin/sh
# For testing on a machine with a GPU and a toolkit but no network: gathers the third-party headers
# and archives that run_on_device.sh needs into build/carry. Run it where the packages are installed
# (Debian's libfmt-dev, catch2, libcli11-dev, nlohmann-json3-dev, zlib1g-dev), then copy the tree
# with build/carry to that machine.
set -eu
cd "$(dirname "$0")/../.."
out=build/carry
rm -rf "$out"
mkdir -p "$out/include" "$out/lib" "$out/cmake"

include=${BFC_CARRY_INCLUDE:-/usr/include}
for name in fmt catch2 CLI nlohmann zlib.h; do
  [ -e "$include/$name" ] || {
    echo "carry: $include/$name is missing; install its package, or set BFC_CARRY_INCLUDE" >&2
    exit 2
  }
  cp -rL "$include/$name" "$out/include/"
done
# Debian keeps zconf.h in the folder of the machine's type.
for zconf in "$include/$(cc -print-multiarch 2>/dev/null)/zconf.h" "$include/zconf.h"; do
  [ ! -f "$zconf" ] || break
done
cp -L "$zconf" "$out/include/"
for archive in libz.a libCatch2WithMain.a; do
  found=$(find /usr/lib /usr/local/lib -name "$archive" 2>/dev/null | head -n 1)
  [ -z "$found" ] || cp -L "$found" "$out/lib/"
done

# The packages as CMake sees them: headers, and for fmt its header-only form, so that no archive
# of another compiler has to fit.
package() {
  mkdir -p "$out/cmake/$1"
  cat >"$out/cmake/$1/$1-config.cmake"
  printf 'set(PACKAGE_VERSION "%s")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' "$2" \
    >"$out/cmake/$1/$1-config-version.cmake"
}
include_line='INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}/../../include"'
package fmt 9.1.0 <<END
if(TARGET fmt::fmt)
  return()
endif()
add_library(fmt::fmt INTERFACE IMPORTED)
set_target_properties(fmt::fmt PROPERTIES $include_line
                      INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
END
package cli11 2.1.2 <<END
if(TARGET CLI11::CLI11)
  return()
endif()
add_library(CLI11::CLI11 INTERFACE IMPORTED)
set_target_properties(CLI11::CLI11 PROPERTIES $include_line)
END
package nlohmann_json 3.11.2 <<END
if(TARGET nlohmann_json::nlohmann_json)
  return()
endif()
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
set_target_properties(nlohmann_json::nlohmann_json PROPERTIES $include_line)
END
package catch2 2.13.10 <<END
if(TARGET Catch2::Catch2)
  return()
endif()
add_library(Catch2::Catch2 INTERFACE IMPORTED)
set_target_properties(Catch2::Catch2 PROPERTIES $include_line)
set(archive "\${CMAKE_CURRENT_LIST_DIR}/../../lib/libCatch2WithMain.a")
if(EXISTS "\${archive}")
  add_library(Catch2::Catch2WithMain STATIC IMPORTED)
  set_target_properties(Catch2::Catch2WithMain PROPERTIES IMPORTED_LOCATION "\${archive}"
                        INTERFACE_LINK_LIBRARIES Catch2::Catch2)
endif()
END
echo "carry: $(du -sh "$out" | cut -f1) in $out"
