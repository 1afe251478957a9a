#!/usr/bin/env python3
"""Writes dtypes.txt: can_cast and promote_types of every pair of dtypes, as NumPy and ml_dtypes answer.

usage: make_dtypes.py FOLDER        (pack.py packs it)

Needs numpy and ml_dtypes. kiln departs from ml_dtypes where that has no answer or no rule:
- same_kind: bfloat16 is a floating type, so bfloat16 -> float16 passes and complex -> bfloat16 does not;
- promotion with 16-bit and wider integers and with float16, where ml_dtypes raises: as for float16, and float32.
"""
import pathlib
import sys

import ml_dtypes
import numpy as np

NAMES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
         "float16 bfloat16 float32 float64 complex64 complex128").split()
RULES = "no equiv safe same_kind unsafe".split()


def dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def cast(a, b, rule):
    if rule == "same_kind" and (a, b) == ("bfloat16", "float16"):
        return True
    if rule == "same_kind" and a.startswith("complex") and b == "bfloat16":
        return False
    return bool(np.can_cast(dtype(a), dtype(b), rule))


def promote(a, b):
    try:
        return np.promote_types(dtype(a), dtype(b)).name
    except TypeError:
        other = a if b == "bfloat16" else b
        return "float32" if other == "float16" else np.promote_types("float16", other).name


lines = [f"# numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}: from to {' '.join(RULES)} promoted"]
for a in NAMES:
    for b in NAMES:
        lines.append(f"{a} {b} {' '.join(str(int(cast(a, b, r))) for r in RULES)} {promote(a, b)}")
(pathlib.Path(sys.argv[1]) / "dtypes.txt").write_text("\n".join(lines) + "\n")
