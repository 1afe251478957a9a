#!/usr/bin/env bash
# Compares the binary interface of the C functions with the one that was recorded, abi/kiln.abi (needs abigail-tools).
# usage: abi.sh            compare: fails where a function, a struct or a constant is gone or is another
#        abi.sh --record   write abi/kiln.abi: after an addition
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/vendor-deps.sh >/dev/null
# The layer alone, with types in its debugging information: what it needs of the others is not linked.
mkdir "$work/base"
echo '#define KILN_HAVE_CPU 1' >"$work/base/have_cpu.hpp"  # configured in a build
for file in lib/kiln/c/*.cpp; do echo "#include \"$PWD/$file\""; done >"$work/all.cpp"
sed '/^KILN_CXX_0/,$d' lib/kiln/kiln.map >"$work/c.map"
echo 'REST { local: *; };' >>"$work/c.map"
g++ -std=c++20 -g -O0 -fPIC -shared -fvisibility=hidden -DKILN_NO_ARRAY_TRUTH -DXXH_INLINE_ALL -Wno-subobject-linkage -Ilib/kiln -Iinclude -Ilib -I. -I"$work" -isystem .deps/include \
  -Wl,--unresolved-symbols=ignore-all -Wl,--version-script="$work/c.map" -Wl,-soname,libkiln.so "$work/all.cpp" -o "$work/libkiln.so"
abidw --headers-dir include/kiln/c --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path --short-locs --no-show-locs --type-id-style hash \
  --no-elf-needed --no-architecture "$work/libkiln.so" --out-file "$work/kiln.abi"
if [ "${1:-}" = --record ]; then
  mkdir -p abi
  cp "$work/kiln.abi" abi/kiln.abi
  echo "wrote abi/kiln.abi"
  exit
fi
status=0
abidiff --no-added-syms --drop-private-types --headers-dir1 include/kiln/c --headers-dir2 include/kiln/c abi/kiln.abi "$work/kiln.abi" || status=$?
# Bit 2: something changed; bit 3: so that programs break. An addition alone is fine, and is recorded.
if [ $((status & 12)) -ne 0 ]; then echo "the C interface changed: programs that were built with it would break" >&2; exit 1; fi
if [ $((status & 3)) -ne 0 ]; then exit "$status"; fi
echo "the C interface is the recorded one, or has more"
