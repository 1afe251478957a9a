#!/usr/bin/env bash
# All that kiln can be asked on a machine with an NVIDIA or AMD GPU, a C++ compiler and CMake, and nothing to download from: in nine minutes at
# the most, with one table and one JSON file. Builds kiln without its CPU side (no LLVM, no oneTBB), runs the conformance suite with the device
# required, times kernels beside the device's copy, launches beside the driver's, first results, launch shapes that are measured, and CUB, CuPy, PyTorch and numba-cuda beside kiln;
# on NVIDIA's, compute-sanitizer and Nsight Compute look at twelve kernels.
#
# usage: gpu-verify.sh [--rehearse [--quick]] [--build DIR] [RESULT.json]
#   RESULT.json   what was found, and RESULT.md the table of it; default: gpu-verify.json in the build folder. The parts and the output of each
#                 step lie in the folder gpu-verify beside the build.
#   --build DIR   a build that is there already, instead of one in build/gpu
#   --rehearse    every step without a GPU, to see that each works: on the interpreter of PTX, with small arrays and a sample of the suite, the
#                 peers and NVIDIA's tools by the stand-ins of tests/stand_ins. Its figures mean nothing. Wants NVRTC, or a build with Clang.
#   --quick       with a sample that takes seconds
#
# A step has a time limit. One that fails, or is cut, takes nothing from what the others give: the table says which, and the exit status is 1.
# What is not installed (a peer, a tool), or not permitted (the GPU's counters), is told and is no failure. Of the suite's largest files a share of
# the cases runs, other ones each day, and a smaller one where there are fewer processors: four are enough.
#
# Third-party headers are .deps/include's (scripts/vendor-deps.sh, which is run where it is not there). KILN_REQUIRE_DEVICE=cuda|hip chooses where both are there. KILN_GPU_SECONDS is
# the time for everything (540). KILN_GPU_BUILD_ONLY=1 stops after the build, and needs no GPU; KILN_TOOLS, KILN_WERROR (ON, OFF) and
# KILN_GPU_TARGETS say what it builds.
set -euo pipefail

fail() { echo "gpu-verify.sh: $1" >&2; exit "${2:-1}"; }

rehearse=0 quick=0 given_build='' result=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    --rehearse) rehearse=1 ;;
    --quick) quick=1 ;;
    --build)
      if [ $# -lt 2 ]; then fail "--build wants the folder of a build" 2; fi
      given_build=$(realpath -m "$2"); shift ;;
    -*) fail "unknown option $1; --help lists them" 2 ;;
    *)
      if [ -n "$result" ]; then fail "one result, not $result and $1; --help says more" 2; fi
      result=$(realpath -m "$1") ;;
  esac
  shift
done
if [ "$quick" = 1 ] && [ "$rehearse" = 0 ]; then fail "--quick is for --rehearse" 2; fi

cd "$(dirname "$0")/.."
build=${given_build:-$PWD/build/gpu}
if [ -n "$given_build" ] && [ ! -d "$build/bin" ]; then fail "there is no build in $build"; fi
parts=$build/gpu-verify
result=${result:-$build/gpu-verify.json}

has_library() { ldconfig -p 2>/dev/null | grep -q "$1" || ls /usr/lib*/"$1"* /usr/lib/*-linux-gnu/"$1"* /opt/rocm*/lib/"$1"* >/dev/null 2>&1; }
find_device() {
  if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then echo cuda; return; fi
  if command -v rocminfo >/dev/null && rocminfo 2>/dev/null | grep -q 'Name: *gfx'; then echo hip; return; fi
  if [ -e /dev/nvidiactl ] && has_library libcuda.so; then echo cuda; return; fi
  if [ -e /dev/kfd ] && has_library libamdhip64.so; then echo hip; return; fi
}
# The tool's path; empty where it is not installed.
find_tool() {
  local at
  for at in "$(command -v "$1" || true)" "${CUDA_PATH:-/usr/local/cuda}/bin/$1" /opt/nvidia/nsight-compute/*/"$1"; do
    if [ -x "$at" ]; then echo "$at"; return; fi
  done
}

build_only=${KILN_GPU_BUILD_ONLY:-0}
if [ "$rehearse" = 1 ]; then device=cuda; else device=${KILN_REQUIRE_DEVICE:-$(find_device)}; fi
if [ -z "$device" ] && [ "$build_only" != 1 ]; then
  echo "no GPU here: nvidia-smi and rocminfo list none, and there is no /dev/nvidiactl with libcuda.so or /dev/kfd with libamdhip64.so." >&2
  echo "--rehearse runs every step without one; KILN_GPU_BUILD_ONLY=1 builds what would run on one." >&2
  exit 1
fi

# Steps.
rm -rf "$parts"
mkdir -p "$parts" "$(dirname "$result")"
rm -f "$result" "${result%.json}.md"
cores=$(nproc)
deadline=$((${KILN_GPU_SECONDS:-540} - 10)) build_limit=240 status=0 running=''
if ((cores < 8)); then build_limit=300; fi
trap 'if [ -n "$running" ]; then kill "$running" 2>/dev/null || true; fi' EXIT
# What a tool of NVIDIA says where it cannot work on this machine, whatever the program.
refusals='ERR_NVGPUCTRPERM|Failed to initialize the profiler|Device not supported'

# record NAME OUTCOME SECONDS LIMIT NOTE. Outcomes: passed, failed, cut; missing and refused, which are no failures.
record() {
  (IFS=$'\t'; echo "$*") >>"$parts/steps.tsv"
  printf '%-20s %-8s %6s s  %s\n' "$1" "$2" "$3" "$5"
  case $2 in failed | cut) status=1 ;; esac
}

# step NAME SECONDS COMMAND…: runs it, for so long at the most. Its output is NAME.log.
step() {
  local name=$1 limit=$2 code=0 outcome=passed note='' begun=$SECONDS tenths=${EPOCHREALTIME/[.,]/}
  shift 2
  if ((limit > deadline - SECONDS)); then limit=$((deadline - SECONDS)); fi
  if ((limit < 1)); then record "$name" cut 0 0 "no time was left"; return 1; fi
  if [ ! -x "$(command -v "$1")" ]; then record "$name" failed 0 "$limit" "$1 is not there"; return 1; fi
  timeout --kill-after=3 "$limit" "$@" >"$parts/$name.log" 2>&1 </dev/null &
  running=$!
  # Not by wait alone: what hangs in a driver outlives SIGKILL, and would hold up all the rest.
  while kill -0 "$running" 2>/dev/null && ((SECONDS < begun + limit + 5)); do sleep 0.05; done
  if kill -0 "$running" 2>/dev/null; then code=124; else wait "$running" || code=$?; fi
  running=''
  case $code in
    0) ;;
    124 | 137) outcome=cut note="after its limit of $limit s" ;;
    *)
      if note=$(grep -m 1 -oE "($refusals).{0,100}" "$parts/$name.log"); then outcome=refused; else outcome=failed note="exit status $code"; fi ;;
  esac
  tenths=$(((${EPOCHREALTIME/[.,]/} - tenths) / 100000))
  record "$name" "$outcome" "$((tenths / 10)).$((tenths % 10))" "$limit" "$note"
  case $outcome in
    failed | cut) tail -n 40 "$parts/$name.log" | sed 's/^/    /'; return 1 ;;
  esac
}

# The build.
built=1
if [ "$rehearse" = 1 ] || [ "$build_only" = 1 ]; then deadline=$((deadline + 36000)) build_limit=36000; fi
if [ -z "$given_build" ]; then
  for tool in cmake c++; do
    command -v "$tool" >/dev/null || fail "$tool is not there: a C++20 compiler and CMake 3.22 are needed"
  done
  if [ ! -d .deps/include ] && ! scripts/vendor-deps.sh; then
    fail "no third-party headers: run scripts/vendor-deps.sh where the packages are installed, and bring .deps along"
  fi
  generator=()
  if [ ! -e "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
  step configure 60 cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DKILN_CPU=OFF -DKILN_TESTS=ON -DKILN_TOOLS="${KILN_TOOLS:-ON}" -DKILN_EXAMPLES=OFF \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 -DKILN_BENCHMARKS=OFF -DKILN_WERROR="${KILN_WERROR:-OFF}" || built=0
  read -ra targets <<<"${KILN_GPU_TARGETS:-kiln kiln_tool kiln-conformance-tests kiln-math-tests kiln-gpu-timer kiln-latency kiln_gpu_peers}"
  if [ $built = 1 ]; then step build "$build_limit" cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}" || built=0; fi
  if [ "$build_only" = 1 ]; then exit $((1 - built)); fi
fi
if [ "$rehearse" = 1 ]; then deadline=$((deadline - 36000 + SECONDS)); fi

# What the steps run on, and how much of it.
export KILN_REQUIRE_DEVICE=$device KILN_DEVICE=$device KILN_TEST_DEVICES=$device KILN_CACHE_DIR=$parts/cache
ncu=$(find_tool ncu) sanitizer=$(find_tool compute-sanitizer) nvcc=$(find_tool nvcc)
watched_cases="calls: NumPy's answers,reduce: what NumPy gives*,gufuncs: NumPy's answers"
thin=$((cores < 4 ? 16 : cores < 16 ? 64 / cores : 4))
shards=4 sample=128 shift=0 watched_shift=12 profiled_shift=0 tuned_kernels=all processes=7 files='' excluded='' peer_options=()
if [ "$rehearse" = 1 ]; then
  export KILN_CUDA=$build/lib/libkiln-emulator.so
  unset KILN_EMULATOR_TARGET
  # The tools cannot look into an interpreter: their stand-ins do, also where they are installed.
  ncu=$PWD/tests/stand_ins/ncu sanitizer=$PWD/tests/stand_ins/compute-sanitizer nvcc=$PWD/tests/stand_ins/nvcc thin=1
  shards=1 sample=256 files='call_forms calls casts compiled errors gufuncs_golden kernel streams' shift=14 watched_shift=14 profiled_shift=14 tuned_kernels=discriminant processes=3
  excluded='large*,streams: a call returns before its work is done,process:*'
  peer_options=(--shift 14 --rounds 3 --stand-ins tests/stand_ins/peers.py)
  if [ "$quick" = 1 ]; then sample=1024 files='calls kernel' watched_cases="calls: NumPy's answers" processes=2 peer_options[1]=16; fi
fi

# One test for each file of the suite, several for those that compile thousands of kernels, so that all cores have work.
list_conformance() {
  local file k n m day=$(($(date +%s) / 86400))
  for file in ${files:-$(find tests/conformance -name '*_test.cpp' -printf '%f\n' | sed 's/_test.cpp//' | sort)}; do
    n=1 m=1
    case $file in calls | reduce | reduction | gufuncs_golden | accumulate) n=$shards m=$thin ;; esac
    for ((k = 0; k < n; ++k)); do
      echo "add_test(conformance.$file.$k [==[$build/bin/kiln-conformance-tests]==] [==[--source-file=*/${file}_test.cpp]==] [==[--test-case-exclude=$excluded]==])"
      echo "set_tests_properties(conformance.$file.$k PROPERTIES TIMEOUT 120 COST $n ENVIRONMENT \"KILN_TEST_ONE_IN=$((n * m * (rehearse ? sample : 1)));KILN_TEST_FIRST=$((k * m + day % m))\")"
    done
  done
  if [ "$rehearse" = 0 ]; then
    echo "add_test(math [==[$build/bin/kiln-math-tests]==])"
    echo "set_tests_properties(math PROPERTIES TIMEOUT 120 COST $((shards + 1)))"
  fi
}

# tune_step NAME KERNEL OPERAND…: every launch shape of a kernel, in a cache that other steps do not read.
tune_step() {
  local name=$1
  shift
  KILN_CACHE_DIR=$parts/tuned-cache step "tune.$name" 30 "$build/bin/kiln" tune --json "$@" || true
}
tuning_steps() {
  local elements=$((67108864 >> shift)) side=$((16384 >> shift / 2))
  tune_step saxpy 'float32 saxpy(float32 x, float32 y) = 2.5f * x + y' "float32:$elements" "float32:$elements"
  tune_step add_float16 'float16 add(float16 a, float16 b) = a + b' "float16:$elements" "float16:$elements"
  tune_step gaussian 'float32 gaussian(float32 x) = exp(-0.5f * x * x) / 2.5066283f' "float32:$elements"
  tune_step add_row 'float32 add_row(float32 a, float32 b) = a + b' "float32:$side,$side" "float32:$side"
  KILN_TUNE=1 KILN_CACHE_DIR=$parts/tuned-cache step tuned_calls 40 "$timer" --run "$tuned_kernels" "$watched_shift" || true
  KILN_CACHE_DIR=$parts/tuned-cache step tuned_cache 10 "$build/bin/kiln" cache verify --json || true
}

# What is worth most comes first.
timer=$build/bin/kiln-gpu-timer
run_steps() {
  local tool kernel metric metrics
  step devices 20 "$build/bin/kiln" devices --json || true
  mkdir "$parts/conformance"
  list_conformance >"$parts/conformance/CTestTestfile.cmake"
  step conformance 170 scripts/run-tests.sh "$parts/conformance" || true
  step timing 90 "$timer" "$parts/timing.json" "$shift" || true
  step launches 20 "$timer" --launches "$parts/launches.json" || true
  step transfers 30 "$timer" --transfers "$parts/transfers.json" "$shift" || true
  step first_result 40 "$build/bin/kiln-latency" "$processes" "$device" || true
  tuning_steps
  if [ "$device" = cuda ]; then
    if command -v python3 >/dev/null; then
      step peers 150 python3 bench/gpu_peers.py --library "$build/lib/libkiln-gpu-peers.so" --json "$parts/peers.json" "${peer_options[@]}" || true
    else
      record peers missing 0 0 "python3 is not installed"
    fi
    if [ -z "$nvcc" ]; then
      record cub missing 0 0 "nvcc is not installed"
    elif step cub_build 60 "$nvcc" -O3 -std=c++17 --extended-lambda -arch=native -o "$parts/cub-peer" bench/cub_peer.cu; then
      step cub 30 "$parts/cub-peer" "$parts/cub.json" "$shift" || true
    fi
    for tool in memcheck racecheck synccheck initcheck; do
      if [ -z "$sanitizer" ]; then record "$tool" missing 0 0 "compute-sanitizer is not installed"; continue; fi
      step "$tool" 30 "$sanitizer" --tool "$tool" --error-exitcode 9 "$timer" --run all "$watched_shift" || true
    done
    metrics=gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,sm__throughput.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active,launch__registers_per_thread
    # One that this ncu does not know would be the end of the whole command.
    if [ -n "$ncu" ] && step ncu_metrics 20 "$ncu" --query-metrics; then
      for metric in dram__bytes_read.sum dram__bytes_write.sum lts__t_bytes.sum smsp__inst_executed_op_local_st.sum smsp__inst_executed.sum \
        smsp__issue_active.avg.pct_of_peak_sustained_active smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio \
        smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio; do
        if grep -q "^${metric%%.*} " "$parts/ncu_metrics.log"; then metrics+=,$metric; fi
      done
    fi
    for kernel in $("$timer" --kernels || true); do
      if [ -z "$ncu" ]; then record "ncu.$kernel" missing 0 0 "ncu is not installed"; continue; fi
      step "ncu.$kernel" 15 "$ncu" --csv --print-units base --clock-control none --metrics "$metrics" "$timer" --run "$kernel" "$profiled_shift" || true
    done
    for tool in memcheck racecheck; do  # and a sample of the suite
      if [ -z "$sanitizer" ]; then break; fi
      KILN_CACHE_DIR=$parts/conformance/test-cache KILN_TEST_ONE_IN=$sample step "$tool.conformance" 45 "$sanitizer" --tool "$tool" --error-exitcode 9 \
        "$build/bin/kiln-conformance-tests" "--test-case=$watched_cases" || true
    done
  fi
}
if [ $built = 1 ]; then run_steps; fi

# One table, one file.
fact() { printf '%s\t%s\n' "$1" "$2" >>"$parts/facts.tsv"; }
fact device "$device"
fact rehearsed "$rehearse"
fact date "$(date -u +%F)"
fact commit "$(git rev-parse --short HEAD 2>/dev/null || true)"
fact processor "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
fact driver "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 || true)"
fact seconds "$SECONDS"
if ! command -v python3 >/dev/null; then
  echo "python3 is not there: no table was made, and the parts lie in $parts"
  exit $status
fi
python3 scripts/gpu_report.py "$parts" --json "$result" --markdown "${result%.json}.md" || status=1
exit $status
