"""A bilateral filter: smooth where colours are alike, sharp at edges. Each window of the noisy picture is an operand, a view without a copy."""
import functools

import kiln
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

bilateral = kiln.guvectorize("void(float32[:,:,:] window, float32[:,:] near, float32[:] clean)", "(c,k,k),(k,k)->(c)", """
    float32 sum[3] = {0, 0, 0}, weights = 0;
    for (index i = 0; i < k; ++i)
        for (index j = 0; j < k; ++j) {
            float32 unlike = 0;
            for (index l = 0; l < 3; ++l) unlike += (window(l, i, j) - window(l, k / 2, k / 2)) * (window(l, i, j) - window(l, k / 2, k / 2));
            const float32 weight = near(i, j) * exp(-12 * unlike);
            for (index l = 0; l < 3; ++l) sum[l] += weight * window(l, i, j);
            weights += weight;
        }
    for (index l = 0; l < 3; ++l) clean(l) = sum[l] / weights;""", name="bilateral")


@functools.cache
def picture(width, height):
    """Returns hills in the evening, of shape (3, height, width), with noise."""
    x, y = np.arange(width) / height, np.arange(height)[:, np.newaxis] / height
    mix = lambda a, b, t: np.array(a)[:, np.newaxis, np.newaxis] * (1 - t) + np.array(b)[:, np.newaxis, np.newaxis] * t
    sky = mix([0.16, 0.12, 0.36], [1.0, 0.55, 0.3], np.clip(y * 1.5 + 0 * x, 0, 1))
    sun = np.hypot(x - 1.0, y - 0.42)
    scene = sky + np.exp(-5 * sun) * np.array([0.6, 0.4, 0.15])[:, np.newaxis, np.newaxis]
    scene = np.where(sun < 0.11, np.array([1.0, 0.93, 0.7])[:, np.newaxis, np.newaxis], scene)
    for k in range(5):
        hill = 0.5 + 0.105 * k + 0.07 * np.sin(x * (2.3 + k) + 4.1 * k) + 0.03 * np.sin(x * (7 + 2 * k) + k * k)
        scene = np.where(y > hill, mix([0.75, 0.36, 0.42], [0.08, 0.06, 0.2], k / 4 + 0 * x), scene)
    return np.clip(scene + np.random.default_rng(4).normal(0, 0.13, scene.shape), 0, 1).astype(np.float32)


def compute(width, height, size=13):
    """Returns colours of shape (height, width, 3): the noise on the left, the filter's result on the right."""
    noisy = picture(width, height)
    half = size // 2
    y, x = np.mgrid[-half:half + 1, -half:half + 1]
    near = np.exp(-(x * x + y * y) / (0.1 * size * size)).astype(np.float32)
    padded = np.pad(noisy, ((0, 0), (half, half), (half, half)), mode="edge")
    windows = sliding_window_view(padded, (size, size), axis=(1, 2))
    clean = bilateral(windows, near, axes=[(0, 3, 4), (0, 1), 0], out=np.empty_like(noisy))
    split = np.arange(width) + 0.35 * np.arange(height)[:, np.newaxis] > 0.5 * width + 0.175 * height
    return np.where(split, clean, noisy).transpose(1, 2, 0)


def draw(path, width=720, height=480):
    kiln.save_png(path, compute(width, height))


if __name__ == "__main__":
    draw("filter.png")
