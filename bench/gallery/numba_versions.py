"""The pictures of examples/gallery by Numba: a function of each script's name, with its arguments and its result.

Elementwise ones are @vectorize(target="parallel"), windows are @guvectorize, and other loops are @njit(parallel=True). fastmath is off, as in
kiln. What a script does by NumPy is NumPy's here, too. REASONS says why a picture is missing.
"""
import functools
import math

import numpy as np
from numba import get_num_threads, guvectorize, njit, prange, vectorize
from numpy.lib.stride_tricks import sliding_window_view
from scripts import load

REASONS = {"bokeh": "Numba has no Fourier transforms"}
f32, i32 = np.float32, np.int32


@functools.cache
def make_bilateral():
    @guvectorize(["void(float32[:,:,:], float32[:,:], float32[:])"], "(c,k,k),(k,k)->(c)", target="parallel")
    def bilateral(window, near, clean):
        size = near.shape[0]
        r, g, b, weights = f32(0), f32(0), f32(0), f32(0)
        r0, g0, b0 = window[0, size // 2, size // 2], window[1, size // 2, size // 2], window[2, size // 2, size // 2]
        for i in range(size):
            for j in range(size):
                r1, g1, b1 = window[0, i, j], window[1, i, j], window[2, i, j]
                weight = near[i, j] * math.exp(f32(-12) * ((r1 - r0) * (r1 - r0) + (g1 - g0) * (g1 - g0) + (b1 - b0) * (b1 - b0)))
                r += weight * r1
                g += weight * g1
                b += weight * b1
                weights += weight
        clean[0], clean[1], clean[2] = r / weights, g / weights, b / weights

    return bilateral


def filter(width, height, size=13):
    noisy = load("filter").picture(width, height)
    half = size // 2
    y, x = np.mgrid[-half:half + 1, -half:half + 1]
    near = np.exp(-(x * x + y * y) / (0.1 * size * size)).astype(f32)
    windows = sliding_window_view(np.pad(noisy, ((0, 0), (half, half), (half, half)), mode="edge"), (size, size), axis=(1, 2))
    clean = make_bilateral()(windows, near, axes=[(0, 3, 4), (0, 1), 0])
    split = np.arange(width) + 0.35 * np.arange(height)[:, np.newaxis] > 0.5 * width + 0.175 * height
    return np.where(split, clean, noisy).transpose(1, 2, 0)


@functools.cache
def make_julia():
    @vectorize(["float64(float64, float64, float64)"], target="parallel")
    def julia(left, top, pixel):
        total = 0.0
        for sample in range(4):
            x, y, square, n = left + pixel * (sample % 2) / 2, top + pixel * (sample // 2) / 2, 0.0, 0
            while n < 600 and square < 1e6:
                x, y = x * x - y * y - 0.8, 2 * x * y + 0.156
                square = x * x + y * y
                n += 1
            total += math.log2(n + 1 - math.log2(math.log2(max(square, 2.0)) / 2))
        return total / 4

    return julia


@functools.cache
def make_palette():
    @vectorize(["float64(float64, float64)"], target="parallel")
    def palette(value, phase):
        return 0.5 - 0.5 * math.cos(value + phase)

    return palette


def fractal(width, height):
    pixel = 1.76 / height
    steps = make_julia()((np.arange(width) - width / 2) * pixel, ((np.arange(height) - height / 2) * pixel)[:, np.newaxis], pixel)
    return make_palette()(steps[:, :, np.newaxis] * 1.3 - 3.6, np.array([0.0, 0.35, 0.75]))


@njit(parallel=True)
def spread(now, after):
    for i in prange(1, now.shape[0] - 1):
        for j in range(1, now.shape[1] - 1):
            around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - f32(4) * now[i, j]
            after[i, j] = f32(0.9995) * now[i, j] + f32(0.2) * around


@njit
def press(now, row, column):
    for i in range(-12, 13):
        for j in range(-12, 13):
            now[row + i, column + j] += math.exp(f32(-(i * i + j * j)) / f32(32))


def heat(width, height, steps=None):
    steps = steps or height * 5 // 2
    now, after = np.zeros((height, width), f32), np.zeros((height, width), f32)
    time = np.linspace(0, 2 * np.pi, steps)
    rows = (height / 2 + (height * 0.42 - 14) * np.sin(5 * time)).astype(int)
    columns = (width / 2 + (width * 0.45 - 14) * np.cos(3 * time)).astype(int)
    for row, column in zip(rows, columns):
        press(now, row, column)
        spread(now, after)
        now, after = after, now
    return np.sqrt(now)


@njit(parallel=True)
def visit(starts, steps, height, width, counts):
    parts = counts.shape[0]                                              # a histogram for each thread: there are no atomic additions
    for part in prange(parts):
        for start in range(part, starts.size * starts.size, parts):
            x, y = starts[start % starts.size], starts[start // starts.size]
            for step in range(steps):
                x, y = math.sin(1.5 * y) + 1.6 * math.cos(1.5 * x), math.sin(-1.8 * x) + 0.9 * math.cos(-1.8 * y)
                if step >= 16:
                    counts[part, int((0.5 - 0.245 * y) * height), int(0.5 * width + 0.245 * x * height)] += 1


def histogram(width, height, steps=400):
    counts = np.zeros((get_num_threads(), height, width), np.uint32)
    visit(np.linspace(-1, 1, width // 4), steps, height, width, counts)
    return np.log1p(counts.sum(axis=0, dtype=np.uint32)) ** 0.8


@njit(parallel=True)
def nearest(pixels, centres):
    labels = np.empty(pixels.shape[:2], i32)
    for i in prange(pixels.shape[0]):
        for j in range(pixels.shape[1]):
            x, y, r, g, b = pixels[i, j, 0], pixels[i, j, 1], pixels[i, j, 2], pixels[i, j, 3], pixels[i, j, 4]
            best, at = f32(np.inf), 0
            for k in range(centres.shape[0]):
                d0, d1, d2, d3, d4 = x - centres[k, 0], y - centres[k, 1], r - centres[k, 2], g - centres[k, 3], b - centres[k, 4]
                far = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3 + d4 * d4
                if far < best:
                    best, at = far, k
            labels[i, j] = at
    return labels


@njit
def add_pixels(pixels, labels, sums, sizes):
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            sizes[labels[i, j]] += 1
            for k in range(5):
                sums[labels[i, j], k] += pixels[i, j, k]


def kmeans(width, height, rounds=8):
    pixels, first = load("kmeans").picture(width, height)
    pixels = np.ascontiguousarray(pixels)
    centres = pixels.reshape(-1, 5)[first]
    for _ in range(rounds):
        labels = nearest(pixels, centres)
        sums, sizes = np.zeros((1000, 5)), np.zeros(1000)
        add_pixels(pixels, labels, sums, sizes)
        centres = (sums / np.maximum(sizes, 1)[:, np.newaxis]).astype(f32)
    glass, lead = centres[labels, 2:], 1 + height // 480
    for axis in 0, 1:
        glass[labels != np.roll(labels, lead, axis)] *= 0.12
    return glass


@njit(parallel=True)
def generation(world, after):
    rows, columns = world.shape
    for row in prange(rows):
        above, below = row - 1 if row > 0 else rows - 1, row + 1 if row + 1 < rows else 0
        for column in range(columns):
            left, right = column - 1 if column > 0 else columns - 1, column + 1 if column + 1 < columns else 0
            alive = int(world[above, left] == 255) + int(world[above, column] == 255) + int(world[above, right] == 255)
            alive += int(world[row, left] == 255) + int(world[row, column] == 255) + int(world[row, right] == 255)
            alive += int(world[below, left] == 255) + int(world[below, column] == 255) + int(world[below, right] == 255)
            now = world[row, column]
            if alive == 3 or (alive == 4 and now == 255):
                after[row, column] = 255
            else:
                after[row, column] = now - 1 if now > 0 else 0


def life(width, height, generations=255):
    world = load("life").beginning(width, height)
    after = np.empty_like(world)
    for _ in range(generations):
        generation(world, after)
        world, after = after, world
    return world.repeat(4, axis=0).repeat(4, axis=1)


@njit(parallel=True)
def stars(start, cores, dt, scale, light):
    parts, _, rows, columns = light.shape
    count = start.shape[1]
    for part in prange(parts):
        for item in range(part * count // parts, (part + 1) * count // parts):
            x, y, z, u, v, w = start[0, item], start[1, item], start[2, item], start[3, item], start[4, item], start[5, item]
            for step in range(cores.shape[0]):
                for k in range(2):
                    a, b, c = cores[step, k, 0] - x, cores[step, k, 1] - y, cores[step, k, 2] - z
                    square = a * a + b * b + c * c + f32(0.01)
                    pull = dt * cores[step, k, 3] / (square * math.sqrt(square))
                    u += a * pull
                    v += b * pull
                    w += c * pull
                x += dt * u
                y += dt * v
                z += dt * w
            row, column = int(math.floor(f32(rows) * (f32(0.5) - y * scale))), int(math.floor(f32(columns) * f32(0.5) + f32(rows) * x * scale))
            if 0 <= row < rows and 0 <= column < columns:
                light[part, 2 * item // count, row, column] += 1


@functools.cache
def make_expose():
    @vectorize(["float32(uint32, uint32, float32, float32, float32)"], target="parallel")
    def expose(first, second, cold, warm, scale):
        return f32(1) - math.exp(f32(-0.5) * ((f32(first) * cold + f32(second) * warm) * scale) ** f32(0.6))

    return expose


def nbody(width, height, count=1000000, steps=205):
    start, path = load("nbody").galaxies(count, steps)
    light = np.zeros((get_num_threads(), 2, height, width), np.uint32)
    stars(start, path, f32(0.025), f32(0.22), light)
    first, second = light.sum(axis=0, dtype=np.uint32)[..., np.newaxis]
    return make_expose()(first, second, f32([0.4, 0.62, 1]), f32([1, 0.58, 0.28]), f32(width * height / count))


@njit
def philox(seed, counter, stream):
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b, c, d = counter & mask, counter >> shift, stream & mask, stream >> shift
    low, high = seed & mask, seed >> shift
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b, c, d = (q >> shift) ^ b ^ low, q & mask, (p >> shift) ^ d ^ high, p & mask
        low, high = (low + np.uint64(0x9E3779B9)) & mask, (high + np.uint64(0xBB67AE85)) & mask
    return a, b, c, d


@njit(parallel=True)
def normals(paths):
    z = np.empty((paths, 12), f32)
    for path in prange(paths):
        for block in range(3):
            bits = philox(np.uint64(2026), np.uint64(path), np.uint64(block))
            for k in range(0, 4, 2):
                size, angle = math.sqrt(-2 * math.log((bits[k] + 1.0) / 2.0**32)), bits[k + 1] * (2 * math.pi / 2.0**32)
                z[path, 4 * block + k], z[path, 4 * block + k + 1] = size * math.cos(angle), size * math.sin(angle)
    return z


@njit(parallel=True)
def payoffs(spots, volatilities, z):
    price = np.empty((volatilities.size, spots.size), f32)
    for i in prange(volatilities.size):
        size = volatilities[i] * math.sqrt(f32(1 / 12))
        for j in range(spots.size):
            start, total = math.log(spots[j]), f32(0)
            for path in range(z.shape[0]):
                x, alive = start, True
                for month in range(12):
                    x += size * z[path, month] - f32(0.5) * size * size
                    alive = alive and x < f32(0.35)
                if alive:
                    total += max(math.exp(x) - f32(0.85), f32(0))
            price[i, j] = total / f32(z.shape[0])
    return price


@njit
def clamp(x, low, high):
    return min(max(x, low), high)


@njit(parallel=True)
def shade(horizon, price):
    depths, columns = price.shape
    picture = np.empty((depths, columns, 3), f32)
    for i in prange(depths):
        for column in range(columns):
            row, low, high = depths - 1 - i, 0, depths
            while low < high:
                middle = (low + high) // 2
                if horizon[middle, column] < row:
                    low = middle + 1
                else:
                    high = middle
            if low == 0 or low == depths:
                picture[i, column, 0] = picture[i, column, 1] = f32(0.04)
                picture[i, column, 2] = f32(0.09) if low else f32(0.06)
                continue
            p, zoom = price[low, column], f32(depths * 2)
            level, slope, rise = p * f32(2.1), (p - price[low, max(column - 1, 0)]) * zoom, (p - price[max(low - 1, 0), column]) * zoom
            light = f32(0.55) + f32(0.75) * (f32(0.7) + slope * f32(0.8) - rise * f32(0.1)) / math.sqrt(f32(1) + slope * slope + rise * rise)
            if abs(level * f32(16) - np.round(level * f32(16))) < f32(0.06):
                light *= f32(0.7)
            picture[i, column, 0] = clamp(light * clamp(f32(0.2) + f32(1.3) * level, f32(0), f32(1)), f32(0), f32(1))
            green = f32(0.12) + f32(0.35) * level + f32(0.6) * level * level
            picture[i, column, 1] = clamp(light * clamp(green, f32(0), f32(1)), f32(0), f32(1))
            blue = f32(0.5) - f32(0.25) * level + f32(0.3) * level * level
            picture[i, column, 2] = clamp(light * clamp(blue, f32(0), f32(1)), f32(0), f32(1))
    return picture


def option(width, height, paths=2048):
    finer = load("option").finer
    price = payoffs(np.linspace(0.7, 1.7, 120, dtype=f32), np.linspace(0.5, 0.04, 80, dtype=f32), normals(paths))
    price = np.ascontiguousarray(finer(height, 80) @ price @ finer(width, 120).T)
    rows = np.arange(height, dtype=i32)[:, np.newaxis]
    return shade(np.maximum.accumulate(price * height + (0.06 * height + f32(0.38) * rows), axis=0).astype(f32), price)


@njit
def unit(x, y, z):
    s = f32(1) / math.sqrt(x * x + y * y + z * z)
    return x * s, y * s, z * s


@njit
def ball(x, y, z, r):
    return math.sqrt(x * x + y * y + z * z) - r


@njit
def melt(a, b):
    h = max(f32(0.5) - abs(a - b), f32(0))
    return min(a, b) - h * h * f32(0.5)


@njit
def blob(x, y, z):
    return melt(melt(ball(x, y, z, f32(0.8)), ball(x - f32(0.5), y - f32(0.95), z - f32(0.1), f32(0.45))),
                ball(x + f32(0.8), y + f32(0.45), z + f32(0.4), f32(0.45)))


@njit
def ring(x, y, z):
    a, b = f32(0.8) * y + f32(0.6) * x, f32(0.8) * x - f32(0.6) * y
    c = math.sqrt(b * b + z * z) - f32(1.65)
    return math.sqrt(c * c + a * a) - f32(0.09)


@njit
def scene(x, y, z):
    return min(min(y + f32(1), blob(x, y, z)), ring(x, y, z))


@njit
def march(x, y, z, u, v, w):
    t, d, i = f32(0), f32(1), 0
    while i < 120 and t < f32(30) and d >= f32(0.0005):
        d = scene(x + u * t, y + v * t, z + w * t)
        t += d
        i += 1
    return t


@njit
def shadow(x, y, z, u, v, w):
    light, t, i = f32(1), f32(0.02), 0
    while i < 50 and t < f32(8) and light > f32(0.001):
        d = scene(x + u * t, y + v * t, z + w * t)
        light = min(light, f32(10) * d / t)
        t += max(d, f32(0.01))
        i += 1
    return max(light, f32(0))


@njit
def render(u, v):
    x, y, z, weight = f32(0), f32(0.7), f32(-4.6), f32(1)
    u, v, w = unit(u, v - f32(0.28), f32(1.9))
    sun = unit(f32(-0.6), f32(0.7), f32(-0.5))
    red, green, blue, e, o = f32(0), f32(0), f32(0), f32(0.001), f32(1)
    for _ in range(3):
        t, high = march(x, y, z, u, v, w), min(f32(1.5) * math.sqrt(max(v, f32(0))), o)
        r = f32(1) * (o - high) + f32(0.02) * high
        g = f32(0.4) * (o - high) + f32(0.05) * high
        b = f32(0.16) * (o - high) + f32(0.25) * high
        if t >= f32(30):
            red, green, blue = red + r * weight, green + g * weight, blue + b * weight
            break
        x, y, z = x + u * t, y + v * t, z + w * t
        d = scene(x, y, z)
        n = unit(scene(x + e, y, z) - d, scene(x, y + e, z) - d, scene(x, y, z + e) - d)
        if blob(x, y, z) < f32(0.01):
            mirror, p, q, s = f32(0.2), f32(0.02), f32(0.35) + f32(0.15) * y, f32(0.5)
        elif ring(x, y, z) < f32(0.01):
            mirror, p, q, s = f32(0.45), f32(0.9), f32(0.6), f32(0.15)
        elif (int(math.floor(x)) + int(math.floor(z))) & 1:
            mirror, p, q, s = f32(0.35), f32(0.01), f32(0.01), f32(0.02)
        else:
            mirror, p, q, s = f32(0.35), f32(0.22), f32(0.2), f32(0.2)
        k = f32(0.01)
        lit = max(n[0] * sun[0] + n[1] * sun[1] + n[2] * sun[2], f32(0))
        lit *= shadow(x + n[0] * k, y + n[1] * k, z + n[2] * k, sun[0], sun[1], sun[2])
        sky, near = f32(0.5) + f32(0.5) * n[1], math.exp(f32(-0.0025) * t * t)
        p, q, s = p * (f32(1.1) * lit + f32(0.25) * sky), q * (f32(0.95) * lit + f32(0.27) * sky), s * (f32(0.75) * lit + f32(0.36) * sky)
        share = weight * (o - mirror)
        red += (r * (o - near) + p * near) * share
        green += (g * (o - near) + q * near) * share
        blue += (b * (o - near) + s * near) * share
        weight *= mirror
        back = f32(-2) * (u * n[0] + v * n[1] + w * n[2])
        u, v, w = u + n[0] * back, v + n[1] * back, w + n[2] * back
        x, y, z = x + n[0] * k, y + n[1] * k, z + n[2] * k
    return math.sqrt(red), math.sqrt(green), math.sqrt(blue)


@njit(parallel=True)
def render_all(u, v):
    picture = np.empty((v.size, u.size, 3), f32)
    for i in prange(v.size):
        for j in range(u.size):
            r, g, b = render(u[j], v[i])
            picture[i, j, 0], picture[i, j, 1], picture[i, j, 2] = min(r, f32(1)), min(g, f32(1)), min(b, f32(1))
    return picture


def raymarch(width, height):
    u, v = (np.arange(width) * 2 - width) / height, (height - np.arange(height) * 2) / height
    return render_all(u.astype(f32), v.astype(f32))


@njit
def corner(i, j, x, y, order, slopes):
    k = order[(order[i & 255] + j) & 255]
    return slopes[k, 0] * x + slopes[k, 1] * y


@njit
def mix(a, b, t):
    return a + t * t * t * (t * (t * f32(6) - f32(15)) + f32(10)) * (b - a)


@njit
def noise(x, y, o, s):
    i, j = i32(math.floor(x)), i32(math.floor(y))
    u, v, one = x - f32(i), y - f32(j), f32(1)
    return mix(mix(corner(i, j, u, v, o, s), corner(i + 1, j, u - one, v, o, s), u),
               mix(corner(i, j + 1, u, v - one, o, s), corner(i + 1, j + 1, u - one, v - one, o, s), u), v)


@njit
def landscape(x, y, order, slopes):
    bend, sway = noise(x * f32(0.8) + f32(5), y * f32(0.8), order, slopes), noise(x * f32(0.8), y * f32(0.8) + f32(9), order, slopes)
    x, y = x + f32(0.5) * bend, y + f32(0.5) * sway
    height, size = noise(x, y, order, slopes), f32(0.55)
    for _ in range(8):
        rough = clamp(f32(0.35) + f32(1.3) * height, f32(0.15), f32(1))
        x, y = f32(1.6) * x - f32(1.2) * y + f32(17), f32(1.2) * x + f32(1.6) * y + f32(31)
        size *= f32(0.5)
        height += rough * size * (f32(0.5) - f32(1.6) * abs(noise(x, y, order, slopes)))
    return height


@njit(parallel=True)
def heights_of(width, height, cell, order, slopes):
    land = np.empty((height, width), f32)
    for i in prange(height):
        for j in range(width):
            land[i, j] = landscape(f32(j) * cell, f32(i) * cell, order, slopes)
    return land


@njit(parallel=True)
def paint_land(land, cell, scale):
    height, width = land.shape[0] - 1, land.shape[1] - 1
    picture = np.empty((height, width, 3), f32)
    for i in prange(height):
        for j in range(width):
            here = max(land[i, j], f32(0))
            a, b = (max(land[i, j + 1], f32(0)) - here) / cell, (max(land[i + 1, j], f32(0)) - here) / cell
            light = clamp((f32(1) - f32(0.5) * (a + b)) / math.sqrt(f32(1) + a * a + b * b), f32(0.05), f32(1.2))
            k = 0
            while k < scale.shape[0] - 2 and land[i, j] > scale[k + 1, 0]:
                k += 1
            t = clamp((land[i, j] - scale[k, 0]) / (scale[k + 1, 0] - scale[k, 0]), f32(0), f32(1))
            for channel in range(3):
                colour = light * (scale[k, channel + 1] + t * (scale[k + 1, channel + 1] - scale[k, channel + 1]))
                picture[i, j, channel] = min(colour, f32(1))
    return picture


def terrain(width, height):
    rng, cell = np.random.default_rng(3), f32(3.6 / height)
    order, turn = rng.permutation(256).astype(np.uint8), rng.random(256) * 2 * np.pi
    slopes = np.stack([np.cos(turn), np.sin(turn)], axis=1).astype(f32)
    return paint_land(heights_of(width + 1, height + 1, cell, order, slopes), cell, load("terrain").scale)


@njit(parallel=True)
def step(before, here, speed, calm):
    for i in prange(1, here.shape[0] - 1):
        for j in range(1, here.shape[1] - 1):
            around = here[i - 1, j] + here[i + 1, j] + here[i, j - 1] + here[i, j + 1] - f32(4) * here[i, j]
            before[i, j] = calm[i, j] * (f32(2) * here[i, j] - before[i, j] + speed[i, j] * around)


@functools.cache
def make_paint_wave():
    @vectorize(["float32(float32, float32, float32, float32, boolean)"], target="parallel")
    def paint_wave(wave, far, crest, trough, wall):
        light = math.sqrt(f32(0.03) + far) * (wave * crest if wave > 0 else -wave * trough)
        return f32(0.5) if wall else f32(1) - math.exp(f32(-5) * light)

    return paint_wave


def wave(width, height, steps=None):
    margin = height // 8
    wall, speed, calm = load("wave").basin(width, height, margin)
    before, here = np.zeros(wall.shape, f32), np.zeros(wall.shape, f32)
    for t in range(steps or int(1.5 * width)):
        here[:, margin] += f32(0.2 * np.sin(t * 125 / height))
        step(before, here, speed, calm)
        before, here = here, before
    picture = (slice(margin, -margin), slice(margin, -margin), np.newaxis)
    far = np.maximum(np.arange(width, dtype=f32) / width - f32(0.08), 0)[:, np.newaxis]
    return make_paint_wave()(here[picture], far, f32([1, 0.6, 0.2]), f32([0.15, 0.5, 1]), wall[picture])
