#!/usr/bin/env python3
"""Writes views.txt: what NumPy makes of reshapes of strided arrays, and a checksum of what Python makes of slices.

A line "reshape shape strides newshape order view|copy hex" is a window of int16 elements (strides in elements) at the middle
of a buffer 0, 1, 2, …, its new shape, whether NumPy needs a copy, and the elements of the result in C order.
usage: make_views.py FOLDER        (needs NumPy; pack.py packs it)
"""
import itertools
import pathlib
import sys

import numpy as np

rng = np.random.default_rng(7)
MIDDLE = 5000
base = np.arange(2 * MIDDLE, dtype=np.int16)


def random_window():
    rank = int(rng.integers(0, 5))
    shape = [int(n) for n in rng.choice([1, 2, 3, 4, 6], rank)]
    order = rng.permutation(rank)
    strides, step = [0] * rank, int(rng.choice([1, 1, 1, 2]))
    for axis in order if rng.random() < 0.5 else range(rank)[::-1]:
        strides[axis] = step * int(rng.choice([1, 1, 1, 1, 0, -1]))
        step *= shape[axis] + int(rng.choice([0, 0, 0, 1]))
    return np.lib.stride_tricks.as_strided(base[MIDDLE:], shape, [2 * s for s in strides]), strides


def random_shape(size):
    shape = []
    while size > 1 and len(shape) < 5:
        divisors = [d for d in range(2, size + 1) if size % d == 0]
        d = int(rng.choice(divisors))
        shape.append(d)
        size //= d
    shape.append(size) if size > 1 else None
    for _ in range(int(rng.integers(0, 2))):
        shape.insert(int(rng.integers(0, len(shape) + 1)), 1)
    return shape


def text(values):
    return ",".join(str(int(v)) for v in values) or "-"


lines = []
while len(lines) < 400:
    a, strides = random_window()
    new = random_shape(a.size)
    if len(new) and rng.random() < 0.2:
        new[int(rng.integers(0, len(new)))] = -1
    order = "CF"[int(rng.integers(0, 2))]
    r = a.reshape(new, order=order)
    kind = "view" if np.shares_memory(a, r) else "copy"
    hexed = np.ascontiguousarray(r).tobytes().hex()
    lines.append(f"reshape {text(a.shape)} {text(strides)} {text(new)} {order} {kind} {hexed}")

h = 0xcbf29ce484222325
ends = [None] + list(range(-7, 8))
for n, start, stop, step in itertools.product(range(6), ends, ends, (-3, -2, -1, 1, 2, 3)):
    for byte in (",".join(map(str, range(n)[start:stop:step])) + "\n").encode():
        h = ((h ^ byte) * 0x100000001b3) & 0xffffffffffffffff
lines.append(f"slices {h:016x}")
(pathlib.Path(sys.argv[1]) / "views.txt").write_text("\n".join(lines) + "\n")
