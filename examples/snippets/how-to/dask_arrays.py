# Snippets of docs/how-to/dask-and-ray.md.
import sys

try:
    import dask.array as da
    import distributed  # noqa: F401
except ImportError:
    print("dask is not there", file=sys.stderr)
    sys.exit(77)
# snippet: arrays
import kiln
import kiln.dask

f = kiln.vectorize("float64 f(float64 x, float64 y) = sqrt(x*x + y*y)")
x = da.ones((1000, 1000), chunks=250)
y = f(x, 2 * x)
print(y)
print(y.mean().compute().round(6), kiln.dask.reduce(kiln.math.add, y.ravel()).compute().round(3))
# end
