#!/usr/bin/env bash
# Installs what is missing, builds Release in build/release, and runs all tests.
# NVIDIA's compilers come from PyPI where no CUDA toolkit is installed; KILN_NO_INSTALL=1 fetches and installs nothing.
# The last lines count the tests, and the cases that did not run by what they want.
# KILN_REQUIRE_COMPILERS=nvrtc,hiprtc and KILN_REQUIRE_DEVICE=cuda|hip make a missing one a failure. Arguments go to cmake.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh test
cuda=$(scripts/cuda-packages.sh build/cuda)
if [ -n "$cuda" ]; then export CUDA_PATH=$(realpath "$cuda"); fi
cmake --preset release -DKILN_TESTS=ON "$@"
cmake --build build/release
scripts/run-tests.sh build/release
