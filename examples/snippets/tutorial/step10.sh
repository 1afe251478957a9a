# snippet: record
export KILN_CACHE_DIR=$PWD/cache
KILN_RECORD=used.json kiln eval 'float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)' 1 5 2
kiln compile used.json --target native --dir shipped --quiet
kiln cache list --dir shipped --json | grep -c '"kernel": "disc"'
# end

# snippet: without
export KILN_CLANG=none KILN_CACHE_DIR=$PWD/empty KILN_CACHE_READONLY_DIRS=$PWD/shipped
kiln eval 'float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)' 1 5 2
kiln eval 'float64 other(float64 a) = 3 * a' 1 2>&1 | grep -o 'is in no cache and cannot be compiled'
# end
