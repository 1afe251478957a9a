"""A strange attractor: each orbit counts the pixels that it visits, by atomic additions to a raw output that all orbits share."""
import kiln
import numpy as np

visit = kiln.vectorize("""(raw uint32 counts) visit(float64 x, float64 y, int32 steps) {
    const index rows = counts.shape(0), columns = counts.shape(1);
    for (int step = 0; step < steps; ++step) {                           // a map of Clifford Pickover's
        const float64 next = sin(1.5 * y) + 1.6 * cos(1.5 * x);
        y = sin(-1.8 * x) + 0.9 * cos(-1.8 * y);
        x = next;
        const index row = index((0.5 - 0.245 * y) * rows), column = index(0.5 * columns + 0.245 * x * rows);
        if (step >= 16) atomic_add(&counts(row, column), 1u);
    }
}""")


def compute(width, height, steps=400):
    """Returns the brightness of each pixel, the logarithm of its visits."""
    counts = np.zeros((height, width), np.uint32)
    start = np.linspace(-1, 1, width // 4)
    visit(start, start[:, np.newaxis], steps, out=counts)
    return np.log1p(counts) ** 0.8


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height), "magma")


if __name__ == "__main__":
    draw("histogram.png")
