#!/usr/bin/env python3
"""Writes stages.txt with NumPy 2 (make_stages.py FOLDER; ../../golden/pack.py packs it): what reductions of several stages give.
Each line is one call: kind dtype shape shape2 axes keepdims where nan -> shape values[|values], or "-> error". Element i of an
input is element(i), of the mask mask(i); "*" stands for all axes, "-" for nothing. Where nothing counts argmax and argmin
give -1, mean and variance nan, dot and logsumexp what a sum of nothing gives; minmax has no identity."""
import pathlib
import random
import sys
import warnings

import numpy as np

FLOATS = "float16 float32 float64".split()
NUMBERS = FLOATS + "bool int8 int32 int64 uint8 uint64".split()
KINDS = {"argmax": NUMBERS, "argmin": NUMBERS, "mean_var": FLOATS + ["int32", "uint8"], "dot": ["float32", "float64", "int32", "complex64"],
         "logsumexp": ["float32", "float64"], "minmax": NUMBERS}
SHAPES = [(), (1,), (7,), (3, 4), (4, 1, 3), (2, 3, 4), (0,), (0, 3), (3, 0), (2, 3, 2, 2), (65,), (3, 130), (130, 3)]


def data(dtype, shape, nan, start=0):
    n = int(np.prod(shape, dtype=np.int64))
    lowest = 0 if dtype == "bool" or dtype.startswith("u") else 11
    values = np.array([((i + start) * 7919 + 13) % 23 - lowest for i in range(n)], np.int64).astype(dtype)
    if nan:
        values[5::17] = np.nan
    return values.reshape(shape)


def mask(shape):
    n = int(np.prod(shape, dtype=np.int64))
    return np.array([(i * 5) % 3 != 0 for i in range(n)], bool).reshape(shape)


def number(value):
    if isinstance(value, complex):
        return f"{value.real.hex()}:{value.imag.hex()}"
    return value.hex() if isinstance(value, float) else str(int(value))


def listed(numbers):
    return ",".join(str(n) for n in numbers) or "-"


def best_place(values, counts, best):
    """For each row the place of the best element that counts; -1 where none does."""
    if values.ndim == 1:
        places = np.flatnonzero(counts)
        return np.int64(places[best(values[places])]) if places.size else np.int64(-1)
    return np.array([best_place(v, c, best) for v, c in zip(values, counts)], np.int64).reshape(values.shape[:-1])


def logsumexp(x, counts):
    x = np.where(counts, x, -np.inf)
    top = x.max(axis=-1, keepdims=True, initial=-np.inf)
    safe = np.where(np.isinf(top), 0, top)
    return np.log(np.exp(x - safe).sum(axis=-1)) + safe[..., 0]


def results(kind, x, y, counts, masked):
    """Of rows: what is reduced is the last axis."""
    if kind in ("argmax", "argmin"):
        return [best_place(x, counts, np.argmax if kind == "argmax" else np.argmin)]
    if kind == "mean_var":
        wide = x.astype(np.float64)
        return [np.mean(wide, axis=-1, where=counts), np.var(wide, axis=-1, where=counts)]
    if kind == "dot":
        return [np.sum(x * y, axis=-1, where=counts, dtype=x.dtype)]
    if kind == "logsumexp":
        return [logsumexp(x.astype(np.float64), counts)]
    if masked:
        raise ValueError("no identity")
    return [x.min(axis=-1), x.max(axis=-1)]


def case(source):
    kind = source.choice(list(KINDS))
    dtype = source.choice(KINDS[kind])
    shape = source.choice(SHAPES)
    other = None
    if kind == "dot":
        other = tuple(1 if source.random() < 0.3 else n for n in shape)[source.randint(0, len(shape)) if source.random() < 0.3 else 0:]
    ndim = len(shape)
    how = source.choice(["*", "one", "one", "several"])
    if how == "*" or ndim == 0:
        axes, text = tuple(range(ndim)), "*"
    else:
        axes = tuple(sorted(source.sample(range(ndim), 1 if how == "one" else source.randint(1, ndim))))
        text = listed(a - ndim if source.random() < 0.3 else a for a in axes)
    keepdims = source.random() < 0.3
    masked = source.random() < 0.3
    nan = dtype in FLOATS and kind in ("argmax", "argmin", "minmax") and source.random() < 0.3
    x = data(dtype, shape, nan)
    y = np.broadcast_to(data(dtype, other, False, 5), shape) if other is not None else x
    counts = mask(shape) if masked else np.ones(shape, bool)
    kept = [a for a in range(ndim) if a not in axes]
    rows = [np.transpose(a, kept + list(axes)).reshape([shape[k] for k in kept] + [int(np.prod([shape[a] for a in axes], dtype=np.int64))])
            for a in (x, y, counts)]
    shown = "-" if other is None else listed(other) if other else "()"
    fields = f"{kind} {dtype} {listed(shape) if ndim else '()'} {shown} {text} {int(keepdims)} {int(masked)} {int(nan)}"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            outputs = [np.asarray(r) for r in results(kind, *rows, masked)]
        except ValueError:
            return f"{fields} -> error"
    result_shape = [1 if a in axes else shape[a] for a in range(ndim)] if keepdims else [shape[a] for a in kept]
    values = "|".join(listed(number(v) for v in output.ravel().tolist()) for output in outputs)
    return f"{fields} -> {listed(result_shape) if result_shape else '()'} {values}"


def main():
    source = random.Random(11)
    lines = sorted({case(source) for _ in range(1200)})
    header = [f"# Made by make_stages.py with NumPy {np.__version__}.", "# kind dtype shape shape2 axes keepdims where nan -> shape values"]
    (pathlib.Path(sys.argv[1]) / "stages.txt").write_text("\n".join(header + lines) + "\n")


if __name__ == "__main__":
    main()
