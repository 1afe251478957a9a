#!/usr/bin/env python3
"""Writes reductions.txt with NumPy 2 (make_reductions.py FOLDER; ../../golden/pack.py packs it). Each line is one reduce:
ufunc dtype shape axes keepdims initial where dtype -> dtype shape values, or "-> error". Element i of the array is element(i),
of the mask mask(i); "*" stands for all axes, "-" for nothing. Left out: what C++ leaves open (negative floats to unsigned
integers), power (NumPy refuses negative integer exponents), and arctan2, where NumPy 2.4's
vector loop gives another number in a reduction than in a call."""
import pathlib
import random
import sys
import warnings

import numpy as np

DTYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128").split()
UFUNCS = ("add multiply subtract maximum minimum fmax fmin logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor "
          "gcd lcm less equal divide floor_divide hypot logaddexp left_shift").split()
SHAPES = [(), (1,), (5,), (3, 4), (4, 1, 3), (2, 3, 4), (0,), (0, 3), (3, 0), (2, 2, 2, 2)]


def data(dtype, shape):
    n = int(np.prod(shape, dtype=np.int64))
    values = [(i * 7919 + 13) % 23 - (0 if dtype == "bool" or dtype.startswith("u") else 11) for i in range(n)]
    return np.array(values, np.int64).astype(dtype).reshape(shape)


def mask(shape):
    n = int(np.prod(shape, dtype=np.int64))
    return np.array([(i * 5) % 3 != 0 for i in range(n)], bool).reshape(shape)


def number(value):
    if isinstance(value, (complex, np.complexfloating)):
        return f"{float(value.real).hex()}:{float(value.imag).hex()}"
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    return str(int(value))


def listed(numbers):
    return ",".join(str(n) for n in numbers) or "-"


def case(source):
    name, dtype, shape = source.choice(UFUNCS), source.choice(DTYPES), source.choice(SHAPES)
    ndim = len(shape)
    axes = source.choice(["*", "one", "one", "one", "several", "none"])
    if axes == "one":
        axis = source.randrange(-ndim, ndim) if ndim else source.choice([0, -1])
        text = str(axis)
    elif axes == "several":
        axis = tuple(sorted(source.sample(range(ndim), source.randint(1, ndim)))) if ndim else ()
        text = listed(axis)
    else:
        axis, text = (None, "*") if axes == "*" else ((), "-")
    keepdims = source.random() < 0.3
    options = {}
    initial = "-"
    if source.random() < 0.3:
        initial = source.randint(0, 9)
        options["initial"] = initial
    where = source.random() < 0.3
    if where:
        options["where"] = mask(shape)
    forced = source.choice(DTYPES) if source.random() < 0.15 else "-"
    if forced.startswith("u") and dtype[0] in "fc":
        return None
    if forced != "-":
        options["dtype"] = forced
    fields = f"{name} {dtype} {listed(shape) if ndim else '()'} {text} {int(keepdims)} {initial} {int(where)} {forced}"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = getattr(np, name).reduce(data(dtype, shape), axis=axis, keepdims=keepdims, **options)
        except (TypeError, ValueError, OverflowError):
            return f"{fields} -> error"
    result = np.asarray(result)
    return f"{fields} -> {result.dtype} {listed(result.shape) if result.ndim else '()'} {listed(number(v) for v in result.ravel().tolist())}"


def main():
    source = random.Random(4)
    lines = sorted({case(source) for _ in range(2500)} - {None})
    header = [f"# Made by make_reductions.py with NumPy {np.__version__}.", "# ufunc dtype shape axes keepdims initial where dtype -> dtype shape values"]
    path = pathlib.Path(sys.argv[1]) / "reductions.txt"
    path.write_text("\n".join(header + lines) + "\n")


if __name__ == "__main__":
    main()
