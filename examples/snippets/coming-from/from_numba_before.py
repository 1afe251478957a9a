# Snippets of docs/coming-from/numba.md that are Numba's.
import sys

try:
    import numba
except ImportError:
    print("Numba is not there", file=sys.stderr)
    sys.exit(77)
# snippet: before
import numpy as np
from numba import guvectorize, vectorize

@vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def relative(a, b):
    return abs(a - b) / max(abs(a), abs(b))

@guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
def moving_mean(x, width, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
        if i >= width:
            total -= x[i - width]
        y[i] = total / min(i + 1, width)

print(relative(np.array([1.0, 2.0, 4.0]), 2.0))
print(moving_mean(np.arange(6.0), 3))
# end
