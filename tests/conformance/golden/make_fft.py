#!/usr/bin/env python3
"""Writes fft.txt with NumPy 2 (make_fft.py FOLDER; ../../golden/pack.py packs it): calls of numpy.fft over dtypes, layouts, lengths,
axes, norms and .out. Lines and operands are those of calls.txt (make_calls.py); `out` is a dtype, whose array is new, or "a"."""
import pathlib
import random
import sys

import numpy as np

import make_calls
from make_calls import ALL, Operand, numbers, result_text

FOLDER = pathlib.Path(sys.argv[1])
rng = random.Random(20261126)
make_calls.rng = rng
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16]
REAL = [d for d in ALL if not d.startswith("complex")]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
TAKE_REAL = ("rfft", "ihfft")


def short(x):
    return f"{float(x):.17g}"


def texts(result):
    if np.iscomplexobj(result):
        return " ".join(short(x.real) + "," + short(x.imag) for x in result.flatten(order="C"))
    return " ".join(short(x) for x in result.flatten(order="C"))


def dtype_for(name):
    usual = ["float32", "float64"] if name.startswith(TAKE_REAL) else ["float32", "float64", "complex64", "complex128"]
    return rng.choice(usual if rng.random() < 0.75 else REAL if name.startswith(TAKE_REAL) and rng.random() < 0.95 else ALL)


def shape_for(rank):
    while True:
        shape = [rng.choice(LENGTHS if i == 0 else LENGTHS[:6]) for i in range(rank)]
        rng.shuffle(shape)
        if np.prod(shape) <= 96:
            return shape


def length(extent):
    return rng.choice([extent, extent + 1, max(extent - 1, 1), rng.choice(LENGTHS[:10])])


def case(name):
    one = name in ONE
    rank = rng.choice([1, 1, 2, 3] if one else [2, 2, 3, 4])
    shape = shape_for(rank)
    if rng.random() < 0.03:
        shape[rng.randrange(rank)] = 0
    a = Operand(dtype_for(name), shape, plain=rng.random() < 0.4)
    fields, options = {"a": str(a)}, {}
    if one:
        axis = rng.randrange(-rank, rank)
        options["axis"] = axis
        if rng.random() < 0.4:
            options["n"] = 0 if rng.random() < 0.05 else length(shape[axis])
    else:
        if name.endswith("2"):
            axes = rng.sample(range(rank), 2)
        else:
            axes = [rng.randrange(-rank, rank) for _ in range(rng.randint(1, rank))] if rng.random() < 0.2 else rng.sample(range(rank), rng.randint(1, rank))
        if rng.random() < 0.7:
            options["axes"] = axes
        elif name.endswith("2"):
            axes = [-2, -1]
        else:
            axes = list(range(-rank, 0))
        if rng.random() < 0.4:
            options["s"] = [-1 if rng.random() < 0.2 else length(shape[x]) for x in axes]
    if rng.random() < 0.5:
        options["norm"] = rng.choice(["backward", "ortho", "forward"])
    fields |= {k: v if isinstance(v, (str, int)) else numbers(v) for k, v in options.items()}

    def call(**more):
        return getattr(np.fft, name)(a.make(), **options, **more)

    try:
        result = call()
    except (TypeError, ValueError, IndexError):
        return fields, "error"
    # NumPy 2.4 reads what is not there where an empty axis is filled up for irfft.
    if result.size > 64 or (result.size > 0 and 0 in shape and name.startswith(("irfft", "hfft"))):
        return None
    if rng.random() < 0.25:
        to = rng.choice(["a", str(result.dtype), "complex64", "complex128", "float64", "float32"])
        fields["out"] = to
        if to == "a":
            # kiln gives what a fresh array would have, rounded to the input's dtype.
            repeats = any(step == 0 and extent > 1 for step, extent in zip(a.steps, shape))
            if result.shape != tuple(shape) or repeats or not np.can_cast(result.dtype, a.dtype, "same_kind"):
                return fields, "error"
            result = result.astype(a.dtype)
        elif not np.can_cast(result.dtype, to, "same_kind"):
            return fields, "error"
        else:
            result = result.astype(to)
    return fields, f"{result.dtype} {numbers(result.shape)} {texts(result)}".rstrip()


def shift_case(name):
    shape = shape_for(rng.choice([1, 2, 3]))
    a = Operand(rng.choice(ALL), shape)
    fields, options = {"a": str(a)}, {}
    if rng.random() < 0.5:
        options["axes"] = [rng.randrange(-len(shape), len(shape)) for _ in range(rng.randint(1, 2))]
        fields["axes"] = numbers(options["axes"])
    return fields, result_text(getattr(np.fft, name)(a.make(), **options))


def frequency_case(name):
    n, d = rng.choice([*LENGTHS, 100, 0, -1]), rng.choice([1.0, 0.5, 0.1, 3.0, 0.0])
    try:
        return {"n": n, "d": d}, result_text(getattr(np.fft, name)(n, d))
    except (ValueError, ZeroDivisionError):
        return {"n": n, "d": d}, "error"


if __name__ == "__main__":
    lines, errors = [f"# Made by make_fft.py with NumPy {np.__version__}."], 0
    for names, count, make in ((ONE, 30, case), (SEVERAL, 26, case), (["fftshift", "ifftshift"], 12, shift_case), (["fftfreq", "rfftfreq"], 10, frequency_case)):
        for name in names:
            made = 0
            while made < count:
                got = make(name)
                if got is None or (got[1] == "error" and (errors := errors + 1) % 3):
                    continue
                made += 1
                lines.append(" ".join(["fft", name] + [f"{k}={v}" for k, v in got[0].items()]) + " -> " + got[1])
    (FOLDER / "fft.txt").write_text("\n".join(lines) + "\n")
