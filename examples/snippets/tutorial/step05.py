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
kiln.save_png("tutorial-constants.png", np.log(count % 2000 + 1), "magma")
# end
