"""The pictures of examples/gallery by NumPy alone: a function of each script's name, with its arguments and its result.

Inputs that a script makes by NumPy, such as the stars of two galaxies, are those of the script.
"""
import numpy as np
from scripts import load

f32 = np.float32


def bokeh(width, height):
    x, y = np.fft.fftfreq(width, 1 / width).astype(f32), np.fft.fftfreq(height, 1 / height).astype(f32)[:, np.newaxis]
    radius = f32([height / 60, height / 26, height / 13])[:, np.newaxis, np.newaxis]
    edge = f32(0)
    for side in range(6):
        angle = f32(side) * f32(np.pi) / 3 + f32(0.2)
        edge = np.maximum(edge, x * np.cos(angle) + y * np.sin(angle))
    edge = (f32(0.5) * edge + f32(0.5) * np.sqrt(x * x + y * y)) / radius
    lens = np.clip((1 - edge) * radius, 0, 1) * (f32(0.7) + f32(0.5) * edge**6)
    spectrum = np.fft.rfft2(load("bokeh").city(width, height)) * np.fft.rfft2(lens)[:, np.newaxis]
    light = np.maximum(np.fft.irfft2(spectrum, s=(height, width)).sum(axis=0), 0).transpose(1, 2, 0)
    sky = np.linspace(1.6, 0.6, height, dtype=f32)[:, np.newaxis, np.newaxis] * f32([0.02, 0.03, 0.07])
    return 1 - np.exp(-light - sky)


def filter(width, height, size=13):
    noisy = load("filter").picture(width, height)
    half = size // 2
    padded = np.pad(noisy, ((0, 0), (half, half), (half, half)), mode="edge")
    total, weights = np.zeros_like(noisy), np.zeros_like(noisy[0])
    for i in range(size):
        for j in range(size):
            other = padded[:, i:i + height, j:j + width]
            near = f32(np.exp(-((i - half) ** 2 + (j - half) ** 2) / (0.1 * size * size)))
            weight = near * np.exp(-12 * np.square(other - noisy).sum(axis=0))
            total += weight * other
            weights += weight
    clean = total / weights
    split = np.arange(width) + 0.35 * np.arange(height)[:, np.newaxis] > 0.5 * width + 0.175 * height
    return np.where(split, clean, noisy).transpose(1, 2, 0)


def fractal(width, height):
    pixel = 1.76 / height
    left, top = (np.arange(width) - width / 2) * pixel, ((np.arange(height) - height / 2) * pixel)[:, np.newaxis]
    total = np.zeros(width * height)
    for sample in range(4):
        x, y = (each.ravel() for each in np.broadcast_arrays(left + pixel * (sample % 2) / 2, top + pixel * (sample // 2) / 2))
        steps, squares, inside = np.full(x.size, 600), np.ones(x.size), np.arange(x.size)
        for n in range(1, 601):
            x, y = x * x - y * y - 0.8, 2 * x * y + 0.156
            square = x * x + y * y
            out = square >= 1e6
            if out.any():
                steps[inside[out]], squares[inside[out]] = n, square[out]
                inside, x, y, square = inside[~out], x[~out], y[~out], square[~out]
        squares[inside] = square
        total += np.log2(steps + 1 - np.log2(np.log2(np.maximum(squares, 2)) / 2))
    value = (total / 4).reshape(height, width, 1) * 1.3 - 3.6
    return 0.5 - 0.5 * np.cos(value + [0.0, 0.35, 0.75])


def heat(width, height, steps=None):
    steps = steps or height * 5 // 2
    now, after = np.zeros((height, width), f32), np.zeros((height, width), f32)
    time = np.linspace(0, 2 * np.pi, steps)
    rows = (height / 2 + (height * 0.42 - 14) * np.sin(5 * time)).astype(int)
    columns = (width / 2 + (width * 0.45 - 14) * np.cos(3 * time)).astype(int)
    near = np.arange(-12, 13, dtype=f32)
    pen = np.exp(-(near[:, np.newaxis] * near[:, np.newaxis] + near * near) / 32)
    for row, column in zip(rows, columns):
        now[row - 12:row + 13, column - 12:column + 13] += pen
        here = now[1:-1, 1:-1]
        after[1:-1, 1:-1] = f32(0.9995) * here + f32(0.2) * (now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:] - 4 * here)
        now, after = after, now
    return np.sqrt(now)


def histogram(width, height, steps=400):
    x, y = (each.ravel() for each in np.meshgrid(*[np.linspace(-1, 1, width // 4)] * 2))
    counts = np.zeros(height * width, int)
    for step in range(steps):
        x, y = np.sin(1.5 * y) + 1.6 * np.cos(1.5 * x), np.sin(-1.8 * x) + 0.9 * np.cos(-1.8 * y)
        if step >= 16:
            rows, columns = ((0.5 - 0.245 * y) * height).astype(int), (0.5 * width + 0.245 * x * height).astype(int)
            counts += np.bincount(rows * width + columns, minlength=counts.size)
    return np.log1p(counts.reshape(height, width)) ** 0.8


def kmeans(width, height, rounds=8):
    pixels, first = load("kmeans").picture(width, height)
    pixels = np.ascontiguousarray(pixels).reshape(-1, 5)
    centres = pixels[first]
    for _ in range(rounds):
        squares = np.square(centres).sum(axis=1) / 2                     # |p - c|² is least where p·c - |c|²/2 is greatest
        labels = np.concatenate([(part @ centres.T - squares).argmax(axis=1) for part in np.array_split(pixels, 1 + len(pixels) // 4096)])
        sizes = np.bincount(labels, minlength=1000)
        sums = np.stack([np.bincount(labels, channel, minlength=1000) for channel in pixels.T], axis=1)
        centres = (sums / np.maximum(sizes, 1)[:, np.newaxis]).astype(f32)
    labels = labels.reshape(height, width)
    glass, lead = centres[labels, 2:], 1 + height // 480
    for axis in 0, 1:
        glass[labels != np.roll(labels, lead, axis)] *= 0.12
    return glass


def life(width, height, generations=255):
    world = load("life").beginning(width, height)
    for _ in range(generations):
        living = (world == 255).astype(np.uint8)
        columns = living + np.roll(living, 1, axis=1) + np.roll(living, -1, axis=1)
        alive = columns + np.roll(columns, 1, axis=0) + np.roll(columns, -1, axis=0)
        world = np.where((alive == 3) | ((alive == 4) & (world == 255)), np.uint8(255), np.maximum(world, 1) - np.uint8(1))
    return world.repeat(4, axis=0).repeat(4, axis=1)


def nbody(width, height, count=1000000, steps=205):
    start, path = load("nbody").galaxies(count, steps)
    dt, (x, y, z, u, v, w) = f32(0.025), start.copy()
    for cores in path:
        for core in cores:
            a, b, c = core[0] - x, core[1] - y, core[2] - z
            square = a * a + b * b + c * c + f32(0.01)
            pull = dt * core[3] / (square * np.sqrt(square))
            u += a * pull
            v += b * pull
            w += c * pull
        x += dt * u
        y += dt * v
        z += dt * w
    rows, columns = np.floor(height * (f32(0.5) - y * f32(0.22))).astype(int), np.floor(width * f32(0.5) + height * x * f32(0.22)).astype(int)
    seen = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    place = ((np.arange(count) >= count // 2) * height + rows) * width + columns
    light = np.bincount(place[seen], minlength=2 * height * width).reshape(2, height, width, 1).astype(f32)
    glow = (light[0] * f32([0.4, 0.62, 1]) + light[1] * f32([1, 0.58, 0.28])) * f32(width * height / count)
    return 1 - np.exp(f32(-0.5) * glow ** f32(0.6))


def philox(seed, counter, stream):
    """Four arrays of 32 random bits, by Philox4x32-10."""
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b, c, d = counter & mask, counter >> shift, stream & mask, stream >> shift
    keys = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b, c, d = (q >> shift) ^ b ^ np.uint64(keys[0]), q & mask, (p >> shift) ^ d ^ np.uint64(keys[1]), p & mask
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return a, b, c, d


def normals(paths):
    """Twelve normal numbers of each path, by Box and Muller's method."""
    a, b, c, d = philox(2026, np.arange(paths, dtype=np.uint64)[:, np.newaxis], np.arange(3, dtype=np.uint64))
    z = np.empty((paths, 3, 4))
    for k, radius, turn in (0, a, b), (2, c, d):
        size, angle = np.sqrt(-2 * np.log((radius + 1.0) / 2.0**32)), turn * (2 * np.pi / 2**32)
        z[:, :, k], z[:, :, k + 1] = size * np.cos(angle), size * np.sin(angle)
    return z.reshape(paths, 12).astype(f32)


def option(width, height, paths=2048):
    spots, volatilities = np.linspace(0.7, 1.7, 120, dtype=f32), np.linspace(0.5, 0.04, 80, dtype=f32)[:, np.newaxis]
    size, z = volatilities * np.sqrt(f32(1 / 12)), normals(paths)
    total = np.zeros((80, 120), f32)
    for first in range(0, paths, 64):
        x, alive = np.log(spots), True
        for month in range(12):
            x = x + (size * z[first:first + 64, month, np.newaxis, np.newaxis] - f32(0.5) * size * size)
            alive = alive & (x < f32(0.35))
        total += np.where(alive, np.maximum(np.exp(x) - f32(0.85), 0), 0).sum(axis=0)
    finer = load("option").finer
    price = finer(height, 80) @ (total / f32(paths)) @ finer(width, 120).T
    horizon = np.maximum.accumulate(price * height + (0.06 * height + f32(0.38) * np.arange(height, dtype=np.int32)[:, np.newaxis]), axis=0)
    low = np.stack([np.searchsorted(column, np.arange(height - 1, -1, -1)) for column in horizon.astype(f32).T], axis=1)
    at, columns = np.minimum(low, height - 1), np.arange(width)
    p = price[at, columns]
    slope = (p - price[at, np.maximum(columns - 1, 0)]) * (2 * height)
    rise = (p - price[np.maximum(at - 1, 0), columns]) * (2 * height)
    level = p * f32(2.1)
    light = f32(0.55) + f32(0.75) * (f32(0.7) + slope * f32(0.8) - rise * f32(0.1)) / np.sqrt(1 + slope * slope + rise * rise)
    light = light * np.where(np.abs(level * 16 - np.round(level * 16)) < f32(0.06), f32(0.7), f32(1))
    red, green = f32(0.2) + f32(1.3) * level, f32(0.12) + f32(0.35) * level + f32(0.6) * level * level
    blue = f32(0.5) - f32(0.25) * level + f32(0.3) * level * level
    picture = np.stack([light * np.clip(colour, 0, 1) for colour in (red, green, blue)], axis=-1)
    picture[low == height] = f32([0.04, 0.04, 0.09])
    picture[low == 0] = f32([0.04, 0.04, 0.06])
    return picture.clip(0, 1)


def raymarch(width, height):
    def dot(a, b):
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

    def unit(a):
        return a * (1 / np.sqrt(dot(a, a)))

    def column(*numbers):
        return f32(numbers)[:, np.newaxis]

    def ball(p, center, r):
        q = p - column(*center)
        return np.sqrt(dot(q, q)) - f32(r)

    def melt(a, b):
        h = np.maximum(f32(0.5) - np.abs(a - b), 0)
        return np.minimum(a, b) - h * h * f32(0.5)

    def blob(p):
        return melt(melt(ball(p, (0, 0, 0), 0.8), ball(p, (0.5, 0.95, 0.1), 0.45)), ball(p, (-0.8, -0.45, -0.4), 0.45))

    def ring(p):
        a, b = f32(0.8) * p[1] + f32(0.6) * p[0], f32(0.8) * p[0] - f32(0.6) * p[1]
        c = np.sqrt(b * b + p[2] * p[2]) - f32(1.65)
        return np.sqrt(c * c + a * a) - f32(0.09)

    def scene(p):
        return np.minimum(np.minimum(p[1] + 1, blob(p)), ring(p))

    def march(at, ray):
        t, going = np.zeros(at.shape[1], f32), np.arange(at.shape[1])
        for _ in range(120):
            d = scene(at[:, going] + ray[:, going] * t[going])
            t[going] += d
            going = going[(t[going] < 30) & (d >= f32(0.0005))]
            if not going.size:
                break
        return t

    def shadow(at, sun):
        light, t, going = np.ones(at.shape[1], f32), np.full(at.shape[1], f32(0.02)), np.arange(at.shape[1])
        for _ in range(50):
            d = scene(at[:, going] + sun * t[going])
            light[going] = np.minimum(light[going], 10 * d / t[going])
            t[going] += np.maximum(d, f32(0.01))
            going = going[(t[going] < 8) & (light[going] > f32(0.001))]
            if not going.size:
                break
        return np.maximum(light, 0)

    u, v = ((np.arange(width) * 2 - width) / height).astype(f32), ((height - np.arange(height) * 2) / height).astype(f32)[:, np.newaxis]
    u, v = (each.ravel() for each in np.broadcast_arrays(u, v))
    ray, sun, e = unit(np.stack([u, v - f32(0.28), np.full_like(u, 1.9)])), unit(column(-0.6, 0.7, -0.5)), f32(0.001)
    at, weight = column(0, 0.7, -4.6) + 0 * ray, np.ones_like(u)
    total, left = np.zeros_like(ray), np.arange(u.size)
    for _ in range(3):
        t, high = march(at, ray), np.minimum(f32(1.5) * np.sqrt(np.maximum(ray[1], 0)), 1)
        colour = column(1, 0.4, 0.16) * (1 - high) + column(0.02, 0.05, 0.25) * high
        far = t >= 30
        total[:, left[far]] += (colour * weight)[:, far]
        left, at, ray, weight, t, colour = left[~far], at[:, ~far], ray[:, ~far], weight[~far], t[~far], colour[:, ~far]
        at = at + ray * t
        d = scene(at)
        n = unit(np.stack([scene(at + column(e, 0, 0)) - d, scene(at + column(0, e, 0)) - d, scene(at + column(0, 0, e)) - d]))
        is_blob, is_ring = blob(at) < f32(0.01), ring(at) < f32(0.01)
        dark = (np.floor(at[0]).astype(int) + np.floor(at[2]).astype(int)) & 1
        paint = np.where(dark, column(0.01, 0.01, 0.02), column(0.22, 0.2, 0.2))
        paint = np.where(is_ring, column(0.9, 0.6, 0.15), paint)
        paint = np.where(is_blob, np.stack([np.full_like(t, 0.02), f32(0.35) + f32(0.15) * at[1], np.full_like(t, 0.5)]), paint)
        mirror = np.where(is_blob, f32(0.2), np.where(is_ring, f32(0.45), f32(0.35)))
        lit, sky = np.maximum(dot(n, sun), 0) * shadow(at + n * f32(0.01), sun), f32(0.5) + f32(0.5) * n[1]
        near = np.exp(f32(-0.0025) * t * t)
        paint = paint * (column(1.1, 0.95, 0.75) * lit + column(0.25, 0.27, 0.36) * sky)
        total[:, left] += (colour * (1 - near) + paint * near) * (weight * (1 - mirror))
        weight, ray, at = weight * mirror, ray + n * (-2 * dot(ray, n)), at + n * f32(0.01)
    return np.sqrt(total.T.reshape(height, width, 3)).clip(0, 1)


def terrain(width, height):
    rng, cell = np.random.default_rng(3), f32(3.6 / height)
    order, turn = rng.permutation(256), rng.random(256) * 2 * np.pi
    slopes = np.stack([np.cos(turn), np.sin(turn)], axis=1).astype(f32)

    def corner(i, j, x, y):
        k = order[(order[i & 255] + j) & 255]
        return slopes[k, 0] * x + slopes[k, 1] * y

    def mix(a, b, t):
        return a + t * t * t * (t * (t * 6 - 15) + 10) * (b - a)

    def noise(x, y):
        i, j = np.floor(x).astype(int), np.floor(y).astype(int)
        u, v = x - i.astype(f32), y - j.astype(f32)
        return mix(mix(corner(i, j, u, v), corner(i + 1, j, u - 1, v), u),
                   mix(corner(i, j + 1, u, v - 1), corner(i + 1, j + 1, u - 1, v - 1), u), v)

    x, y = np.broadcast_arrays(np.arange(width + 1, dtype=f32) * cell, np.arange(height + 1, dtype=f32)[:, np.newaxis] * cell)
    bend, sway = noise(x * f32(0.8) + 5, y * f32(0.8)), noise(x * f32(0.8), y * f32(0.8) + 9)
    x, y = x + f32(0.5) * bend, y + f32(0.5) * sway
    land, size = noise(x, y), f32(0.55)
    for _ in range(8):
        rough, size = np.clip(f32(0.35) + f32(1.3) * land, f32(0.15), f32(1)), size / 2
        x, y = f32(1.6) * x - f32(1.2) * y + 17, f32(1.2) * x + f32(1.6) * y + 31
        land = land + rough * size * (f32(0.5) - f32(1.6) * np.abs(noise(x, y)))
    above, here, scale = np.maximum(land, 0), land[:-1, :-1], load("terrain").scale
    a, b = (above[:-1, 1:] - above[:-1, :-1]) / cell, (above[1:, :-1] - above[:-1, :-1]) / cell
    light = np.clip((1 - f32(0.5) * (a + b)) / np.sqrt(1 + a * a + b * b), f32(0.05), f32(1.2))
    return np.stack([light * np.interp(here, scale[:, 0], scale[:, k]) for k in (1, 2, 3)], axis=-1).clip(0, 1)


def wave(width, height, steps=None):
    margin = height // 8
    wall, speed, calm = load("wave").basin(width, height, margin)
    before, here = np.zeros(wall.shape, f32), np.zeros(wall.shape, f32)
    middle = (slice(1, -1), slice(1, -1))
    for t in range(steps or int(1.5 * width)):
        here[:, margin] += f32(0.2 * np.sin(t * 125 / height))
        around = here[:-2, 1:-1] + here[2:, 1:-1] + here[1:-1, :-2] + here[1:-1, 2:] - 4 * here[middle]
        before[middle] = calm[middle] * (2 * here[middle] - before[middle] + speed[middle] * around)
        before, here = here, before
    picture = (slice(margin, -margin), slice(margin, -margin), np.newaxis)
    far = np.maximum(np.arange(width, dtype=f32) / width - f32(0.08), 0)[:, np.newaxis]
    light = np.sqrt(f32(0.03) + far) * np.where(here[picture] > 0, here[picture] * f32([1, 0.6, 0.2]), -here[picture] * f32([0.15, 0.5, 1]))
    return np.where(wall[picture], f32(0.5), 1 - np.exp(-5 * light))
