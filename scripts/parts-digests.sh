#!/usr/bin/env bash
# Compares the bits of random reductions in parts between targets: the CPU's and the emulated GPU's, each in a process of its own.
#
#   scripts/parts-digests.sh [SEEDS] [BUILD_FOLDER]
#
# A seed has 60 reductions of random shapes, layouts, axes, masks and cuts (2 to 16 parts), on host and device arrays. SEEDS is 34 by default.
set -euo pipefail
seeds=${1:-34}
build=${2:-build/release}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
test="parts: random layouts*"

# digests NAME VARIABLE=VALUE…
digests() {
  local name=$1; shift
  for ((seed = 1; seed <= seeds; ++seed)); do
    env "$@" KILN_TEST_SEED="$seed" KILN_TEST_DIGESTS="$folder/$name" "$build/bin/kiln-conformance-tests" --test-case="$test" >"$folder/log" 2>&1 ||
      { tail -n 30 "$folder/log" >&2; echo "parts-digests.sh: $name fails with KILN_TEST_SEED=$seed" >&2; exit 1; }
  done
  echo "$name: $seeds seeds, $((60 * seeds)) reductions"
}
emulated=(KILN_CUDA="$build/lib/libkiln-emulator.so" KILN_TEST_DEVICES=cuda KILN_REQUIRE_DEVICE=cuda)
digests x86-64-v4 KILN_TEST_DEVICES=cpu KILN_CPU_TARGET=x86-64-v4
digests x86-64-v3 KILN_TEST_DEVICES=cpu KILN_CPU_TARGET=x86-64-v3
digests x86-64-v2 KILN_TEST_DEVICES=cpu KILN_CPU_TARGET=x86-64-v2
digests sm_90-clang "${emulated[@]}" KILN_GPU_COMPILER=clang
if [[ -n ${CUDA_PATH:-} ]]; then digests sm_90-nvrtc "${emulated[@]}" KILN_GPU_COMPILER=nvrtc; fi
for each in "$folder"/*; do
  [[ $each == "$folder/log" ]] && continue
  cmp "$folder/x86-64-v4" "$each" || { echo "parts-digests.sh: the bits of ${each##*/} are others" >&2; exit 1; }
done
echo "the bits are the same"
