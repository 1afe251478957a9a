#!/usr/bin/env python3
"""Writes print.txt: arrays and what str() of NumPy 2 says of them, and digits.txt: checksums of many numbers' digits.

A case of print.txt is "= dtype shape hex", the elements in C order (little-endian, "hex*N" repeats one element N times,
"a:b" are the integers from a to b-1 converted to the dtype), then the text, every line with "|" before it.
bfloat16, which NumPy does not print itself, is laid out by NumPy as float32, with digits made here by exact arithmetic.
usage: make_print.py FOLDER        (pack.py packs it)

Needs numpy (2.4 or later: the rule for exponents changed) and ml_dtypes.
"""
import decimal
import fractions
import pathlib
import sys

import ml_dtypes
import numpy as np
from numpy._core import arrayprint

FOLDER = pathlib.Path(sys.argv[1])
BF16 = np.dtype(ml_dtypes.bfloat16)
rng = np.random.default_rng(20240607)


def shortest_bfloat16(x):
    """The fewest digits that read back as x; of those the nearest. By exact arithmetic. (digits, exponent)"""
    exact = fractions.Fraction(float(x))
    exponent = decimal.Decimal(float(x)).adjusted()
    for n in range(1, 8):
        unit = fractions.Fraction(10) ** (exponent - n + 1)
        low = exact // unit
        fits = [k for k in (low, low + 1) if k > 0 and ml_dtypes.bfloat16(float(k * unit)) == x]
        if fits:
            best = min(fits, key=lambda k: (abs(k * unit - exact), k % 2))
            return best, exponent - n + 1
    raise AssertionError(x)


def number(x):
    """Sign, digits, exponent of a bfloat16: d.ddd x 10^exponent, no zeros at the end."""
    if x == 0:
        return "-" if np.signbit(x) else "", "0", 0
    digits, exponent = shortest_bfloat16(abs(x))
    exponent += len(str(digits)) - 1
    return "-" if x < 0 else "", str(digits).rstrip("0"), exponent


def positional(x, precision=-1, trim=".", sign=False, pad_left=0, pad_right=0, **ignored):
    minus, digits, exponent = number(x)
    text = format(decimal.Decimal(f"{digits}e{exponent - len(digits) + 1}"), "f")
    whole, _, fraction = text.partition(".")
    if 0 <= precision < len(fraction):
        whole, _, fraction = format(decimal.Decimal(float(abs(x))), f".{precision}f").partition(".")
    fraction = fraction.rstrip("0") or ("0" if trim == "0" else "")
    whole = (minus or ("+" if sign else "")) + whole
    return whole.rjust(pad_left) + "." + fraction.ljust(pad_right)


def scientific(x, precision=-1, trim="k", sign=False, pad_left=0, exp_digits=2, min_digits=0, **ignored):
    minus, digits, exponent = number(x)
    wanted = max(len(digits) - 1, min_digits)
    if wanted != len(digits) - 1 or 0 <= precision < wanted:
        wanted = min(wanted, precision)
        rounded = format(float(abs(x)), f".{wanted}e")
        digits, exponent = rounded[:rounded.index("e")].replace(".", ""), int(rounded[rounded.index("e") + 1:])
    fraction = digits[1:] if trim == "k" else digits[1:].rstrip("0")
    point = "" if trim == "-" and not fraction else "."
    whole = (minus or ("+" if sign else "")) + digits[0]
    return f"{whole.rjust(pad_left)}{point}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):0{exp_digits}d}"


def bfloat16_text(a):
    """NumPy's own layout of float32 numbers, with the digits replaced by bfloat16's."""
    if a.shape == ():
        x = a[()].astype(np.float32)
        if not np.isfinite(x) or x == 0:
            return str(x)
        return positional(x, trim="0") if 1e-4 <= abs(x) < 1e6 else scientific(x, trim="-")
    kept = arrayprint.dragon4_positional, arrayprint.dragon4_scientific
    arrayprint.dragon4_positional, arrayprint.dragon4_scientific = positional, scientific
    try:
        return str(a.astype(np.float32))
    finally:
        arrayprint.dragon4_positional, arrayprint.dragon4_scientific = kept


def text(a):
    return bfloat16_text(a) if a.dtype == BF16 else str(a[()] if a.shape == () else a)


cases = []


def case(a, dtype=None, data=None):
    a = np.asarray(a) if dtype is None else np.asarray(a).astype(dtype)
    shape = ",".join(map(str, a.shape)) or "-"
    data = data or np.ascontiguousarray(a).tobytes().hex() or "-"
    cases.append("\n".join([f"= {a.dtype.name} {shape} {data}"] + ["|" + line for line in text(a).split("\n")]))


def count(shape, dtype, start=0):
    n = int(np.prod(shape))
    case(np.arange(start, start + n).astype(dtype).reshape(shape), data=f"{start}:{start + n}")


def full(shape, value, dtype):
    a = np.full(shape, value, dtype=dtype)
    case(a, data=f"{a.ravel()[:1].tobytes().hex()}*{a.size}")


INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", BF16, "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
nan, inf = np.nan, np.inf

for dt in ["bool"] + INTS + FLOATS + COMPLEX:                    # every dtype: empty, 0-d, rows, summaries
    case(np.zeros(0), dt)
    case(np.zeros((2, 0, 3)), dt)
    case(1, dt)
    case([[0, 1], [1, 0], [1, 1]], dt)
    case(np.arange(30) % 2, dt)
    count((1001,), dt)
    count((40, 40), dt)
for dt in INTS:
    info = np.iinfo(dt)
    case(np.array([info.min, 0, info.max], dtype=dt))
    case(np.array(info.min, dtype=dt))
    case(rng.integers(info.min, info.max, (3, 4), dtype=dt))
for dt in FLOATS:
    for v in (0.0, -0.0, 0.1, -2.5, 1e-4, 9e-5, 999, 1000, 65504, 123456, 1e6, 3.4e-5, nan, inf, -inf, 1 / 3):
        if dt != "float16" or not 65504 < abs(v) < inf:
            case(v, dt)
    for v in ([0.1, 0.2, 0.3], [1, 10, 100], [1, 1000], [1, 1001], [0.001, 1], [0.00099, 1], [-1, 2], [-0.0, 0.0],
              [1.5, nan, -inf], [nan, nan], [inf, -inf], [nan], [-inf], [inf, 1], [1e-5, 1], [1e-5, nan, -1], [1e-7, 1e7],
              [999.5, 0.5], [12345.678, 1], [0.0001, 0.1], [0, 0, 1e-3], [65500, -65500], [2048, 1], [99999, 2], [1e6, 1e6]):
        with np.errstate(over="ignore"):
            case(v, dt)
    case(rng.normal(size=(3, 5)), dt)
    case(rng.normal(size=(2, 2, 4)) * 100, dt)
    case(np.exp(rng.normal(size=20) * 3), dt)
    case(rng.normal(size=(4, 7)).T, dt)
case([1e8, 1], "float64"); case([99999999.0, 1], "float64"); case([99999999.0, 100000], "float64")
case([1e300, 1e-300], "float64"); case([5e-324], "float64"); case([1.7976931348623157e308, -1], "float64")
case([1e16, 1], "float64"); case(1e16, "float64"); case(1e15, "float64"); case(123456789012345680.0, "float64")
case([0.1 + 0.2, 1 / 3, 2 / 3], "float64"); case([1 / 3, 1e-10], "float64"); case([0.000123456789012, 1.0], "float64")
case([3.4028235e38, 1e-45], "float32"); case([16777216, 0.1], "float32"); case(16777216, "float32")
case([0.1, 1.1754944e-38], "float32"); case([123.456789, 0.001], "float32"); case([1e10, 1.5, 1 / 3], "float32")
case([6e-8, 6.1e-5, 1], "float16"); case([0.3333, 1000, 0.1], "float16"); case([2049, 2051, 4099], "float16")
case([128, 256, 3.3895314e38], BF16); case([9.2e-41, 1], BF16)
for dt in COMPLEX:
    for v in (1 + 2j, 1j, -1j, 0, complex(-0.0, 1), 1e6 + 1e-6j, complex(nan, inf), complex(0, -inf), 1 / 3 + 2j / 3, 1e20 + 1j):
        case(v, dt)
    case([1 + 2j, 3 - 4.5j], dt)
    case([[1e-5 + 1j, 2], [3, 1e5j]], dt)
    case([complex(nan, 1), complex(1, nan), complex(-inf, inf)], dt)
    case([complex(1, -0.0), complex(-0.0, -1)], dt)
    case(rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3)), dt)
    case(np.exp(rng.normal(size=6) * 4) - 1j * np.exp(rng.normal(size=6)), dt)
for shape in ((1,), (1, 1), (1, 1, 1), (3, 1, 2), (2, 3, 2, 2), (1, 30), (26,), (25,), (2, 2, 40)):
    count(shape, "int32")
    count(shape, "float64")
count((7, 200), "uint16"); count((200, 7), "int32", -700); count((6, 6, 30), "int32"); count((7, 7, 7, 7), "uint16")
count((3, 1000), "float32"); count((1000, 3), "float64"); count((1000,), "int64"); count((2000, 1), "int32"); count((1, 1001), "int16")
full((1001,), 1 / 3, "float64"); full((40, 30), -1e-9, "float32"); full((33, 33), nan, "float32"); full((11, 11, 11), True, "bool")
full((5, 300), 1.25 - 3j, "complex64"); full((1, 1, 1200), 1e10, "float64")

(FOLDER / "print.txt").write_text("\n".join(cases) + "\n")


def fnv1a(words):
    h = 0xcbf29ce484222325
    for byte in ("\n".join(words) + "\n").encode():
        h = ((h ^ byte) * 0x100000001b3) & 0xffffffffffffffff
    return h


def splitmix(n):
    state = 0
    for _ in range(n):
        state = (state + 0x9e3779b97f4a7c15) & 0xffffffffffffffff
        z = state
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & 0xffffffffffffffff
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & 0xffffffffffffffff
        yield z ^ (z >> 31)


halves = np.arange(1, 0x7c00, dtype=np.uint16).view(np.float16)
brains = np.arange(1, 0x7f80, dtype=np.uint16).view(BF16)
doubles = [z for z in splitmix(20000) if (z >> 52) & 0x7ff != 0x7ff]
doubles = np.array(doubles, dtype=np.uint64).view(np.float64)
singles = [z & 0xffffffff for z in splitmix(20000) if (z >> 23) & 0xff != 0xff]
singles = np.array(singles, dtype=np.uint32).view(np.float32)
sci = np.format_float_scientific
digits = [
    ("float16", "shortest", [sci(x, trim=".") for x in halves]),
    ("bfloat16", "shortest", [scientific(x, trim=".") for x in brains]),
    ("float32", "shortest", [sci(x, trim=".") for x in singles]),
    ("float64", "shortest", [sci(x, trim=".") for x in doubles]),
    ("float32", "precision8", [sci(x, precision=8, trim=".") for x in singles]),
    ("float64", "precision8", [sci(x, precision=8, trim=".") for x in doubles]),
    ("float16", "min8", [sci(x, precision=8, min_digits=8) for x in halves]),
    ("float32", "min8", [sci(x, precision=8, min_digits=8) for x in singles]),
    ("float64", "min8", [sci(x, precision=8, min_digits=8) for x in doubles]),
]
(FOLDER / "digits.txt").write_text("".join(f"{d} {what} {len(words)} {fnv1a(words):016x}\n" for d, what, words in digits))
