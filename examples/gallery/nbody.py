"""Two galaxies meet, after A. and J. Toomre (1972): a raw kernel leads each star through the field of both cores, and counts it in a pixel."""
import functools

import kiln
import numpy as np

stars = kiln.kernel("void(const float32[:,:] start, const float32[:,:,:] cores, uint32[:,:,:] light, float32 dt, float32 scale)", """
    float32 x = start(0, item), y = start(1, item), z = start(2, item), u = start(3, item), v = start(4, item), w = start(5, item);
    for (index step = 0; step < cores.shape(0); ++step) {
        for (int k = 0; k < 2; ++k) {                                    // the place and the mass of a core
            const float32 a = cores(step, k, 0) - x, b = cores(step, k, 1) - y, c = cores(step, k, 2) - z;
            const float32 square = a * a + b * b + c * c + 0.01f, pull = dt * cores(step, k, 3) / (square * sqrt(square));
            u += a * pull; v += b * pull; w += c * pull;
        }
        x += dt * u; y += dt * v; z += dt * w;
    }
    const index rows = light.shape(1), columns = light.shape(2), galaxy = 2 * item / start.shape(1);
    const index row = index(floor(rows * (0.5f - y * scale))), column = index(floor(columns * 0.5f + rows * x * scale));
    if (row >= 0 && row < rows && column >= 0 && column < columns) atomic_add(&light(galaxy, row, column), 1u);""", name="stars")
expose = kiln.vectorize("float32 expose(uint32 first, uint32 second, float32 cold, float32 warm, float32 scale)"
                         " = 1 - exp(-0.5f * pow((first * cold + second * warm) * scale, 0.6f))")
masses, dt = np.array([1.0, 0.7]), 0.025


@functools.cache
def galaxies(count, steps):
    """Returns places and velocities of stars, (6, count), and the path of the two cores with their masses, (steps, 2, 4)."""
    rng, discs = np.random.default_rng(1), []
    share = np.array([-masses[1], masses[0]]) / masses.sum()
    across = -np.sqrt(2 * masses.sum()) / 3.5                            # on a parabola, 1 apart at the nearest
    place = share[:, np.newaxis] * [3.5, 0, 0]
    speed = share[:, np.newaxis] * [-np.sqrt(2 * masses.sum() / 3.5 - across**2), -across, 0]
    for k, tilt in enumerate([0.2, 0.5]):
        r, angle = [1, 0.8][k] * (0.03 + 0.97 * rng.random(count // 2)), 2 * np.pi * rng.random(count // 2)
        v = r * np.sqrt(masses[k] / (r**2 + 0.01) ** 1.5)
        flat = np.array([[r * np.cos(angle), r * np.sin(angle), 0.02 * rng.normal(size=len(r))], [-v * np.sin(angle), v * np.cos(angle), 0 * r]])
        turn = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
        discs.append((turn @ flat + np.array([place[k], speed[k]])[:, :, np.newaxis]).reshape(6, -1))
    path = np.empty((steps, 2, 4), np.float32)
    for step in range(steps):
        gap = place[1] - place[0]
        speed = speed - share[:, np.newaxis] * masses.sum() * dt * gap / (gap @ gap + 0.01) ** 1.5
        place = place + dt * speed
        path[step] = np.column_stack([place, masses])
    return np.concatenate(discs, axis=1).astype(np.float32), path


def compute(width, height, count=1000000, steps=205):
    start, path = galaxies(count, steps)
    light = np.zeros((2, height, width), np.uint32)
    stars.forall(count)(start, path, light, dt, 0.22)
    return expose(*light[..., np.newaxis], np.float32([0.4, 0.62, 1]), np.float32([1, 0.58, 0.28]), width * height / count)


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height))


if __name__ == "__main__":
    draw("nbody.png")
