# Snippets of docs/manifest.md.
. "$ROOT/examples/snippets/files.sh"
export KILN_CACHE_DIR=$PWD/cache KILN_GPU_COMPILER=clang
cat > simulation <<'END'
#!/bin/sh
exec kiln eval 'float32 f(float32 x) = x + 1' x.npy -o y.npy
END
chmod +x simulation
npy x.npy f4 1 2
exec 3>&2 2>/dev/null
# snippet: record
KILN_RECORD=kernels.json ./simulation --short-run
kiln compile kernels.json --target sm_90,gfx90a,native
# end

rm -r cache kernels.json
# snippet: ship
KILN_RECORD=kernels.json ./simulation --short-run
kiln compile kernels.json --target x86-64-v3 --dir ./shipped
KILN_CLANG=none KILN_CPU_TARGET=x86-64-v3 KILN_CACHE_READONLY_DIRS=./shipped ./simulation
# end

echo '{"kiln_manifest": 2, "kernels": [{"kind": "ufunc", "name": "f", "signatures": ["float32(float32 a)", "float31(float32 a)"], "body": "return a;"}]}' > kernels.json
# snippet: refused
kiln compile kernels.json --target native 2>&1 || true
printf '{\n  "kiln_manifest": 2,\n  "kernels": [}\n' > kernels.json
kiln compile kernels.json --target native 2>&1 || true
# end
