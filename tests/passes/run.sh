#!/usr/bin/env bash
# Runs the lines "; RUN: " of a .ll file, with %s for the file and %plugin for kiln's passes.
# usage: run.sh FILE.ll PLUGIN.so LLVMS_BIN_FOLDER
set -euo pipefail
export PATH="$3:$PATH"
ran=0
while IFS= read -r line; do
  line=${line//%s/$1}
  echo "$line" >&2
  bash -euo pipefail -c "${line//%plugin/-load-pass-plugin=$2}"
  ran=$((ran + 1))
done < <(sed -n 's/^; RUN: //p' "$1")
[ "$ran" -gt 0 ]
