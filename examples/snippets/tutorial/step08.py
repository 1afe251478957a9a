# Snippets of docs/tutorial/08-fusion.md.
import kiln
import numpy as np

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
x = np.linspace(-2.1, 0.7, 322)
y = np.linspace(-1.2, 1.2, 276)[:, np.newaxis]
count, size = escape(x, y)

# snippet: smooth
@kiln.fuse
def smooth(count, size):
    return count + 1 - np.log2(np.log2(np.maximum(size, 4)) / 2)

level = smooth(count, size)
print(level.dtype, level[138, :3])
# end

# snippet: same
separate = count + 1 - np.log2(np.log2(np.maximum(size, 4)) / 2)
print(np.abs(level - separate).max() < 1e-13)
# end

# snippet: colours
inside = kiln.vectorize("bool inside(float64 size) = size <= 65536")

@kiln.fuse
def colours(count, size):
    level = smooth(count, size)
    lit = 1 - inside(size)
    return tuple(lit * (128 + 127 * np.sin(0.25 * level + phase)) for phase in (5.2, 5.8, 0.2))

picture = np.empty((276, 322, 3), np.uint8)
colours(count, size, out=tuple(np.moveaxis(picture, -1, 0)), casting="unsafe")
print(picture[138, 0], picture[138, 160])
kiln.save_png("tutorial-fusion.png", picture)
# end
