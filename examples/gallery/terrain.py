"""Islands of Perlin's gradient noise in nine octaves, lit from the north-west: functions in C++, and tables that are read at any place."""
import kiln
import numpy as np

terrain = kiln.vectorize("float32 terrain(float32 x, float32 y, raw uint8 o, raw float32 s) = landscape(x, y, o, s)", functions="""
    float32 corner(int32 i, int32 j, float32 x, float32 y, const auto& order, const auto& slopes) {
        const int32 k = order[(order[i & 255] + j) & 255];
        return slopes(k, 0) * x + slopes(k, 1) * y;
    }
    float32 mix(float32 a, float32 b, float32 t) { return a + t * t * t * (t * (t * 6 - 15) + 10) * (b - a); }
    float32 noise(float32 x, float32 y, const auto& o, const auto& s) {
        const int32 i = int32(floor(x)), j = int32(floor(y));
        const float32 u = x - i, v = y - j;
        return mix(mix(corner(i, j, u, v, o, s), corner(i + 1, j, u - 1, v, o, s), u),
                   mix(corner(i, j + 1, u, v - 1, o, s), corner(i + 1, j + 1, u - 1, v - 1, o, s), u), v);
    }
    float32 landscape(float32 x, float32 y, const auto& order, const auto& slopes) {
        const float32 bend = noise(x * 0.8f + 5, y * 0.8f, order, slopes), sway = noise(x * 0.8f, y * 0.8f + 9, order, slopes);
        x += 0.5f * bend, y += 0.5f * sway;
        float32 height = noise(x, y, order, slopes), size = 0.55f;
        for (int octave = 1; octave < 9; ++octave) {
            const float32 rough = clamp(0.35f + 1.3f * height, 0.15f, 1.0f), turned = 1.6f * x - 1.2f * y + 17;
            y = 1.2f * x + 1.6f * y + 31;                                // twice as fine, and turned
            x = turned;
            height += rough * (size *= 0.5f) * (0.5f - 1.6f * abs(noise(x, y, order, slopes)));
        }
        return height;
    }""")

paint = kiln.vectorize("""(float32 red, float32 green, float32 blue)
    paint(float32 land, float32 east, float32 south, float32 cell, raw float32 scale) {
    const float32 a = (max(east, 0.0f) - max(land, 0.0f)) / cell, b = (max(south, 0.0f) - max(land, 0.0f)) / cell;
    const float32 light = clamp((1 - 0.5f * (a + b)) / sqrt(1 + a * a + b * b), 0.05f, 1.2f);
    index k = 0;
    while (k < scale.shape(0) - 2 && land > scale(k + 1, 0)) ++k;       // rows of a height and a colour
    const float32 t = clamp((land - scale(k, 0)) / (scale(k + 1, 0) - scale(k, 0)), 0.0f, 1.0f);
    red = light * (scale(k, 1) + t * (scale(k + 1, 1) - scale(k, 1)));
    green = light * (scale(k, 2) + t * (scale(k + 1, 2) - scale(k, 2)));
    blue = light * (scale(k, 3) + t * (scale(k + 1, 3) - scale(k, 3)));
}""")
scale = np.float32([[-0.5, 0.03, 0.12, 0.3], [-0.05, 0.15, 0.45, 0.6], [0, 0.4, 0.7, 0.7], [0.02, 0.9, 0.82, 0.6], [0.15, 0.32, 0.5, 0.22],
                    [0.35, 0.35, 0.36, 0.22], [0.48, 0.47, 0.41, 0.37], [0.58, 0.94, 0.95, 0.97], [0.8, 1, 1, 1]])


def compute(width, height):
    """Returns colours of shape (height, width, 3)."""
    rng, cell = np.random.default_rng(3), np.float32(3.6 / height)
    order, turn = rng.permutation(256).astype(np.uint8), rng.random(256) * 2 * np.pi
    slopes = np.stack([np.cos(turn), np.sin(turn)], axis=1).astype(np.float32)
    x, y = np.arange(width + 1, dtype=np.float32) * cell, np.arange(height + 1, dtype=np.float32)[:, np.newaxis] * cell
    land = terrain(x, y, order, slopes)
    return np.stack(paint(land[:-1, :-1], land[:-1, 1:], land[1:, :-1], cell, scale), axis=-1).clip(0, 1)


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height))


if __name__ == "__main__":
    draw("terrain.png")
