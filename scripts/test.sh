#!/usr/bin/env bash
# Installs what is missing, builds Release in build/release, and runs all tests.
# The last line counts them, or says which compiler was missing and how many cases did not run for it.
# KILN_REQUIRE_COMPILERS=nvrtc,hiprtc and KILN_REQUIRE_DEVICE=cuda|hip make a missing one a failure. Arguments go to cmake.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh test
cmake --preset release -DKILN_TESTS=ON "$@"
cmake --build build/release
scripts/run-tests.sh build/release
