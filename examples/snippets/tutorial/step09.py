# Snippets of docs/tutorial/09-raw.md.
import kiln
import numpy as np

escape = kiln.vectorize("""
    (int32 count) escape(float64 x, float64 y, constant int32 limit) {
      float64 re = 0, im = 0;
      for (count = 0; count < limit && re * re + im * im <= 4; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
      }
    }""")
x = np.linspace(-0.7512, -0.7432, 240)
y = np.linspace(0.1060, 0.1130, 208)[:, np.newaxis]
count = escape(x, y, 1000)
# snippet: histogram
tally = kiln.vectorize("(raw int32 counts) tally(int32 count) { atomic_add(&counts[count], 1); }")
counts = np.zeros(1001, np.int32)
tally(count, out=counts)
print(counts[60:66], counts.sum())
# end

# snippet: lookup
below = kiln.math.add.accumulate(counts) / counts.sum()
paint = kiln.vectorize("""
    (uint8 red, uint8 green, uint8 blue) paint(int32 count, raw float64 below) {
      const float32 rank = count == below.size() - 1 ? 0 : below[count];
      red = 255 * rank * rank;
      green = 255 * rank * rank * rank;
      blue = 255 * rank * (1.6f - 0.6f * rank) * 0.99f;
    }""")
picture = np.empty((208, 240, 3), np.uint8)
paint(count, below, out=tuple(np.moveaxis(picture, -1, 0)))
print(picture[0, 0], picture[104, 120])
# end

# snippet: kernel
blur = kiln.kernel("void(uint8[:,:] in, uint8[:,:] out)", """
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= in.shape(0) || column >= in.shape(1)) return;
    int sum = 0, count = 0;
    for (int i = max(row - 1, 0); i < min(row + 2, int(in.shape(0))); ++i)
      for (int j = max(column - 1, 0); j < min(column + 2, int(in.shape(1))); ++j, ++count) sum += in(i, j);
    out(row, column) = sum / count;""", name="blur")
soft = np.empty_like(picture)
for channel in range(3):
    blur[(15, 13), (16, 16)](picture[..., channel], soft[..., channel])
print(picture[104, 120], soft[104, 120])
kiln.save_png("tutorial-raw.png", soft)
# end
