#!/usr/bin/env bash
# Runs all CPU benchmarks in turn and prints the tables of bench/README.md. About a quarter of an hour; the machine should have nothing else to do.
# usage: bench/run.sh [BUILD_DIR]      (default build/release, configured with -DKILN_BENCHMARKS=ON)
#   PYTHON names an interpreter with the packages of bench/requirements.txt; without them the peers are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin
[ -x "$bin/kiln-bench" ] || { echo "$bin/kiln-bench is not there: cmake --preset release -DKILN_BENCHMARKS=ON && cmake --build build/release" >&2; exit 1; }
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export KILN_CACHE_DIR=$results/cache KILN_DEVICE=cpu
echo "## $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) threads, $(date -I)"
echo
echo "### Against plain loops"
echo
"$bin/kiln-bench" --benchmark_enable_random_interleaving=true --benchmark_repetitions=5 --benchmark_min_time=0.1 \
  --benchmark_format=json 2>/dev/null >"$results/bench.json"
"${PYTHON:-python3}" bench/ratios.py <"$results/bench.json"
echo
echo "### First results (ms, fresh processes)"
echo
"$bin/kiln-latency"
"$bin/kiln-compile-latency"
echo
echo "### The cache (µs)"
echo
"$bin/kiln-cache-bench"
echo
echo "### Against NumPy, Numba, numexpr"
echo
if "${PYTHON:-python3}" -c 'import numpy, numba, numexpr' 2>/dev/null; then
  "${PYTHON:-python3}" bench/peers.py --server "$bin/kiln-peer-server"
  echo
  echo "### Bodies with control flow"
  echo
  "${PYTHON:-python3}" bench/peers.py --loops --server "$bin/kiln-peer-server" --rounds 3
  echo
  echo "### kiln::math against NumPy"
  echo
  "${PYTHON:-python3}" bench/math.py --server "$bin/kiln-peer-server"
else
  echo "not run: python3 -m pip install -r bench/requirements.txt"
fi
