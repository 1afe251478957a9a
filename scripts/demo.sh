#!/usr/bin/env bash
# Installs what is missing, builds Release in build/release, and shows kiln's main job on real input: `kiln eval` on .npy files, with the
# device, where each kernel came from, time and throughput, and every example. A picture and results are left in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh build
# A first build leaves the tests out; one that has them keeps them.
configure=()
if [ ! -e build/release/CMakeCache.txt ]; then configure=(-DKILN_TESTS=OFF); fi
cmake --preset release "${configure[@]}" "$@"
cmake --build build/release

kiln=$PWD/build/release/bin/kiln
out=$PWD/build/demo
rm -rf "$out"
mkdir -p "$out"
# A cache of the demo's own, so that the first call shows a compile and the second the disk.
export KILN_CACHE_DIR=$out/cache

say() { printf '\n== %s\n' "$*"; }

# Runs an evaluation, shows its timings, and keeps them for the table at the end.
timed() {
  local into=$1; shift
  "$kiln" eval "$@" --time 2>"$out/$into.time" || { cat "$out/$into.time" >&2; return 1; }
  cat "$out/$into.time"
}
# "175.2 ms (best of 37)" of the line of that name.
time_of() { sed -n "s/^$2 *//p" "$out/$1.time"; }

say "the devices here"
"$kiln" devices

say "input: three float32 arrays of 4,000,000 elements"
python3 scripts/demo_data.py make "$out" 4000000

disc='float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)'
say "kiln eval '$disc' a.npy b.npy c.npy -o d.npy --time     (first time: compiled)"
timed first "$disc" "$out/a.npy" "$out/b.npy" "$out/c.npy" -o "$out/d.npy"
python3 scripts/demo_data.py check "$out"

say "the same again in a new process     (from the disk cache)"
timed again "$disc" "$out/a.npy" "$out/b.npy" "$out/c.npy" -o "$out/d.npy"
python3 scripts/demo_data.py check "$out"

say "several outputs, a type variable, and an error in the user's own coordinates"
"$kiln" eval '(int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }' 17 5
"$kiln" eval 'T clip(T x, T lo, T hi) where T: float32, float64 = x < lo ? lo : x > hi ? hi : x' 2.5 0.0 1.0
if "$kiln" eval 'float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*d)' 1 2 3; then
  echo "a kernel with an unknown name was accepted" >&2
  exit 1
fi

for example in build/release/bin/examples/*; do
  name=$(basename "$example")
  say "example: $name"
  (cd "$out" && "$OLDPWD/$example") || { echo "the example $name failed" >&2; exit 1; }
done

say "timings of sqrt(b*b - 4*a*c) over 4,000,000 float32"
printf '%-42s %s\n' "first call, compiled" "$(time_of first 'first call')" "first call of a new process, from the disk" "$(time_of again 'first call')" \
  "a call" "$(time_of again call)"

say "a picture of the Mandelbrot set"
echo "$out/mandelbrot.bmp"
