"""A wave past a double slit: a step is a Python function of NumPy's operations, fused to one kernel that reads and writes memory once."""
import functools

import kiln
import numpy as np


@kiln.fuse
def step(before, here, up, down, left, right, speed, calm):
    return calm * (2 * here - before + speed * (up + down + left + right - 4 * here))


paint = kiln.vectorize("""float32 paint(float32 wave, float32 far, float32 crest, float32 trough, bool wall) {
    const float32 light = sqrt(0.03f + far) * (wave > 0 ? wave * crest : -wave * trough);
    return wall ? 0.5f : 1 - exp(-5 * light);
}""")


@functools.cache
def basin(width, height, margin):
    """Returns the wall with two slits, the square of the speed, and what calms the waves in a margin around the picture."""
    row, column = np.mgrid[-margin:height + margin, -margin:width + margin]
    wall = (abs(column - width // 12) <= width // 400) & (abs(abs(row - height / 2) - height / 8) > height / 60)
    edge = np.maximum(np.maximum(-row, row - height + 1), np.maximum(-column, column - width + 1)) / margin
    return wall, np.where(wall, 0, 0.45).astype(np.float32), (1 - 0.04 * np.clip(edge, 0, 1) ** 3).astype(np.float32)


def compute(width, height, steps=None):
    """Returns colours of shape (height, width, 3): crests are amber, troughs are blue."""
    margin = height // 8
    wall, speed, calm = basin(width, height, margin)
    before, here = np.zeros(wall.shape, np.float32), np.zeros(wall.shape, np.float32)
    inner, middle = slice(1, -1), (slice(1, -1), slice(1, -1))
    for t in range(steps or int(1.5 * width)):
        here[:, margin] += np.float32(0.2 * np.sin(t * 125 / height))
        step(before[middle], here[middle], here[:-2, inner], here[2:, inner], here[inner, :-2], here[inner, 2:],
             speed[middle], calm[middle], out=before[middle])
        before, here = here, before
    picture = (slice(margin, -margin), slice(margin, -margin), np.newaxis)
    far = np.maximum(np.arange(width, dtype=np.float32) / width - 0.08, 0)[:, np.newaxis]
    return paint(here[picture], far, np.float32([1, 0.6, 0.2]), np.float32([0.15, 0.5, 1]), wall[picture])


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height))


if __name__ == "__main__":
    draw("wave.png")
