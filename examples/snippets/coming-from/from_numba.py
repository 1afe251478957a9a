# Snippets of docs/coming-from/numba.md.
# snippet: after
import numpy as np
from kiln import guvectorize, vectorize

@vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def relative(a, b):
    "return abs(a - b) / max(abs(a), abs(b));"

@guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
def moving_mean(x, width, y):
    """
    float64 total = 0;
    for (index i = 0; i < n; ++i) {
      total += x[i];
      if (i >= width) total -= x[i - width];
      y[i] = total / min(i + 1, width);
    }
    """

print(relative(np.array([1.0, 2.0, 4.0]), 2.0))
print(moving_mean(np.arange(6.0), 3))
# end

# snippet: kernel
import kiln

histogram = kiln.kernel("void(const float32[:] x, int32[:] bins)", """
    KILN_SHARED int32 local[16];
    if (thread.x < 16) local[thread.x] = 0;
    barrier();
    for (index i = grid(1); i < x.size(); i += gridsize(1)) atomic_add(&local[min(int(x(i) * 16), 15)], 1);
    barrier();
    if (thread.x < 16) atomic_add(&bins(thread.x), local[thread.x]);""")
x = np.linspace(0, 1, 10_000, endpoint=False, dtype=np.float32)
bins = np.zeros(16, np.int32)
histogram[8, 128](x, bins)
print(bins)
# end
