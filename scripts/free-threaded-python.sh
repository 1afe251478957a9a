#!/usr/bin/env bash
# Builds a free-threaded Python 3.13 of the sources that Debian 13 has, for scripts/test-free-threading.sh, and prints its path. Does nothing, quickly, where it is there.
# usage: free-threaded-python.sh FOLDER      (Debian 12, Debian 13, Ubuntu 24.04; some minutes)
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { sed -n 3p "$0" >&2; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1") mirror=http://deb.debian.org/debian
python=$folder/bin/python3.13t
if [ -x "$python" ]; then echo "$python"; exit 0; fi
scripts/install-deps.sh python >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curl -fsSo "$work/sources.xz" "$mirror/dists/trixie/main/source/Sources.xz"
read -r sum name < <(xz -dc "$work/sources.xz" | awk '/^Package:/ { ours = $2 == "python3.13" } ours && length($1) == 64 && /\.orig\.tar\.xz$/ { print $1, $3 }') ||
  { echo "free-threaded-python.sh: $mirror has no sources of python3.13 for Debian 13" >&2; exit 1; }
curl -fsSo "$work/$name" "$mirror/pool/main/p/python3.13/$name"
sha256sum --quiet -c <<<"$sum  $work/$name"
tar -x -C "$work" -f "$work/$name"
cd "$work"/Python-3.13*
log=$folder/build.log
{ ./configure --disable-gil --disable-test-modules --with-ensurepip=install --prefix="$folder" && make -j"$(nproc)" && make install; } >"$log" 2>&1 ||
  { tail -n 30 "$log" >&2; echo "free-threaded-python.sh: the build failed; $log has all that it printed" >&2; exit 1; }
"$python" -c 'import ssl, zlib, ctypes, sys; sys.exit(sys._is_gil_enabled())'
echo "$python"
