#!/usr/bin/env bash
# Installs what is missing, builds Release in build/release, and runs all tests, or those of the layers named.
# usage: test.sh [LAYER]… [CMAKE-OPTION]…
#   LAYER: a folder of lib/kiln (layout, device/cpu), `whole` (tests of several layers) or `emulator`: only its test program and what it needs is built and run.
# NVIDIA's compilers come from PyPI where no CUDA toolkit is installed, for all tests; KILN_NO_INSTALL=1 fetches and installs nothing.
# The last lines count the tests, and the cases that did not run by what they want.
# KILN_SKIP_TESTS=REGEX leaves tests out.
# KILN_REQUIRE_COMPILERS=nvrtc,hiprtc and KILN_REQUIRE_DEVICE=cuda|hip make a missing one a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
layers=() options=()
for argument in "$@"; do
  case $argument in
    -*) options+=("$argument") ;;
    *)
      if [ ! -f "lib/kiln/$argument/CMakeLists.txt" ] && [ "$argument" != emulator ] && [ "$argument" != whole ]; then
        echo "$0: $argument is no layer; they are the folders of lib/kiln: $(cd lib/kiln && dirname ./*/CMakeLists.txt | sed 's|^\./||' | tr '\n' ' ')" >&2
        exit 2
      fi
      layers+=("${argument//\//-}")
      ;;
  esac
done
scripts/install-deps.sh test
if [ ${#layers[@]} -gt 0 ]; then
  if [ -d build/cuda ]; then CUDA_PATH=$(realpath "$(KILN_NO_INSTALL=1 scripts/cuda-packages.sh build/cuda)") && export CUDA_PATH; fi
  cmake --preset release -DKILN_TESTS=ON "${options[@]}" >/dev/null
  cmake --build build/release --target "${layers[@]/#/kiln-test-}"
  joined=$(IFS='|' && echo "${layers[*]}")
  exec scripts/run-tests.sh --warm build/release -R "^unit\.($joined)(\.|$)"
fi
cuda=$(scripts/cuda-packages.sh build/cuda)
if [ -n "$cuda" ]; then export CUDA_PATH=$(realpath "$cuda"); fi
cmake --preset release -DKILN_TESTS=ON "${options[@]}"
cmake --build build/release
scripts/run-tests.sh build/release ${KILN_SKIP_TESTS:+-E "$KILN_SKIP_TESTS"}
