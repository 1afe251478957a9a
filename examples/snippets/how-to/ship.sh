# Kernels for CPUs of x86-64 run on those alone.
[ "$(uname -m)" = x86_64 ] || { echo "this is no x86-64" >&2; exit 77; }
# snippet: record
export KILN_CACHE_DIR=$PWD/cache
KILN_RECORD=used.json kiln eval 'float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)' 1 5 2
# end

# snippet: compile
kiln compile used.json --target x86-64-v3,sm_90 --dir shipped --quiet
kiln cache export app.kernels --dir shipped
# end

# snippet: check
export KILN_CLANG=none KILN_CPU_TARGET=x86-64-v3 KILN_CACHE_DIR=$PWD/empty KILN_CACHE_READONLY_DIRS=$PWD/app.kernels
kiln eval 'float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)' 1 5 2
# end
