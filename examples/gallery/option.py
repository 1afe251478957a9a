"""Prices of an option that dies at a barrier, by Monte Carlo: random numbers by path and month, and a reduction over the paths."""
import kiln
import numpy as np

normals = kiln.vectorize("float32 normals(uint64 path, uint64 month) = normal<float32>(philox(2026, path, month / 4), month % 4)")

payoff = kiln.reduction("float32(float32 spot, float32 volatility, int32 path, raw float32 normals)", name="payoff", map="""
    const float32 size = volatility * sqrt(1 / 12.0f);
    float32 x = log(spot);
    bool alive = true;
    for (int month = 0; month < 12; ++month) {
        x += size * normals(path, month) - 0.5f * size * size;
        alive = alive && x < 0.35f;
    }
    return alive ? max(exp(x) - 0.85f, 0.0f) : 0.0f;""", reduce="return a + b;", identity="0")

shade = kiln.vectorize("""(float32 red, float32 green, float32 blue) shade(int32 row, int32 column, raw float32 horizon, raw float32 price) {
    const int32 depths = horizon.shape(0);
    int32 low = 0, high = depths;                                        // the first depth whose horizon is not below this row
    while (low < high) {
        const int32 middle = (low + high) / 2;
        (horizon(middle, column) < row ? low : high) = horizon(middle, column) < row ? middle + 1 : middle;
    }
    if (low == 0 || low == depths) { red = green = 0.04f; blue = low ? 0.09f : 0.06f; return; }
    const int32 near = max(low - 1, 0), left = max(column - 1, 0);
    const float32 p = price(low, column), level = p * 2.1f, zoom = depths * 2;
    const float32 slope = (p - price(low, left)) * zoom, rise = (p - price(near, column)) * zoom;
    const float32 light = 0.55f + 0.75f * (0.7f + slope * 0.8f - rise * 0.1f) / sqrt(1 + slope * slope + rise * rise);
    const float32 line = abs(level * 16 - round(level * 16)) < 0.06f ? 0.7f : 1.0f;
    red = light * line * clamp(0.2f + 1.3f * level, 0.0f, 1.0f);
    green = light * line * clamp(0.12f + 0.35f * level + 0.6f * level * level, 0.0f, 1.0f);
    blue = light * line * clamp(0.5f - 0.25f * level + 0.3f * level * level, 0.0f, 1.0f);
}""")


def finer(count, size):
    """Returns the matrix that makes `count` values of `size`, by quadratic splines."""
    t = abs(np.linspace(0, size - 1, count)[:, np.newaxis] - np.arange(size))
    spline = np.where(t < 0.5, 0.75 - t * t, 0.5 * np.maximum(1.5 - t, 0) ** 2)
    return (spline / spline.sum(axis=1, keepdims=True)).astype(np.float32)


def compute(width, height, paths=2048):
    """Returns colours of shape (height, width, 3): prices by the spot, from left to right, and the volatility, from back to front."""
    spots, volatilities = np.linspace(0.7, 1.7, 120, dtype=np.float32), np.linspace(0.5, 0.04, 80, dtype=np.float32)
    path = np.arange(paths, dtype=np.uint64)[:, np.newaxis]
    z = normals(path, np.arange(12, dtype=np.uint64))
    price = payoff(spots, volatilities[:, np.newaxis], path[:, np.newaxis].astype(np.int32), z, axis=0) / np.float32(paths)
    price = finer(height, 80) @ price @ finer(width, 120).T
    rows = np.arange(height, dtype=np.int32)[:, np.newaxis]
    horizon = kiln.math.maximum.accumulate(price * height + (0.06 * height + np.float32(0.38) * rows), axis=0).astype(np.float32)
    return np.stack(shade(rows[::-1], np.arange(width, dtype=np.int32), horizon, price), axis=-1).clip(0, 1)


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height))


if __name__ == "__main__":
    draw("option.png")
