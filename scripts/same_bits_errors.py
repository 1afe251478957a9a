#!/usr/bin/env python3
"""Measures the errors of kiln's functions with .same_bits against MPFR and MPC, in units of the last place, and writes them to docs/math.md.

usage: same_bits_errors.py KILN [--check]       (KILN: the program; needs numpy and gmpy2; some minutes)

--check compares with the page instead: results are the same everywhere, and so are the errors of these numbers. The error of a complex number is the
distance in ulp of its larger component.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import gmpy2
import numpy as np
from gmpy2 import mpc, mpfr

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "math.md"
COUNT = 40000
gmpy2.get_context().precision = 140
gmpy2.get_context().real_prec = gmpy2.get_context().imag_prec = 140
gmpy2.get_context().emax, gmpy2.get_context().emin = 100000, -100000

# name: reference, and the interval that half of the numbers are from; a third member: where the reference is asked at all
REAL = {
    "exp": (gmpy2.exp, -90, 90), "exp2": (gmpy2.exp2, -130, 130), "expm1": (gmpy2.expm1, -2, 2), "exp10": (gmpy2.exp10, -38, 38),
    "log": (gmpy2.log, 0.3, 3), "log2": (gmpy2.log2, 0.3, 3), "log10": (gmpy2.log10, 0.3, 3), "log1p": (gmpy2.log1p, -0.9, 2),
    "sin": (gmpy2.sin, -10, 10), "cos": (gmpy2.cos, -10, 10), "tan": (gmpy2.tan, -10, 10), "asin": (gmpy2.asin, -1, 1), "acos": (gmpy2.acos, -1, 1),
    "atan": (gmpy2.atan, -4, 4), "sinh": (gmpy2.sinh, -3, 3), "cosh": (gmpy2.cosh, -3, 3), "tanh": (gmpy2.tanh, -3, 3), "asinh": (gmpy2.asinh, -3, 3),
    "acosh": (gmpy2.acosh, 1, 4), "atanh": (gmpy2.atanh, -1, 1), "cbrt": (gmpy2.cbrt, -8, 8), "rsqrt": (gmpy2.rec_sqrt, 0, 8), "erf": (gmpy2.erf, -5, 5),
    "erfc": (gmpy2.erfc, -5, 27), "tgamma": (gmpy2.gamma, -20, 170), "lgamma": (lambda x: gmpy2.lgamma(x)[0], 0, 20),
    "j0": (gmpy2.j0, -30, 30), "j1": (gmpy2.j1, -30, 30), "y0": (gmpy2.y0, 0, 30), "y1": (gmpy2.y1, 0, 30),
}
TWO = {"pow": (lambda x, y: x**y, 0, 8), "hypot": (gmpy2.hypot, -8, 8), "atan2": (gmpy2.atan2, -8, 8)}
COMPLEX = {"exp": gmpy2.exp, "log": gmpy2.log, "sqrt": gmpy2.sqrt, "sin": gmpy2.sin, "cos": gmpy2.cos, "tan": gmpy2.tan, "asin": gmpy2.asin, "acos": gmpy2.acos,
           "atan": gmpy2.atan, "sinh": gmpy2.sinh, "cosh": gmpy2.cosh, "tanh": gmpy2.tanh, "asinh": gmpy2.asinh, "acosh": gmpy2.acosh, "atanh": gmpy2.atanh}


def numbers(dtype, low, high, seed, wide=0.25):
    """Half of [low, high], a quarter of all sizes, a quarter near 0 and near 1."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 2**64, COUNT, np.uint64)
    every = (bits >> 32).astype(np.uint32).view(np.float32) if dtype == np.float32 else bits.view(np.float64)
    usual = random.uniform(low, high, COUNT)
    near = np.concatenate([random.uniform(-1, 1, COUNT // 2) * 2.0 ** -random.integers(0, 30, COUNT // 2),
                           1 + random.uniform(-1, 1, COUNT - COUNT // 2) * 2.0 ** -random.integers(0, 20, COUNT - COUNT // 2)])
    kind = random.uniform(0, 1, COUNT)
    with np.errstate(all="ignore"):
        return np.where(kind < 0.5, usual, np.where(kind < 1 - wide, near, every.astype(np.float64))).astype(dtype)


def run(kiln, declaration, operands):
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i, operand in enumerate(operands):
            names.append(os.path.join(folder, f"{i}.npy"))
            np.save(names[-1], operand)
        out = os.path.join(folder, "out.npy")
        subprocess.run([kiln, "eval", "--same-bits", declaration, *names, "-o", out], check=True, env={**os.environ, "KILN_DEVICE": "cpu"})
        return np.load(out)


def ulp(want, dtype):
    """Of the number that is nearest."""
    least, digits = (-149, 24) if dtype == np.float32 else (-1074, 53)
    exponent = least if want == 0 else gmpy2.get_exp(want) - digits
    return gmpy2.exp2(max(exponent, least))


def worst(got, wants, dtype, sizes=None):
    largest = 0.0
    most = float(np.finfo(dtype).max)
    for i, want in enumerate(wants):
        if want is None or not gmpy2.is_finite(want) or abs(want) > most or not np.isfinite(got[i]):
            continue
        largest = max(largest, float(abs(mpfr(float(got[i])) - want) / ulp(want if sizes is None else sizes[i], dtype)))
    return largest


def text(error):
    return f"{np.ceil(error * 100) / 100:.2f}"


def asked(name, x):
    if name == "lgamma":  # which has zeros at negative numbers
        return x > 0
    if name in ("j0", "j1", "y0", "y1"):  # likewise, where the error is one of the amplitude
        return np.abs(x) < 1e5
    return np.isfinite(x)


def real_errors(kiln, name):
    function, low, high = REAL[name]
    errors = []
    for dtype in (np.float32, np.float64):
        x = numbers(dtype, low, high, 1)
        x = x[np.isfinite(x) & asked(name, x)]
        type_name = np.dtype(dtype).name
        got = run(kiln, f"{type_name} f({type_name} x) = {name}(x)", [x])
        wants, sizes = [], None
        for value in x:
            with gmpy2.local_context(gmpy2.get_context()):
                want = function(mpfr(float(value)))
            wants.append(want if gmpy2.is_finite(want) else None)
        if name in ("j0", "j1", "y0", "y1"):
            sizes = [None if w is None else max(abs(w), min(gmpy2.sqrt(2 / (gmpy2.const_pi() * abs(mpfr(float(v) or 1.0)))), mpfr(1)))
                     for v, w in zip(x, wants)]
        errors.append(text(worst(got, wants, dtype, sizes)))
    return errors


def two_errors(kiln, name):
    function, low, high = TWO[name]
    errors = []
    for dtype in (np.float32, np.float64):
        x, y = numbers(dtype, low, high, 1, 0.1), numbers(dtype, -8, 8, 2, 0.1)
        keep = np.isfinite(x) & np.isfinite(y) & ((name != "pow") | (x > 0))
        x, y = x[keep], y[keep]
        type_name = np.dtype(dtype).name
        got = run(kiln, f"{type_name} f({type_name} x, {type_name} y) = {name}(x, y)", [x, y])
        wants = [function(mpfr(float(a)), mpfr(float(b))) for a, b in zip(x, y)]
        errors.append(text(worst(got, wants, dtype)))
    return errors


def complex_errors(kiln, name):
    function = COMPLEX[name]
    errors = []
    for dtype, part in ((np.complex64, np.float32), (np.complex128, np.float64)):
        random = np.random.default_rng(3)
        x, y = (np.where(random.uniform(0, 1, COUNT // 4) < 0.5, random.uniform(-8, 8, COUNT // 4),
                         random.uniform(-1, 1, COUNT // 4) * 2.0 ** random.integers(-20, 6, COUNT // 4)) for _ in range(2))
        z = (x.astype(part) + 1j * y.astype(part)).astype(dtype)
        type_name = np.dtype(dtype).name
        got = run(kiln, f"{type_name} f({type_name} z) = {name}(z)", [z])
        wants = [function(mpc(complex(value))) for value in z]
        sizes = [max(abs(w.real), abs(w.imag)) for w in wants]
        errors.append(text(max(worst(got.real, [w.real for w in wants], part, sizes), worst(got.imag, [w.imag for w in wants], part, sizes))))
    return errors


def main():
    kiln = sys.argv[1]
    rows = ["| function | float32 | float64 |", "| --- | --- | --- |"]
    rows += [f"| `{name}` | " + " | ".join(real_errors(kiln, name)) + " |" for name in REAL]
    rows += [f"| `{name}` | " + " | ".join(two_errors(kiln, name)) + " |" for name in TWO]
    rows += ["", "| function | complex64 | complex128 |", "| --- | --- | --- |"]
    rows += [f"| `{name}` | " + " | ".join(complex_errors(kiln, name)) + " |" for name in COMPLEX]
    table = "\n".join(rows)
    page = PAGE.read_text(encoding="utf-8")
    there = re.search(r"\| function \| float32 \| float64 \|\n.*?\| function \| complex64 \| complex128 \|\n(?:\|[^\n]*\n)*", page, re.S)
    if there is None:
        sys.exit(f"{PAGE} has no tables of these errors; the new ones:\n{table}")
    if "--check" in sys.argv:
        if there[0].strip() != table:
            sys.exit(f"the errors in {PAGE} are not those of these kernels; run scripts/same_bits_errors.py. The new ones:\n{table}")
        return
    PAGE.write_text(page[:there.start()] + table + "\n" + page[there.end():], encoding="utf-8")


main()
