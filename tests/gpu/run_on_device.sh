#!/bin/sh
# Builds what the device tests need and runs them: everything labelled gpu, then the main job.
# For a machine with a GPU, a CUDA toolkit and CMake. Third-party headers come from build/carry where
# carry.sh has made it, as it must where there is no network, else from the system.
#
#   tests/gpu/run_on_device.sh [build folder]
#
# Where no device node exists the tests are skipped with the reason and the script ends well; where
# one exists, a test that finds no device is a failure.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
build=${1:-build/device}
jobs=${BFC_JOBS:-$(nproc)}
start=$(date +%s)
status=0
say() { echo "== [$(($(date +%s) - start)) s] $*"; }

set -- -DCMAKE_BUILD_TYPE=Release -DBFC_CUDA=ON -DBFC_BENCH=OFF -DBFC_EXAMPLES=OFF -DBFC_INSTALL=OFF \
  -DBFC_WERROR=OFF # the compiler there may be another one, with warnings of its own
if [ -d build/carry ]; then
  carry=$root/build/carry
  set -- "$@" "-DCMAKE_PREFIX_PATH=$carry" \
    "-Dfmt_DIR=$carry/cmake/fmt" "-DCLI11_DIR=$carry/cmake/cli11" \
    "-DCatch2_DIR=$carry/cmake/catch2" "-Dnlohmann_json_DIR=$carry/cmake/nlohmann_json"
  [ ! -f "$carry/lib/libz.a" ] ||
    set -- "$@" "-DZLIB_LIBRARY=$carry/lib/libz.a" "-DZLIB_INCLUDE_DIR=$carry/include"
fi
if command -v ninja >/dev/null 2>&1; then set -- "$@" -G Ninja; fi
command -v nvcc >/dev/null 2>&1 || PATH=$PATH:/usr/local/cuda/bin

say "configuring $build"
cmake -S . -B "$build" "$@" >"$build.log" 2>&1 || {
  tail -n 30 "$build.log"
  exit 1
}
say "building with $jobs jobs"
cmake --build "$build" -j "$jobs" --target gpu bfc_cli || {
  # If only the command fails to build, the device tests still run.
  status=1
  cmake --build "$build" -j "$jobs" --target gpu
}

device=no
for node in /dev/nvidia[0-9]* /dev/dxg; do
  [ ! -e "$node" ] || device=yes
done
if [ "$device" = yes ]; then
  export BFC_REQUIRE_GPU=1
  nvidia-smi -L || true
fi

say "tests labelled gpu (device node: $device)"
(cd "$build" && ctest -L gpu --output-on-failure --no-tests=error) || status=1

say "replay on the device"
trace=examples/traces/resnet50-train.tsv.gz
if [ ! -x "$build/bin/bfc" ]; then
  echo "the bfc command was not built"
elif out=$("$build/bin/bfc" replay "$trace" --device cuda --touch --json 2>&1); then
  printf '%s\n' "$out"
else
  printf '%s\n' "$out"
  case $out in
    *"no CUDA device"*)
      if [ "$device" = yes ]; then status=1; else echo "SKIPPED: replay: $out"; fi ;;
    *) status=1 ;;
  esac
fi
say "done, exit $status"
exit $status
