# Snippets of docs/five-minutes.md.
import numpy as np

# snippet: vectorize
import kiln

relative = kiln.vectorize("float64 relative(float64 a, float64 b) = fabs(a - b) / fmax(fabs(a), fabs(b))")
a = np.array([1.0, 2.0, 4.0])
print(relative(a, 2.0))
# end

# snippet: methods
add = kiln.vectorize("T add(T a, T b) where T: int64, float64 = a + b", identity="0")
print(add.reduce(a), add.accumulate(a), add.outer([1, 2], [10, 20]).tolist())
# end

# snippet: error
try:
    kiln.vectorize("float64 wrong(float64 a) = sqroot(a)")(a)
except kiln.CompileError as error:
    print(str(error).splitlines()[0])
# end

# snippet: reduction
spread = kiln.reduction(name="spread", signatures=["float64(float64 x)"], accumulator="float64 low, high;",
                        map="return {x, x};", reduce="return {fmin(a.low, b.low), fmax(a.high, b.high)};",
                        post="return a.high - a.low;", identity="{INFINITY, -INFINITY}")
print(spread(a))
# end

# snippet: gufunc
norm = kiln.guvectorize("(n)->() void norm(float64[:] x, float64 r) { r = 0; for (index i = 0; i < n; ++i) r += x(i) * x(i); r = sqrt(r); }")
print(norm(np.array([[3.0, 4.0], [6.0, 8.0]])))
# end
