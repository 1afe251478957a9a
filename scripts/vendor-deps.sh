#!/usr/bin/env bash
# Copies the headers of nlohmann/json, {fmt}, xxHash, zlib, doctest and CLI11 from the installed packages to .deps/include, so that kiln also
# builds on a machine with nothing to install from (scripts/gpu-verify.sh). Git ignores .deps; CMake prefers it where it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
from=${KILN_DEPS_FROM:-/usr/include}
wanted=(nlohmann/json.hpp fmt/format.h xxhash.h zlib.h doctest/doctest.h CLI/CLI.hpp)
missing=()
for header in "${wanted[@]}"; do
  if [ ! -f "$from/$header" ]; then missing+=("$header"); fi
done
if [ "${#missing[@]}" -gt 0 ]; then
  echo "not in $from: ${missing[*]}; install nlohmann-json3-dev libfmt-dev libxxhash-dev zlib1g-dev doctest-dev libcli11-dev (scripts/install-deps.sh test)" >&2
  exit 1
fi
new=.deps/include.new
rm -rf "$new"
mkdir -p "$new"
for folder in nlohmann fmt doctest CLI; do
  cp -rL "$from/$folder" "$new/"
done
cp -L "$from/xxhash.h" "$from/zlib.h" "$new/"
for zconf in "$from"/*/zconf.h "$from/zconf.h"; do  # one folder for each architecture, or none
  if [ -f "$zconf" ]; then cp -L "$zconf" "$new/"; fi
done
if [ -f "$from/xxh3.h" ]; then cp -L "$from/xxh3.h" "$new/"; fi
rm -rf .deps/include
mv "$new" .deps/include
echo "$(find .deps/include -type f | wc -l) headers, $(du -sh .deps/include | cut -f1), in .deps/include"
