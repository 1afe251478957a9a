#!/usr/bin/env bash
# On a machine with an NVIDIA or AMD GPU, a C++ compiler and CMake, and nothing to download from: builds kiln without its CPU side
# (no LLVM, no oneTBB, no Google Benchmark), runs the whole suite with the device required, and times it.
# usage: gpu-verify.sh [RESULT.json]      default: build/gpu/gpu-verify.json. Third-party headers: .deps/include (vendor-deps.sh).
#   KILN_REQUIRE_DEVICE=cuda|hip chooses where both are there; KILN_GPU_BUILD_ONLY=1 stops after the build, and needs no GPU.
#   KILN_TOOLS, KILN_EXAMPLES and KILN_WERROR are ON or OFF; KILN_GPU_TARGETS are what is built, in place of all.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
build=$root/build/gpu
result=$(realpath -m "${1:-$build/gpu-verify.json}")
started=$SECONDS

has_library() { ldconfig -p 2>/dev/null | grep -q "$1" || ls /usr/lib*/"$1"* /usr/lib/*-linux-gnu/"$1"* /opt/rocm*/lib/"$1"* >/dev/null 2>&1; }
find_device() {
  if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then echo cuda; return; fi
  if command -v rocminfo >/dev/null && rocminfo 2>/dev/null | grep -q 'Name: *gfx'; then echo hip; return; fi
  if [ -e /dev/nvidiactl ] && has_library libcuda.so; then echo cuda; return; fi
  if [ -e /dev/kfd ] && has_library libamdhip64.so; then echo hip; return; fi
}

device=${KILN_REQUIRE_DEVICE:-$(find_device)}
build_only=${KILN_GPU_BUILD_ONLY:-0}
if [ -z "$device" ] && [ "$build_only" != 1 ]; then
  echo "no GPU here: nvidia-smi and rocminfo list none, and there is no /dev/nvidiactl with libcuda.so or /dev/kfd with libamdhip64.so." >&2
  echo "KILN_GPU_BUILD_ONLY=1 builds what would run on one." >&2
  exit 1
fi
for tool in cmake c++; do
  if ! command -v "$tool" >/dev/null; then echo "$tool is not there: gpu-verify.sh needs a C++20 compiler and CMake 3.22" >&2; exit 1; fi
done
if [ ! -d .deps/include ] && [ ! -f /usr/include/doctest/doctest.h ]; then
  echo "no third-party headers: run scripts/vendor-deps.sh where the packages are installed, and bring .deps along" >&2
  exit 1
fi

generator=()
if [ ! -e "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DKILN_CPU=OFF -DKILN_TESTS=ON -DKILN_TOOLS="${KILN_TOOLS:-ON}" -DKILN_EXAMPLES="${KILN_EXAMPLES:-ON}" \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 -DKILN_BENCHMARKS=OFF -DKILN_WERROR="${KILN_WERROR:-OFF}"
read -ra targets <<<"${KILN_GPU_TARGETS:-all}"
cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"
built=$SECONDS
if [ "$build_only" = 1 ]; then echo "built in $((built - started)) s; not run (KILN_GPU_BUILD_ONLY)"; exit 0; fi

export KILN_REQUIRE_DEVICE=$device KILN_DEVICE=${KILN_DEVICE:-$device}
status=0
"$build/bin/kiln" devices || status=1
scripts/run-tests.sh "$build" | tee "$build/test-output.txt" || status=1
# HIP's symbols over CUDA's: the HIP path runs on NVIDIA hardware too.
over_cuda=$build/lib/libhip_over_cuda.so
hip_over_cuda=null
if [ "$device" = cuda ] && [ -e "$over_cuda" ]; then
  hip_over_cuda='"passed"'
  KILN_CACHE_DIR=$build/hip-cache KILN_HIP=$over_cuda KILN_HIPRTC=$over_cuda KILN_REQUIRE_DEVICE=hip KILN_DEVICE=hip \
    "$build/bin/kiln-conformance-tests" || { hip_over_cuda='"failed"'; status=1; }
fi
tested=$SECONDS

timer=$build/bin/kiln-gpu-timer
if [ -x "$timer" ]; then
  KILN_CACHE_DIR=$build/timer-cache "$timer" "$build/gpu-timer.json" || status=1
else
  echo "there is no kiln-gpu-timer in this build: nothing was timed"
fi
timed=$SECONDS

# One file with all of it, put together without any tool that a bare machine may lack.
part() { if [ -s "$1" ]; then cat "$1"; else echo null; fi; }
mkdir -p "$(dirname "$result")"
{
  echo "{\"device\": \"$device\", \"status\": \"$([ $status = 0 ] && echo passed || echo failed)\","
  echo "\"seconds\": {\"build\": $((built - started)), \"tests\": $((tested - built)), \"timing\": $((timed - tested))},"
  echo "\"devices\": $("$build/bin/kiln" devices --json || echo null),"
  echo "\"hip_over_cuda\": $hip_over_cuda,"
  echo "\"tests\": $(part "$build/test-summary.json"),"
  echo "\"timing\": $(part "$build/gpu-timer.json")}"
} >"$result"

printf '\n%-10s %s\n' device "$device" build "$((built - started)) s" tests "$((tested - built)) s, $(tail -n 1 "$build/test-output.txt")" \
  timing "$((timed - tested)) s" result "$result"
exit $status
