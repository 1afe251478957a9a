# Snippets of docs/tutorial/07-gufuncs.md.
import numpy as np

# snippet: mean
import kiln

mean = kiln.guvectorize("""(n)->() void mean(float64[:] x, float64 result) {
      float64 sum = 0;
      for (index i = 0; i < n; ++i) sum += x(i);
      result = sum / n;
    }""")
print(mean(np.array([[1.0, 2, 3], [4, 5, 9]])))
# end

# snippet: axis
print(mean(np.array([[1.0, 2, 3], [4, 5, 9]]), axis=0))
# end

escape = kiln.vectorize("""
    (int32 count) escape(float64 x, float64 y) {
      float64 re = 0, im = 0;
      for (count = 0; count < 100 && re * re + im * im <= 4; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
      }
    }""")
# snippet: blocks
block_mean = kiln.guvectorize("""(m,n)->() void block_mean(uint8[:,:] block, uint8 result) {
      int32 sum = 0;
      for (auto row : block)
        for (auto pixel : row) sum += pixel;
      result = (sum + m * n / 2) / (m * n);
    }""")
x = np.linspace(-2.1, 0.7, 3 * 420)
y = np.linspace(-1.2, 1.2, 3 * 360)[:, np.newaxis]
grey = kiln.vectorize("uint8 grey(int32 count) = 255 - 255 * sqrt(count / 100.0f)")
fine = grey(escape(x, y))
blocks = fine.reshape(360, 3, 420, 3)
soft = block_mean(blocks, axes=[(1, 3), ()])
print(fine.shape, soft.shape, soft[42:49, 295])
kiln.save_png("tutorial-gufuncs.png", soft)
# end

# snippet: sizes
halve = kiln.guvectorize("""(n)->(h) void halve(float64[:] x, float64[:] y) {
      for (index i = 0; i < h; ++i) y(i) = (x(2 * i) + x(2 * i + 1)) / 2;
    }""", sizes="h = n / 2")
print(halve(np.arange(7.0)))
# end

# snippet: error
try:
    block_mean(np.zeros(3, np.uint8))
except kiln.ShapeError as error:
    print(error)
# end
