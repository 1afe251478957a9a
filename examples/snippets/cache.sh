# Snippets of docs/cache.md.
. "$ROOT/examples/snippets/files.sh"
export KILN_CACHE_DIR= KILN_GPU_COMPILER=clang
cat > kernels.json <<'END'
{"kiln_manifest": 2, "kernels": [{"kernel": "float32 f(float32 x) = x + 1"}]}
END
cat > simulation <<'END'
#!/bin/sh
exec kiln eval 'float32 f(float32 x) = x + 1' x.npy -o y.npy
END
chmod +x simulation
npy x.npy f4 1 2
exec 2>/dev/null
# snippet: machines
kiln compile kernels.json --target x86-64-v3,sm_90 --dir ./shipped-kernels
KILN_CPU_TARGET=x86-64-v3 KILN_CACHE_READONLY_DIRS=./shipped-kernels ./simulation
# end
