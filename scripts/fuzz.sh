#!/usr/bin/env bash
# Builds kiln-fuzz and runs each target for a bounded time, starting from tests/fuzz/corpus; status 1 where one finds something.
# usage: fuzz.sh [SECONDS EACH] [TARGET]…     default: 20 seconds, every target
#   KILN_FUZZ_BUILD=DIR takes the kiln-fuzz of a build that was configured with -DKILN_FUZZ=ON and built; else build/fuzz is, by its preset.
#   What it learns stays in build/fuzz/corpus for the next run; an input that breaks a promise is in build/fuzz/found. Mend the
#   reader, then keep the input as tests/fuzz/corpus/TARGET/found-<what>.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
if [ $# -gt 0 ]; then shift; fi
build=${KILN_FUZZ_BUILD:-build/fuzz}
if [ -z "${KILN_FUZZ_BUILD:-}" ]; then
  cmake --preset fuzz >/dev/null
  cmake --build build/fuzz --target kiln-fuzz
fi
mkdir -p build/fuzz/found
if [ $# -eq 0 ]; then
  for seeds in tests/fuzz/corpus/*/; do set -- "$@" "$(basename "$seeds")"; done
fi
fuzz() {
  local target=$1 status=0
  mkdir -p "build/fuzz/corpus/$target"
  # The readers hold what they read once or twice: an allocation beyond that follows a length that a file claims.
  UBSAN_OPTIONS=print_stacktrace=1 "$build/bin/kiln-fuzz" "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
    -malloc_limit_mb=64 -max_len=65536 -print_final_stats=1 -artifact_prefix="build/fuzz/found/$target-" \
    "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target" >"build/fuzz/$target.log" 2>&1 || status=1
  # In one piece, as others write here too.
  printf '%s, %s s\n%s\n' "$target" "$seconds" \
    "$(grep -E 'stat::number_of_executed_units|^#[0-9]+.*DONE' "build/fuzz/$target.log" || tail -n 40 "build/fuzz/$target.log")"
  return $status
}
# As many at a time as there are processors.
failed=()
declare -A running=()
finish_one() {
  local done_pid status=0 pid
  wait -n -p done_pid "${!running[@]}" || status=$?
  pid=${done_pid:?}
  if [ "$status" -ne 0 ]; then failed+=("${running[$pid]}"); fi
  unset "running[$pid]"
}
for target in "$@"; do
  if [ ${#running[@]} -ge "$(nproc)" ]; then finish_one; fi
  fuzz "$target" &
  running[$!]=$target
done
while [ ${#running[@]} -gt 0 ]; do finish_one; done
if [ ${#failed[@]} -gt 0 ]; then
  echo "found something: ${failed[*]} (logs in build/fuzz, inputs in build/fuzz/found)"
  exit 1
fi
