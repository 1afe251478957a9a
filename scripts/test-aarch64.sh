#!/usr/bin/env bash
# Checks kiln's CPU side on AArch64 (NEON): builds the library and two suites with Debian's cross compiler and runs them under
# QEMU. Clang stays outside: build/release/bin/kiln-clang-server compiles kernels for AArch64 as fast as for the machine itself.
# usage: test-aarch64.sh [ctest argument]…      (build/release: configured with -DKILN_TESTS=ON)
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in qemu-aarch64 aarch64-linux-gnu-g++ dpkg-deb; do
  if ! command -v $tool >/dev/null; then
    echo "$tool is not there: install qemu-user and g++-aarch64-linux-gnu (scripts/install-deps.sh ci)" >&2
    exit 1
  fi
done
if [ ! -f build/release/CMakeCache.txt ]; then
  echo "build/release is not there: it makes kiln's Clang for AArch64; run cmake --preset release -DKILN_TESTS=ON first" >&2
  exit 1
fi

# oneTBB for AArch64: packages of another architecture that stand beside the system, and are no part of it.
packages=$PWD/build/aarch64-packages
if [ ! -d "$packages/root" ]; then
  mkdir -p "$packages"/{state/lists,cache/archives}/partial
  apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= -o Acquire::Retries=3
       -o Dir::State="$packages/state" -o Dir::State::status=/dev/null -o Dir::Cache="$packages/cache")
  "${apt[@]}" update
  (cd "$packages" && "${apt[@]}" download libtbb12 libtbb-dev libtbbmalloc2 libtbbbind-2-5)
  for package in "$packages"/*.deb; do dpkg-deb -x "$package" "$packages/root.new"; done
  mv "$packages/root.new" "$packages/root"
fi

cmake --build build/release --target kiln-clang-server
cmake --preset aarch64 -DKILN_WERROR=ON
cmake --build build/aarch64 --target kiln-program-tests kiln-conformance-tests kiln-lanes-tests
unset KILN_REQUIRE_COMPILERS KILN_REQUIRE_DEVICE  # there are no GPUs' compilers for it here
scripts/run-tests.sh build/aarch64 -R '^(programs$|neon)' "$@"
