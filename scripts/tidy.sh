#!/usr/bin/env bash
# clang-tidy, by .clang-tidy, over every C++ source that git tracks or would, and the headers of ours that they include. Any finding fails.
# usage: tidy.sh [FILE]…      no FILE: all of them
#   KILN_TIDY_JOBS: how many at a time (default: one for each core). The configured build is build/tidy; nothing is compiled in it.
set -euo pipefail
files=()
for file in "$@"; do
  file=$(realpath -e -- "$file")
  files+=("$file")
done
cd "$(dirname "$0")/.."
scripts/install-deps.sh ci
if [ $# -eq 0 ]; then mapfile -d '' files < <(git ls-files -z --cached --others --exclude-standard -- '*.cpp'); fi

# Debug: with NDEBUG the analyzer would not know what is asserted.
cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Debug -DKILN_BENCHMARKS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
cmake --build build/tidy --target kiln_embedded_headers >/dev/null

begun=$SECONDS
checked=$(mktemp)
trap 'rm -f "$checked"' EXIT
# A file that no target compiles gets the flags of its nearest neighbour; flags that do not fit it are an error.
check() {
  local found verdict=clean
  found=$(clang-tidy-19 --quiet -p build/tidy "$1" 2>&1) || verdict=findings
  if [ "$verdict" = findings ]; then printf '%s\n' "$found"; fi
  echo "$verdict $1" >>"$checked"
  [ "$verdict" = clean ]
}
export checked
export -f check
status=0
printf '%s\0' "${files[@]}" | xargs -0 -r -I '{}' -P "${KILN_TIDY_JOBS:-$(nproc)}" bash -c 'check "$1"' check '{}' || status=1
clean=$(grep -c '^clean ' "$checked" || true) total=$(wc -l <"$checked")
if [ "$total" -eq 0 ] || [ "$total" -ne "${#files[@]}" ]; then
  echo "${#files[@]} files were to be checked, and $total were" >&2
  status=1
fi
echo "$total files checked in $((SECONDS - begun)) s, $((total - clean)) with findings"
exit $status
