# Snippets of docs/cli.md.
. "$ROOT/examples/snippets/files.sh"
export KILN_CACHE_DIR=$PWD/cache KILN_CPU_TARGET=x86-64-v3 KILN_GPU_COMPILER=clang
npy a.npy f4 1 2
npy b.npy f4 3 5
npy c.npy f4 2 3
npy x.npy f4 0 0.5 1 1.5
npy keys.npy i4 7 12 30
npy huge.npy f4 1 4 9 16

# snippet: usage_eval
kiln eval --help | sed -n '/^Usage:/,/^$/ s/^\(Usage:\)\? *\(kiln.*\)/\2/p'
# end
# snippet: usage_functions
kiln functions --help | sed -n '/^Usage:/,/^$/ s/^\(Usage:\)\? *\(kiln.*\)/\2/p'
# end
# snippet: usage_compile
kiln compile --help | sed -n '/^Usage:/,/^$/ s/^\(Usage:\)\? *\(kiln.*\)/\2/p'
# end
# snippet: usage_tune
kiln tune --help | sed -n '/^Usage:/,/^$/ s/^\(Usage:\)\? *\(kiln.*\)/\2/p'
# end
# snippet: usage_inspect
kiln inspect --help | sed -n '/^Usage:/,/^$/ s/^\(Usage:\)\? *\(kiln.*\)/\2/p'
# end

# snippet: eval
kiln eval 'float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)' a.npy b.npy c.npy -o d.npy
kiln eval 'T scale(T x, T k) = x * k' x.npy 2.5
kiln eval 'int32 slot(int32 key, constant int32 buckets) = key % buckets' keys.npy 10 -o slots.npy   # a kernel for 10 buckets
kiln eval 'float32 f(float32 x) = sqrt(x)' huge.npy -o roots.npy --chunk 64M --progress
kiln eval '(int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }' keys.npy 7 -o q.npy -o r.npy
kiln eval 'float64 f(float64 x) = x * x' - -o - < x.npy | kiln eval 'float64 g(float64 x) = x + 1' -
# end

# snippet: layout
kiln eval --layout '(n)->(n)' 'void cumsum(T[:] x, T[:] y) { T s = 0; for (index i = 0; i < n; ++i) y(i) = s += x(i); }' x.npy --axis 0
# end

# snippet: ranks
mpirun -n 4 kiln eval 'float32 f(float32 x) = sqrt(x)' huge.npy -o roots.npy --progress
# end

rm -r cache
exec 3>&2 2>&1
# snippet: time
kiln eval 'float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)' a.npy b.npy c.npy -o d.npy --time
# end

cat > kernels.json <<'END'
{"kiln_manifest": 2, "kernels": [{"kernel": "float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)"}]}
END
# snippet: compile
kiln compile kernels.json --target native,gfx90a
# end
exec 2>&3

rm -r cache
npy p.npy f8 1 2
kiln eval 'float64 wave(float64 x, float64 y) = exp(-x) * sin(y) + atan2(x, y)' p.npy p.npy -o /dev/null
kiln eval 'float32 saxpy(float32 a, float32 b) = a + b' 2 x.npy -o /dev/null
cat > app <<'END'
#!/bin/sh
exec kiln eval 'float32 saxpy(float32 a, float32 b) = a + b' 2 x.npy -o /dev/null
END
chmod +x app
# snippet: cache
kiln cache list --sort size
kiln cache export kernels.bundle --target x86-64-v3
KILN_CACHE_READONLY_DIRS=$PWD/kernels.bundle ./app
# end

# snippet: explain
kiln explain truth
# end

# snippet: environment
KILN_TUNE=1 kiln environment KILN_TUNE
# end
