#!/usr/bin/env python3
"""Prints the coefficients of kernels-src/math/own_*.hpp and same_*.hpp: minimax polynomials and quotients of them, by the second algorithm of Remez.

usage: minimax.py [NAME…]        (needs mpmath; a minute)

Each line: the name, the largest error relative to what the function computes before coefficients are rounded, and the coefficients, lowest
power first, as C++ writes them.
"""
import sys

import mpmath as mp

mp.mp.prec = 200
TINY = mp.mpf(2) ** -30  # near 0 quotients such as log1p(x) / x are taken at a limit
LN2 = mp.log(2)
SMALL = mp.mpf("0.34660")  # log(2) / 2 and what rounding n adds
LOG_Z = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001")
TAN_Z = (mp.sqrt(2) - 1) ** 2 * mp.mpf("1.0001")
EIGHTH = (mp.pi / 4 * mp.mpf("1.0001")) ** 2
STEP = LN2 / 32 * mp.mpf("1.001")


def extrema_of(errors, count):
    """The places of the largest error of each run of one sign, at most `count` of them."""
    extrema = []
    for k, e in enumerate(errors):
        if not extrema or (errors[extrema[-1]] > 0) != (e > 0):
            extrema.append(k)
        elif abs(e) > abs(errors[extrema[-1]]):
            extrema[-1] = k
    while len(extrema) > count:
        extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
    return extrema


def remez(function, weight, low, high, count, rounds=12, grid=300):
    """(error, coefficients) of the polynomial p with the least largest |p - function| * weight on [low, high]."""
    low, high = mp.mpf(low), mp.mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    grid_points = [middle - half * mp.cos(mp.pi * i / grid) for i in range(grid + 1)]
    known = [(x, function(x), weight(x)) for x in grid_points]
    points = [middle - half * mp.cos(mp.pi * (2 * i + 1) / (2 * count + 2)) for i in range(count + 1)]
    best = None
    for _ in range(rounds):
        matrix, right = mp.matrix(count + 1, count + 1), mp.matrix(count + 1, 1)
        for i, x in enumerate(points):
            for j in range(count):
                matrix[i, j] = x**j * weight(x)
            matrix[i, count] = (-1) ** i
            right[i] = function(x) * weight(x)
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[j] for j in range(count)]
        errors = [(mp.polyval(coefficients[::-1], x) - y) * w for x, y, w in known]
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[0]:
            best = (worst, coefficients)
        extrema = extrema_of(errors, count + 1)
        if len(extrema) < count + 1:
            break
        points = [grid_points[k] for k in extrema]
    return best


def cubic_atanh(z):
    """(atanh(s) / s - 1) / z of z = s^2."""
    s = mp.sqrt(z)
    return (mp.atanh(s) / s - 1) / z


def root(z, of):
    return (of(mp.sqrt(z)) / mp.sqrt(z) - 1) / z


def erfcx_by_t(t):
    x = 2 * (1 / t - 1)
    return mp.exp(x * x) * mp.erfc(x) / t


def near(x, limit, value):
    return limit if abs(x) < TINY**2 else value(x)


# name: function, weight, interval, count of coefficients, bits of a coefficient
FITS = {
    # log1p and acosh of float32: (log(1 + f) - f + f^2 / 2) / f^3; weights make errors relative to the function
    "log1p float32": (lambda f: (mp.log1p(f) - f + f * f / 2) / f**3 if abs(f) > TINY else mp.mpf(1) / 3,
                      lambda f: abs(f**3 / mp.log1p(f)) if f else TINY**2, mp.sqrt(2) / 2 - 1, mp.sqrt(2) - 1, 9, 24),
    # log1p of float64: (log((1 + s) / (1 - s)) / s - 2) / z of z = s^2
    "log1p float64": (lambda z: 2 * cubic_atanh(z), lambda z: z / 2, TINY, LOG_Z, 7, 53),
    # tanh: (exp(r) - 1 - r) / r^2
    "expm1 float32": (lambda r: near(r, mp.mpf(1) / 2, lambda r: (mp.expm1(r) - r) / r**2),
                      lambda r: abs(r**2 / mp.expm1(r)) if r else TINY, -SMALL, SMALL, 5, 24),
    "expm1 float64": (lambda r: near(r, mp.mpf(1) / 2, lambda r: (mp.expm1(r) - r) / r**2),
                      lambda r: abs(r**2 / mp.expm1(r)) if r else TINY, -SMALL, SMALL, 11, 53),
    # sinh: (sinh(r) / r - 1) / z and (cosh(r) - 1) / z of z = r^2
    "sinh float32": (lambda z: root(z, mp.sinh), lambda z: z, TINY, SMALL**2, 2, 24),
    "cosh float32": (lambda z: (mp.cosh(mp.sqrt(z)) - 1) / z, lambda z: z, TINY, SMALL**2, 3, 24),
    "sinh float64": (lambda z: root(z, mp.sinh), lambda z: z, TINY, SMALL**2, 5, 53),
    "cosh float64": (lambda z: (mp.cosh(mp.sqrt(z)) - 1) / z, lambda z: z, TINY, SMALL**2, 6, 53),
    # atan: (atan(t) / t - 1) / z of z = t^2
    "atan float64": (lambda z: root(z, mp.atan), lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)), TINY, TAN_Z, 11, 53),
    # atan of the quotient of the smaller of two sizes by the larger
    "atan float32": (lambda z: root(z, mp.atan), lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)), TINY, mp.mpf("1.00001"), 8, 24),
    # asin: (asin(s) / s - 1) / z of z = s^2
    "asin float32": (lambda z: root(z, mp.asin), lambda z: z * mp.sqrt(z) / mp.asin(mp.sqrt(z)), TINY, mp.mpf("0.2501"), 5, 24),
    "asin float64": (lambda z: root(z, mp.asin), lambda z: z * mp.sqrt(z) / mp.asin(mp.sqrt(z)), TINY, mp.mpf("0.2501"), 12, 53),
    # sin and cos of an eighth of a turn either way: (sin(r) / r - 1) / z and (cos(r) - 1) / z of z = r^2
    "sin float32": (lambda z: root(z, mp.sin), lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)), TINY, EIGHTH, 4, 24),
    "cos float32": (lambda z: (mp.cos(mp.sqrt(z)) - 1) / z, lambda z: z, TINY, EIGHTH, 4, 24),
    "sin float64": (lambda z: root(z, mp.sin), lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)), TINY, EIGHTH, 6, 53),
    "cos float64": (lambda z: (mp.cos(mp.sqrt(z)) - 1) / z, lambda z: z, TINY, EIGHTH, 6, 53),
    # exp of a register's lanes: (exp(r) - 1 - r) / r^2; of float64 and expm1 in steps of 1/16 of log(2)
    "exp float32": (lambda r: near(r, mp.mpf(1) / 2, lambda r: (mp.expm1(r) - r) / r**2), lambda r: r**2 / mp.exp(r) if r else TINY,
                    -SMALL, SMALL, 5, 24),
    "exp float64": (lambda r: near(r, mp.mpf(1) / 2, lambda r: (mp.expm1(r) - r) / r**2), lambda r: r**2 / mp.exp(r) if r else TINY,
                    -STEP, STEP, 5, 53),
    "expm1 step": (lambda r: near(r, mp.mpf(1) / 2, lambda r: (mp.expm1(r) - r) / r**2),
                   lambda r: abs(r**2 / mp.expm1(r)) if r else TINY, -STEP, STEP, 6, 53),
    # log of a register's lanes: (log(1 + t) - t) / t^2, where scripts/logarithm_tables.py says that t is
    "log float32": (lambda t: near(t, mp.mpf(-1) / 2, lambda t: (mp.log1p(t) - t) / t**2),
                    lambda t: abs(t**2 / mp.log1p(t)) if t else TINY**2, mp.mpf("-0.0165"), mp.mpf("0.0192"), 3, 24),
    "log float64": (lambda t: near(t, mp.mpf(-1) / 2, lambda t: (mp.log1p(t) - t) / t**2),
                    lambda t: abs(t**2 / mp.log1p(t)) if t else TINY**2, mp.mpf("-0.03175"), mp.mpf("0.0373"), 8, 53),
    # cbrt: ((1 - e)^(-1/3) - 1) / e where the guess's error is
    "cbrt float64": (lambda e: near(e, mp.mpf(1) / 3, lambda e: (mp.power(1 - e, -mp.mpf(1) / 3) - 1) / e),
                     lambda e: abs(e) + mp.mpf(2) ** -60, mp.mpf("-0.10192"), mp.mpf("0.10228"), 6, 53),
    # pow of float32: log2((1 + s) / (1 - s)) / s, and (2^r - 1) / r; of float64: the first less what is computed in two parts
    "log2 float32": (lambda z: 2 / LN2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z), lambda z: LN2 / 2 * mp.sqrt(z) / mp.atanh(mp.sqrt(z)),
                     TINY, LOG_Z, 5, 53),
    "exp2 float32": (lambda r: near(r, LN2, lambda r: (mp.power(2, r) - 1) / r),
                     lambda r: abs(r) / mp.power(2, r) + mp.mpf(2) ** -60, -0.5, 0.50001, 6, 53),
    "log2 float64": (lambda z: (cubic_atanh(z) - mp.mpf(1) / 3) / z * 2 / LN2, lambda z: z * z * LN2 / 2, mp.mpf(2) ** -20, LOG_Z,
                     8, 53),
    "exp2 float64": (lambda r: near(r, LN2, lambda r: (mp.power(2, r) - 1) / r),
                     lambda r: abs(r) / mp.power(2, r) + mp.mpf(2) ** -80, -0.5, 0.50001, 11, 53),
    # cos of float64, of which 1 - z / 2 is computed in two parts: ((cos(r) - 1) / z + 1 / 2) / z
    "cos in two": (lambda z: near(z, mp.mpf(1) / 24, lambda z: ((mp.cos(mp.sqrt(z)) - 1) / z + mp.mpf(1) / 2) / z), lambda z: z * z,
                   mp.mpf(2) ** -20, EIGHTH, 6, 53),
    # float32 by float64, where functions have the same bits on every device: as above, of fewer coefficients
    "expm1 single": (lambda r: near(r, mp.mpf(1) / 2, lambda r: (mp.expm1(r) - r) / r**2),
                     lambda r: abs(r**2 / mp.expm1(r)) if r else TINY, -SMALL, SMALL, 6, 53),
    "log single": (lambda z: 2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z), lambda z: mp.sqrt(z) / (2 * mp.atanh(mp.sqrt(z))), TINY, LOG_Z, 5, 53),
    "sin single": (lambda z: root(z, mp.sin), lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)), TINY, EIGHTH, 4, 53),
    "cos single": (lambda z: (mp.cos(mp.sqrt(z)) - 1) / z, lambda z: z, TINY, EIGHTH, 4, 53),
    "asin single": (lambda z: root(z, mp.asin), lambda z: z * mp.sqrt(z) / mp.asin(mp.sqrt(z)), TINY, mp.mpf("0.2501"), 7, 53),
    "atan single": (lambda z: root(z, mp.atan), lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)), TINY, TAN_Z, 6, 53),
    # erf(x) / x of z = x^2; -log(erfc(x)), where 1 less its power is erf(x); exp(x^2) erfc(x) / t of t = 1 / (1 + x / 2)
    "erf single": (lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z), lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), TINY, mp.mpf("1.0001"), 8, 53),
    "erfc single": (lambda x: -mp.log(mp.erfc(x)), lambda x: mp.erfc(x) / mp.erf(x), 1, 4, 8, 53),
    "erfcx single": (lambda t: erfcx_by_t(t), lambda t: 1 / erfcx_by_t(t), 1 / (1 + mp.mpf("5.1")), 1 / (1 + mp.mpf("0.249")), 11, 53),
}


# name: function, interval, counts of coefficients above and below, bits
QUOTIENTS = {
    # tan(r) / r of z = r^2, both polynomials with 1 as their first coefficient
    "tan float32": (lambda z: mp.tan(mp.sqrt(z)) / mp.sqrt(z), TINY, EIGHTH, 2, 2, 24),
    "tan float64": (lambda z: mp.tan(mp.sqrt(z)) / mp.sqrt(z), TINY, EIGHTH, 3, 3, 53),
}


def remez_quotient(function, low, high, above, below, rounds=25, grid=400):
    """(relative error, coefficients above, below) of (1 + p1 x + …) / (1 + q1 x + …); each system takes the last one's lower polynomial for
    the error's weight."""
    count = above + below
    middle, half = (low + high) / 2, (high - low) / 2
    grid_points = [middle - half * mp.cos(mp.pi * i / grid) for i in range(grid + 1)]
    known = [(x, function(x)) for x in grid_points]
    points = [middle - half * mp.cos(mp.pi * (2 * i + 1) / (2 * count + 2)) for i in range(count + 1)]
    lower, best = [], None
    for _ in range(rounds):
        for _ in range(3):
            matrix, right = mp.matrix(count + 1, count + 1), mp.matrix(count + 1, 1)
            for i, x in enumerate(points):
                y = function(x)
                for j in range(above):
                    matrix[i, j] = x ** (j + 1)
                for j in range(below):
                    matrix[i, above + j] = -y * x ** (j + 1)
                matrix[i, count] = -((-1) ** i) * y * with_one(lower, x)
                right[i] = y - 1
            solution = mp.lu_solve(matrix, right)
            upper, lower = [solution[j] for j in range(above)], [solution[above + j] for j in range(below)]
        errors = [with_one(upper, x) / with_one(lower, x) / y - 1 for x, y in known]
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[0]:
            best = (worst, upper, lower)
        extrema = extrema_of(errors, count + 1)
        if len(extrema) < count + 1:
            break
        points = [grid_points[k] for k in extrema]
    return best


def with_one(coefficients, x):
    return mp.polyval([*coefficients[::-1], 1], x)


def literal(value, bits):
    mantissa, exponent = mp.frexp(value)
    text = float(mp.ldexp(mp.nint(mp.ldexp(mantissa, bits)), exponent - bits)).hex()
    return text.replace("0000000p", "p") + "f" if bits == 24 else text


for name, (function, weight, low, high, count, bits) in FITS.items():
    if len(sys.argv) > 1 and name not in sys.argv[1:]:
        continue
    error, coefficients = remez(function, weight, low, high, count)
    print(f"{name}: 2^{float(mp.log(error, 2)):.1f}: " + ", ".join(literal(c, bits) for c in coefficients), flush=True)
for name, (function, low, high, above, below, bits) in QUOTIENTS.items():
    if len(sys.argv) > 1 and name not in sys.argv[1:]:
        continue
    error, upper, lower = remez_quotient(function, low, high, above, below)
    print(f"{name}: 2^{float(mp.log(error, 2)):.1f}: " + " / ".join(", ".join(literal(c, bits) for c in part) for part in (upper, lower)))
