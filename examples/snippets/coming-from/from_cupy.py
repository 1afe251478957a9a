# Snippets of docs/coming-from/cupy.md.
import numpy as np

# snippet: after
import kiln as cp   # was: import cupy as cp

squared_diff = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
l2norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
add = cp.RawKernel(r'''
extern "C" __global__ void add(const float* x, const float* y, float* z) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  z[i] = x[i] + y[i];
}''', "add")

x = np.arange(6, dtype=np.float32).reshape(2, 3)
print(squared_diff(x, 1).tolist())
print(l2norm(x, axis=1))
z = np.empty(6, np.float32)
add((2,), (3,), (x.ravel(), x.ravel(), z))
print(z)
# end

# snippet: own
spread = cp.reduction(["(T low, T high)(T x) where T: float32, float64"], name="spread", accumulator="T low, high;",
                      map="return {x, x};", reduce="return {min(a.low, b.low), max(a.high, b.high)};",
                      post="low = a.low; high = a.high;", reorderable=True)
print(spread(x, axis=1))
# end
