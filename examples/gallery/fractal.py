"""A Julia set: the body of one pixel has loops and conditions of its own, and is vectorized. A row and a column make the plane."""
import kiln
import numpy as np

julia = kiln.vectorize("""float64 julia(float64 left, float64 top, float64 pixel) {
    float64 sum = 0;
    for (int sample = 0; sample < 4; ++sample) {                 // four points of each pixel, against jagged edges
        float64 x = left + pixel * (sample % 2) / 2, y = top + pixel * (sample / 2) / 2, square = 0;
        int n = 0;
        for (; n < 600 && square < 1e6; ++n) {                   // z = z * z + c until it escapes
            const float64 next = x * x - y * y - 0.8;
            y = 2 * x * y + 0.156;
            x = next;
            square = x * x + y * y;
        }
        sum += log2(n + 1 - log2(log2(max(square, 2.0)) / 2));   // a smooth number of steps
    }
    return sum / 4;
}""")

palette = kiln.vectorize("float64 palette(float64 value, float64 phase) = 0.5 - 0.5 * cos(value + phase)")


def compute(width, height):
    """Returns colours of shape (height, width, 3) by the number of steps until each pixel escapes."""
    pixel = 1.76 / height
    x = (np.arange(width) - width / 2) * pixel
    y = (np.arange(height) - height / 2) * pixel
    steps = julia(x, y[:, np.newaxis], pixel)
    return palette(steps[:, :, np.newaxis] * 1.3 - 3.6, np.array([0.0, 0.35, 0.75]))


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height))


if __name__ == "__main__":
    draw("fractal.png")
