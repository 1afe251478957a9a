"""City lights out of focus: each light becomes the shape of the lens's aperture, a convolution by kiln.fft of all layers and colours at once."""
import functools

import kiln
import numpy as np

aperture = kiln.vectorize("""float32 aperture(float32 x, float32 y, float32 radius) {
    float32 edge = 0;                                                    // six blades
    for (int side = 0; side < 6; ++side) edge = max(edge, x * cos(side * float32(pi) / 3 + 0.2f) + y * sin(side * float32(pi) / 3 + 0.2f));
    edge = (0.5f * edge + 0.5f * sqrt(x * x + y * y)) / radius;
    return clamp((1 - edge) * radius, 0.0f, 1.0f) * (0.7f + 0.5f * pow(edge, 6.0f));
}""")
product = kiln.vectorize("complex64 product(complex64 a, complex64 b) = a * b")
develop = kiln.vectorize("float32 develop(float32 far, float32 middle, float32 near, float32 sky, float32 dusk)"
                         " = 1 - exp(-max(far + middle + near, 0.0f) - sky * dusk)")


@functools.cache
def city(width, height):
    """Returns lights of shape (3, 3, height, width): layers from far to near, and colours."""
    rng = np.random.default_rng(11)
    lights = np.zeros((3, 3, height, width), np.float32)
    lamps = np.float32([[1, 0.62, 0.25], [1, 0.45, 0.12], [1, 0.85, 0.6], [0.5, 0.75, 1], [1, 0.12, 0.1], [0.15, 0.9, 0.5]])
    for layer, count in enumerate([420, 110, 26]):
        rows = np.clip((0.52 + 0.11 * (layer + 0.6) * rng.normal(size=count)) * height, 0, height - 1).astype(int)
        columns = rng.integers(0, width, count)
        power = rng.lognormal(0, 0.6, count) * [0.6, 0.4, 0.26][layer]
        colour = lamps[rng.choice(6, count, p=[0.34, 0.22, 0.14, 0.14, 0.1, 0.06])]
        np.add.at(lights[layer], (slice(None), rows, columns), (power[:, np.newaxis] * colour).T)
    return lights


def compute(width, height):
    """Returns colours of shape (height, width, 3)."""
    radii = np.float32([height / 60, height / 26, height / 13])[:, np.newaxis, np.newaxis, np.newaxis]
    x, y = np.fft.fftfreq(width, 1 / width).astype(np.float32), np.fft.fftfreq(height, 1 / height).astype(np.float32)
    lens = aperture(x, y[:, np.newaxis], radii)
    spectrum = product(kiln.fft.rfft2(city(width, height)), kiln.fft.rfft2(lens))
    blurred = kiln.fft.irfft2(spectrum, s=(height, width))
    sky = np.linspace(1.6, 0.6, height, dtype=np.float32)[:, np.newaxis]
    return develop(*blurred.transpose(0, 2, 3, 1), sky[..., np.newaxis], np.float32([0.02, 0.03, 0.07]))


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height))


if __name__ == "__main__":
    draw("bokeh.png")
