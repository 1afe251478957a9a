#!/usr/bin/env bash
# Builds the Python extension for a free-threaded Python, and runs the package's tests without a GIL.
#
#   scripts/test-free-threading.sh [BUILD_FOLDER] [ARGUMENTS OF pytest]
#
# BUILD_FOLDER has lib/libkiln.so; build/release by default. KILN_FREE_THREADED_PYTHON names the interpreter; else it is python3.14t or python3.13t, where they are
# installed: scripts/free-threaded-python.sh builds one. Ends with status 77 where there is none, or where NumPy has no wheel for it: nothing was tested then.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/release}
[[ $# -gt 0 ]] && shift
library=$(realpath "$folder")/lib/libkiln.so
[[ -e $library ]] || { echo "test-free-threading.sh: $library is missing: build the target kiln first" >&2; exit 1; }

interpreter=${KILN_FREE_THREADED_PYTHON:-$(command -v python3.14t || command -v python3.13t || true)}
if [[ -z $interpreter ]]; then
  echo "test-free-threading.sh: no free-threaded Python (python3.14t, python3.13t) is installed, and scripts/free-threaded-python.sh builds one: the tests without a GIL DID NOT RUN"
  exit 77
fi
venv=$root/build/python-free-threaded-venv
python=$venv/bin/python
# The folder is made again for another interpreter.
if [[ ! -x $python || $("$python" -c 'import sys; print(sys.version)') != $("$interpreter" -c 'import sys; print(sys.version)') ]]; then
  rm -rf "$venv" "$root/build/python-free-threaded"
  "$interpreter" -m venv "$venv"
fi
"$python" -c 'import sysconfig, sys; sys.exit(not sysconfig.get_config_var("Py_GIL_DISABLED"))' ||
  { echo "test-free-threading.sh: $interpreter has a GIL: give a free-threaded Python" >&2; exit 1; }
if ! "$python" -c 'import numpy, pytest' 2>/dev/null && ! "$python" -m pip install -q --only-binary :all: "numpy>=2" pytest; then
  echo "test-free-threading.sh: NumPy and pytest have no wheels for $interpreter: the tests without a GIL DID NOT RUN"
  exit 77
fi
"$python" -c 'import ml_dtypes' 2>/dev/null || "$python" -m pip install -q --only-binary :all: ml_dtypes ||
  echo "test-free-threading.sh: ml_dtypes has no wheel for $interpreter; its tests are skipped" >&2

build=$root/build/python-free-threaded
generator=()
[[ -e $build/CMakeCache.txt ]] || { command -v ninja >/dev/null && generator=(-G Ninja); }
cmake -S "$root/python" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPython_EXECUTABLE="$python" \
  -DKILN_LIBRARY="$library" >"$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
cmake --build "$build"

PYTHONPATH=$build/package PYTHON_GIL=0 "$python" -X dev -m pytest -q "$root/python/tests" "$@"
