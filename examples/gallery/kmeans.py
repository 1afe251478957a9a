"""Stained glass by k-means: a generalized ufunc finds the centre that is nearest to each pixel, and `.at` sums the pixels of each centre."""
import functools

import kiln
import numpy as np

paint = kiln.vectorize("""float32 paint(float32 x, float32 y, float32 hue) {
    const float32 r = sqrt(x * x + y * y), angle = atan2(y, x);
    const float32 petal = r * (1 + 0.22f * cos(8 * angle)), twist = petal * (7 - 0.35f * sin(16 * angle));
    return clamp(0.55f + 0.5f * cos(twist + hue), 0.0f, 1.0f) * (1.1f - 0.35f * r);
}""")

nearest = kiln.guvectorize("void(float32[:] x, float32[:,:] centres, int32 label)", "(d),(k,d)->()", """
    float32 best = INFINITY;
    int32 at = 0;
    for (index i = 0; i < k; ++i) {
        float32 far = 0;
        for (index j = 0; j < d; ++j) far += (x(j) - centres(i, j)) * (x(j) - centres(i, j));
        if (far < best) best = far, at = i;
    }
    label = at;""", name="nearest")


@functools.cache
def picture(width, height):
    """Returns a place and a colour for each pixel, (height, width, 5), and the first centres."""
    x = ((np.arange(width) - width / 2) / height * 2).astype(np.float32)
    y = ((np.arange(height)[:, np.newaxis] - height / 2) / height * 2).astype(np.float32)
    colours = paint(x, y, np.float32([0, 1.6, 3.4])[:, np.newaxis, np.newaxis])
    pixels = np.stack([*np.broadcast_arrays(x * 4, y * 4), *colours]).transpose(1, 2, 0)
    return pixels, np.random.default_rng(2).choice(width * height, 1000, replace=width * height < 1000)


def compute(width, height, rounds=8):
    """Returns colours of shape (height, width, 3)."""
    pixels, first = picture(width, height)
    centres = pixels.reshape(-1, 5)[first]
    for _ in range(rounds):
        labels = nearest(pixels, centres)
        sums, sizes = np.zeros((1000, 5)), np.zeros(1000)
        kiln.math.add.at(sums, labels, pixels)
        kiln.math.add.at(sizes, labels, 1)
        centres = (sums / np.maximum(sizes, 1)[:, np.newaxis]).astype(np.float32)
    glass, lead = centres[labels, 2:], 1 + height // 480
    for axis in 0, 1:                                                    # leads between the panes
        glass[labels != np.roll(labels, lead, axis)] *= 0.12
    return glass


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height).clip(0, 1))


if __name__ == "__main__":
    draw("kmeans.png")
