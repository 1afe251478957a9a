# Snippets of docs/tutorial/05-constants.md.
import numpy as np

# snippet: constant
import kiln

escape = kiln.vectorize("""
    (int32 count) escape(float64 x, float64 y, constant int32 limit) {
      float64 re = 0, im = 0;
      for (count = 0; count < limit && re * re + im * im <= 4; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
      }
    }""")
x = np.linspace(-0.7512, -0.7432, 280)
y = np.linspace(0.1060, 0.1130, 240)[:, np.newaxis]
count = escape(x, y, 200)
print((count == 200).sum())
# end

# snippet: where
escape(x, y, 2000, out=count, where=count == 200)
print((count == 2000).sum())
# end

from pictures import save

paint = kiln.vectorize("(uint8 red, uint8 green, uint8 blue) paint(int32 count) { float32 t = log2(count / 60.0f); if (count == 2000) t = 0;"
                       "red = 255 * clamp(t * 0.33f, 0.0f, 1.0f); green = 255 * clamp(t * 0.33f - 0.1f, 0.0f, 1.0f); blue = 255 * clamp(0.25f + t * 0.15f, 0.0f, 1.0f); if (count == 2000) blue = 0; }")
picture = np.zeros((240, 280, 3), np.uint8)
paint(count, out=(picture[..., 0], picture[..., 1], picture[..., 2]))
save("tutorial-constants.png", picture)
