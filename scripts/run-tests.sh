#!/usr/bin/env bash
# Runs the tests of a build folder and prints one closing line; exit status 1 where any failed.
# usage: run-tests.sh [--warm] BUILD_DIR [ctest argument]…
#   KILN_TEST_TIMEOUT: seconds that a test may take, 1800.
#   The kernel cache of the run is BUILD_DIR/test-cache, emptied first; --warm keeps what the run before left there.
set -euo pipefail
warm=0
if [ "${1:-}" = --warm ]; then warm=1; shift; fi
if [ $# -lt 1 ] || [ ! -f "$1/CTestTestfile.cmake" ]; then
  echo "usage: $0 [--warm] BUILD_DIR [ctest argument]…   (BUILD_DIR: configured with -DKILN_TESTS=ON and built)" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
export KILN_CACHE_DIR="$build/test-cache"
if [ "$warm" = 0 ]; then rm -rf "$KILN_CACHE_DIR"; fi
rm -f "$build/test-results.xml"
status=0
ctest --test-dir "$build" --output-on-failure --timeout "${KILN_TEST_TIMEOUT:-1800}" --parallel "${KILN_TEST_JOBS:-$(nproc)}" \
  --test-output-size-passed 67108864 --test-output-size-failed 67108864 --output-junit "$build/test-results.xml" "$@" || status=$?
if ! command -v python3 >/dev/null; then
  echo "python3 is not there: cases were not counted, tests were"
  exit $status
fi
# ctest's status is not enough: a case that could not run is counted there as passed.
python3 "$here/test_summary.py" "$build/test-results.xml" --ctest-status "$status" --json "$build/test-summary.json"
