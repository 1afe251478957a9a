# Snippets of docs/tutorial/04-outputs.md.
import numpy as np

# snippet: broadcast
import kiln

escape = kiln.vectorize("""
    (int32 count, float64 size) escape(float64 x, float64 y) {
      float64 re = 0, im = 0;
      size = 0;
      for (count = 0; count < 100 && size <= 65536; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
        size = re * re + im * im;
      }
    }""")
x = np.linspace(-2.1, 0.7, 420)
y = np.linspace(-1.2, 1.2, 360)[:, np.newaxis]
count, size = escape(x, y)
print(count.shape, count.dtype, size.dtype)
# end

# snippet: out
count = np.empty((360, 420), np.int16)
escape(x, y, out=(count, None))
print(count[180, :5], count.max())
# end

# snippet: paint
paint = kiln.vectorize("""
    (uint8 red, uint8 green, uint8 blue) paint(int16 count) {
      const float32 level = count == 100 ? 0 : sqrt(count / 100.0f);
      red = 255 * level * level;
      green = 255 * level;
      blue = 255 * sqrt(level);
    }""")
picture = np.zeros((360, 420, 3), np.uint8)
paint(count, out=(picture[..., 0], picture[..., 1], picture[..., 2]))
print(picture[180, 0], picture[180, 200])
kiln.save_png("tutorial-outputs.png", picture)
# end
