#!/usr/bin/env bash
# Builds the Python extension against a build folder of kiln, and runs the package's tests and the examples of its docstrings.
#
#   scripts/test-python.sh [BUILD_FOLDER] [ARGUMENTS OF pytest]
#
# BUILD_FOLDER has lib/libkiln.so; build/release by default. KILN_PYTHON names the interpreter. The virtual environment is made in
# build/python-venv, with what the tests need from PyPI.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/release}
[[ $# -gt 0 ]] && shift
library=$(realpath "$folder")/lib/libkiln.so
[[ -e $library ]] || { echo "test-python.sh: $library is missing: build the target kiln first" >&2; exit 1; }

venv=$root/build/python-venv
python=$venv/bin/python
if [[ ! -x $python ]]; then
  "${KILN_PYTHON:-python3}" -m venv "$venv"
fi
"$python" -c 'import numpy, pytest, ml_dtypes' 2>/dev/null || "$python" -m pip install -q "numpy>=2" pytest ml_dtypes
# Peers are tested where they install: their arrays, and their own use of ufuncs.
if [[ -z ${KILN_PYTHON_NO_PEERS:-} ]]; then
  "$python" -c 'import dask.array, distributed, xarray, pandas, mpi4py' 2>/dev/null || "$python" -m pip install -q "dask[array,distributed]" xarray pandas mpi4py ||
    echo "test-python.sh: dask, xarray, pandas and mpi4py did not install; their tests are skipped" >&2
  "$python" -c 'import ray' 2>/dev/null || "$python" -m pip install -q ray || echo "test-python.sh: ray did not install; its tests are skipped" >&2
fi
# Type checkers read the stubs. pyright runs on node, which PyPI has, too.
"$python" -c 'import mypy' 2>/dev/null || "$python" -m pip install -q mypy || echo "test-python.sh: mypy DID NOT INSTALL; its tests are skipped" >&2
for package in pyright 'pyright[nodejs]'; do
  "$python" -m pyright --version >/dev/null 2>&1 || "$python" -m pip install -q "$package" || true
done
"$python" -m pyright --version >/dev/null 2>&1 || echo "test-python.sh: pyright DOES NOT RUN, since node cannot be had; its tests are skipped" >&2

build=$root/build/python
generator=()
[[ -e $build/CMakeCache.txt ]] || { command -v ninja >/dev/null && generator=(-G Ninja); }
cmake -S "$root/python" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPython_EXECUTABLE="$python" \
  -DKILN_LIBRARY="$library" >"$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
cmake --build "$build"
# Headers of another standard library include less of each other, as those of later compilers do.
if [[ -d /usr/lib/llvm-19/include/c++/v1 ]] && command -v clang++-19 >/dev/null; then
  read -ra includes < <("$python" -c 'import numpy, sysconfig; print("-isystem", sysconfig.get_paths()["include"], "-isystem", numpy.get_include())')
  printf '%s\0' "$root"/python/src/*.cpp |
    xargs -0 -n 1 -P "$(nproc)" clang++-19 -std=c++20 -stdlib=libc++ -fsyntax-only -w -I"$root/include" "${includes[@]}"
fi

export PYTHONPATH=$build/package
"$python" -X dev -m pytest -q "$root/python/tests" "$@"
"$python" -X dev -m pytest -q --doctest-modules --doctest-ignore-import-errors --pyargs kiln --ignore "$build/package/kiln/__main__.py"
"$python" "$root/tests/architecture/snippets_test.py" "$root" --run python "$python"
"$python" "$root/scripts/python_reference.py" --check

# The benchmarks can be read, and some of them run. asv keeps what it knows of a machine in the home folder.
"$python" -c 'import asv' 2>/dev/null || "$python" -m pip install -q asv || { echo "test-python.sh: asv DID NOT INSTALL; the benchmarks are not checked" >&2; exit 0; }
mkdir -p "$root/build/asv/home"
asv() { HOME=$root/build/asv/home ASV_PYTHONPATH=$build/package "$python" -m asv "$@" --config "$root/python/bench/asv.conf.json"; }
if ! { asv machine --yes && asv check && asv run --quick --bench 'UFuncSmall|SmallReduction'; } >"$root/build/asv/log" 2>&1 ||
  grep -q failed "$root/build/asv/log"; then
  cat "$root/build/asv/log" >&2
  echo "test-python.sh: a benchmark of python/bench/benchmarks fails" >&2
  exit 1
fi
echo "asv: the benchmarks are read, and a sample of them runs"
