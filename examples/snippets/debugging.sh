# Snippets of docs/debugging.md, where gdb is installed and may trace.
. "$ROOT/examples/snippets/files.sh"
gdb -nx -batch -ex run --args true 2>&1 | grep -q "exited normally" || { echo "gdb is not there, or may not trace" >&2; exit 77; }
export KILN_CACHE_DIR=$PWD/cache DEBUGINFOD_URLS=
npy x.npy f4 1 2 3 4
cat > squash.hpp <<'END'
__attribute__((noinline)) float32 deeper(float32 a) { return a > 3 ? a : -a; }
END
exec 2>/dev/null
# snippet: gdb
gdb -batch -ex 'set breakpoint pending on' -ex 'break squash' -ex run \
    --args kiln eval --debug --functions @squash.hpp 'float32 squash(float32 x) = x * 2 + deeper(x)' x.npy
# end
