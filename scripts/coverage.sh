#!/usr/bin/env bash
# Builds tests with clang++-19 and its coverage in build/coverage, runs them, and prints which share of the lines, functions and branches ran, by folder of
# lib/kiln, and of lib/emulator.
# usage: coverage.sh [TEST]…      names of ctest, as unit.layout unit.source; by default every test whose name begins with "unit"
#   build/coverage/coverage.json has the figures of each file. llvm-cov-19 show --instr-profile=build/coverage/tests.profdata PROGRAM FILE shows its lines.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh ci
build=build/coverage
profiles=$PWD/$build/profiles

cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g1 -fprofile-instr-generate -fcoverage-mapping" -DKILN_TESTS=ON -DKILN_TOOLS=OFF -DKILN_EXAMPLES=OFF \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 >/dev/null
pattern='^unit'
if [ $# -gt 0 ]; then pattern="^($(IFS='|'; echo "${*//./\\.}"))\$"; fi

# The tests' programs, as targets and as files.
mapfile -t programs < <(python3 scripts/coverage_table.py programs $build "$pattern")
if [ ${#programs[@]} -eq 0 ]; then echo "no test is named so: ${*:-unit…}" >&2; exit 2; fi
cmake --build $build --target "${programs[@]}"

rm -rf "$profiles" && mkdir "$profiles"
# Processes that fork, and programs that run others, each write a file of their own. kiln's clang program is stopped, and writes none.
LLVM_PROFILE_FILE="$profiles/%p-%m.profraw" ctest --test-dir $build -R "$pattern" --output-on-failure --timeout 1800 || echo "some tests failed: what they ran counts"
find "$profiles" -name '*.profraw' -size +0 >$build/profiles.txt
llvm-profdata-19 merge --sparse --failure-mode=all --input-files=$build/profiles.txt -o $build/tests.profdata

objects=()
for program in "${programs[@]:1}"; do objects+=(--object "$build/$program"); done
llvm-cov-19 export "$build/${programs[0]}" "${objects[@]}" --instr-profile=$build/tests.profdata --summary-only "$PWD/lib/kiln" "$PWD/lib/emulator" \
  >$build/coverage.json
python3 scripts/coverage_table.py table $build/coverage.json "$PWD"
