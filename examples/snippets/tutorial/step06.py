# Snippets of docs/tutorial/06-reductions.md.
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
x = np.linspace(-2.1, 0.7, 420)
y = np.linspace(-1.2, 1.2, 360)[:, np.newaxis]
# snippet: method
count = escape(x, y, 500)
larger = kiln.vectorize("T larger(T a, T b) where T: int32, float64 = a > b ? a : b", identity="0")
outside = count < 500
print(larger.reduce(count, axis=None, where=outside))
print(larger.reduce(count, axis=0, where=outside)[:3])
# end

# snippet: reduction
survey = kiln.reduction("(float64 share, float64 mean)(int32 count)", name="survey",
                        accumulator="int64 inside, outside, steps;",
                        map="if (count == 500) return {1, 0, 0}; return {0, 1, count};",
                        reduce="return {a.inside + b.inside, a.outside + b.outside, a.steps + b.steps};",
                        post="share = float64(a.inside) / (a.inside + a.outside); mean = float64(a.steps) / a.outside;",
                        identity="{0, 0, 0}")
share, mean = survey(count)
print(f"area {share * 2.8 * 2.4:.3f}, {mean:.2f} steps outside")
# end

# snippet: rows
share, _ = survey(count, axis=1)
print(share.shape, share.max().round(3), y[share.argmax(), 0].round(3))
# end

picture = np.repeat((255 - 255 * np.sqrt(np.minimum(count, 100) / 100))[..., np.newaxis], 3, axis=2)
bars = np.arange(80) < share[:, np.newaxis] * 200
bars = np.where(bars[..., np.newaxis], (103, 58, 183), (255, 255, 255))
kiln.save_png("tutorial-reductions.png", np.concatenate([picture, bars], axis=1).astype(np.uint8))
