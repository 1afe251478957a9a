#!/usr/bin/env python3
"""Writes accumulate.txt: ufunc, dtype, shape, axis, dtype asked for, dtype of the result, values, results (all comma-separated).

usage: make_accumulate.py FOLDER        (made with NumPy 2.4.6; ../../golden/pack.py packs it)
"""
import pathlib
import sys
import warnings

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
          "complex64", "complex128"]
UFUNCS = ["add", "subtract", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor",
          "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "floor_divide", "hypot", "arctan2", "logaddexp", "less"]
# Each dtype is a kernel to compile: all of them where NumPy has rules of its own, a few elsewhere.
EVERY = {"add", "maximum", "logical_or"}
FEW = ["bool", "int8", "int32", "uint64", "float32", "complex64"]
SHAPES = [((7,), 0), ((3, 4), 0), ((3, 4), -1), ((2, 3, 2), 1)]


def text(array):
    def one(x):
        if isinstance(x, (complex, np.complexfloating)):
            return f"{x.real!r}:{x.imag!r}" if not hasattr(x.real, "item") else f"{x.real.item()!r}:{x.imag.item()!r}"
        return repr(int(x)) if isinstance(x, (bool, np.bool_, int, np.integer)) else repr(float(x))
    return ",".join(one(x) for x in array.ravel()) or "-"


def main():
    random = np.random.default_rng(4)
    lines = []
    warnings.simplefilter("ignore")
    for name in UFUNCS:
        ufunc = getattr(np, name)
        for dtype in DTYPES if name in EVERY else FEW:
            for number, (shape, axis) in enumerate(SHAPES):
                for asked in [None] + (["float64", "int16", "complex64", "bool"] if number == 1 and name in EVERY else []):
                    values = random.integers(0, 2 if dtype == "bool" else 9, shape).astype(dtype)
                    if name in ("divide", "floor_divide", "logaddexp"):
                        values = np.abs(values.astype("int64") + 1).astype(dtype)
                    if dtype.startswith("complex"):
                        values = values + 1j * random.integers(-2, 3, shape).astype(dtype)
                        values = values.astype(dtype)
                    try:
                        result = ufunc.accumulate(values, axis=axis, dtype=asked)
                    except (TypeError, ValueError):
                        continue
                    shape_text = ",".join(map(str, shape))
                    lines.append(f"{name} {dtype} {shape_text} {axis} {asked or '-'} {result.dtype} {text(values)} {text(result)}")
    path = pathlib.Path(sys.argv[1]) / "accumulate.txt"
    path.write_text(f"# {path.name}: see make_accumulate.py\n" + "\n".join(lines) + "\n")
    print(len(lines), "cases")


main()
