#!/bin/bash
# The CI of a downstream project: installs packages, builds, tests. Usage: run.sh [--no-install] [BUILD]
# Set CMAKE_PREFIX_PATH if sparcl is not installed in a system folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ "${1:-}" = --no-install ]; then
  shift
else
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -q
  $sudo apt-get install -qy --no-install-recommends \
    cmake gcc make libc6-dev ocl-icd-opencl-dev pocl-opencl-icd
fi
build=${1:-$(mktemp -d)}
cmake -S "$here" -B "$build"
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure
