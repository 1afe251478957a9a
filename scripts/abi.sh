#!/usr/bin/env bash
# Compares the binary interface of kiln/c/kiln.h with the one that was recorded, abi/kiln.abi (needs abigail-tools). That the library exports
# the functions of the header is tests/package/exports_test.py's to say.
# usage: abi.sh            compare: fails where a function, a struct or a constant is gone or is another
#        abi.sh --record   write abi/kiln.abi: after an addition
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/c_interface.py --stubs >"$work/stubs.c"
gcc -std=c11 -g -O0 -fPIC -shared -Iinclude -Wno-unused-parameter -Wl,-soname,libkiln.so "$work/stubs.c" -o "$work/libkiln.so"
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed "$work/libkiln.so" --out-file "$work/kiln.abi"
if [ "${1:-}" = --record ]; then
  mkdir -p abi
  cp "$work/kiln.abi" abi/kiln.abi
  echo "wrote abi/kiln.abi"
  exit
fi
status=0
abidiff --no-added-syms abi/kiln.abi "$work/libkiln.so" || status=$?
# 1 and 2: it could not compare; 4: something changed; 8: so that programs break. Functions that were added do not count.
if [ "$status" -ne 0 ]; then echo "the C interface is not the recorded one (abidiff: status $status)" >&2; exit 1; fi
echo "the C interface is the recorded one, or has more functions"
