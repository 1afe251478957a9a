#!/usr/bin/env python3
"""Prints the coefficients of kernels-src/math/libm_special.hpp, same_special.hpp, error_functions.hpp, bessel.hpp and same_bessel.hpp: polynomials at the zeros
of Chebyshev's, in float64, lowest power first.

usage: special_functions.py        (needs mpmath; a minute)

Before each line: the name, how many there are, and the largest relative error of the polynomial of the rounded coefficients.
"""
import mpmath as mp

mp.mp.prec = 400
NONE = mp.mpf(10) ** -40  # stands for 0, where a quotient is taken at its limit


def show(name, function, low, high, count, centre=0, absolute=False, in_two=False):
    """Of a polynomial in x - centre. The error is relative, or absolute where the function has zeros. `in_two`: what the first coefficient lacks, too."""
    low, high, centre = mp.mpf(low), mp.mpf(high), mp.mpf(centre)
    exact = mp.chebyfit(lambda x: function(x + centre), [low - centre, high - centre], count)[::-1]
    coefficients = [float(c) for c in exact]
    lacks = float(exact[0] - coefficients[0]) if in_two else 0.0
    places = [low + (high - low) * i / 200 for i in range(201)]
    errors = [mp.polyval([mp.mpf(c) for c in coefficients[::-1]], x - centre) + lacks - function(x) for x in places]
    worst = max(abs(e if absolute else e / function(x)) for e, x in zip(errors, places))
    print(f"{name} {count} 2^{float(mp.log(worst, 2)):.1f}")
    print(", ".join(c.hex() for c in coefficients) + (f"; the first lacks {lacks.hex()}" if in_two else ""))


def erf_by_x(z):
    """erf(x) / x of x^2."""
    root = mp.sqrt(z if z > NONE else NONE)
    return mp.erf(root) / root


def erfc_scaled(q):
    """exp(x^2) erfc(x) (1 + 2 x) of (x - 4) / (x + 4)."""
    x = 4 * (1 + q) / (1 - q)
    return mp.exp(x * x) * mp.erfc(x) * (1 + 2 * x)


def stirling(t):
    """What Stirling's formula lacks, of 1 / x."""
    if t < mp.mpf("1e-4"):
        return 1 + t / 12 + t**2 / 288 - 139 * t**3 / 51840
    return mp.gamma(1 / t) / (mp.sqrt(2 * mp.pi) * (1 / t) ** (1 / t - mp.mpf(1) / 2) * mp.exp(-1 / t))


def by_zeros(zero, other):
    """lgamma(zero + s) without its zeros at 1 and 2, which are those of s and of s - other."""

    def quotient(s):
        s = s if abs(s) > NONE else NONE
        return mp.loggamma(zero + s) / (s * (s - other))

    return quotient


def lgamma_of_large(t):
    """lgamma(x) - (x - 1/2) (log(x) - 1), of 1 / x."""
    if t < mp.mpf("1e-5"):
        return (mp.log(2 * mp.pi) - 1) / 2 + t / 12 - t**3 / 360
    return mp.loggamma(1 / t) - (1 / t - mp.mpf(1) / 2) * (mp.log(1 / t) - 1)


show("erf_of_small", erf_by_x, 0, 1, 14)
show("erfc_of_large", erfc_scaled, -mp.mpf(7) / 9, 0.75, 23)
show("gamma_of_positive", lambda s: mp.gamma(1 + s), 0, 1, 22)
show("gamma_of_positive, in two", lambda s: (mp.gamma(2 + s) - 1) / s if abs(s) > NONE else 1 - mp.euler, -0.5, 0.5, 20)
show("gamma_of_positive, from 8 on", stirling, 0, 0.125, 12)
show("lgamma_of_positive", by_zeros(1, 1), -0.5, 0.5, 28)
show("lgamma_of_positive, from 1.5 on", by_zeros(2, -1), -0.5, 1, 23)
show("lgamma_of_positive, from 8 on", lgamma_of_large, 0, 0.125, 11)


def quantile_by_root(w):
    """The x >= 0 of which (1 - erf(x)) (1 + erf(x)) is exp(-w), by Halley's steps."""
    w = w if w > NONE else NONE
    y = mp.exp(-w) / (1 + mp.sqrt(-mp.expm1(-w)))
    x = mp.sqrt(w) if w > 1 else mp.sqrt(w) * mp.sqrt(mp.pi) / 2
    for _ in range(60):
        step = (mp.erfc(x) - y) / (-2 / mp.sqrt(mp.pi) * mp.exp(-x * x))
        x -= step / (1 + step * x)
    return x


def erfcx(q):
    """exp(x^2) erfc(x) (1 + 2 x) of (x - 4) / (x + 4)."""
    x = 4 * (1 + q) / (1 - q) if q < 1 else mp.mpf(10) ** 30
    if x < 60:
        return mp.exp(x * x) * mp.erfc(x) * (1 + 2 * x)
    return sum((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(12)) / (x * mp.sqrt(mp.pi)) * (1 + 2 * x)


def bessel_i_of_large(n):
    """exp(-x) sqrt(x) I_n(x) of 1 / x."""
    m = 4 * n * n

    def scaled(t):
        if t < mp.mpf("1e-9"):
            return (1 - (m - 1) * t / 8 + (m - 1) * (m - 9) * t * t / 128) / mp.sqrt(2 * mp.pi)
        return mp.besseli(n, 1 / t) * mp.exp(-1 / t) / mp.sqrt(t)

    return scaled


def root(z):
    return mp.sqrt(z if z > NONE else NONE)


def y0_of_small(z):
    """Y_0 without its logarithm, of x^2."""
    return mp.bessely(0, root(z)) - 2 / mp.pi * mp.log(root(z)) * mp.besselj(0, root(z))


def y1_of_small(z):
    """Y_1 without its logarithm and its pole, over x, of x^2."""
    x = root(z if z > mp.mpf("1e-30") else mp.mpf("1e-30"))
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


def hankel(n, sine, least=8, less=0):
    """P - less, or x Q, of J_n = sqrt(2 / (pi x)) (P cos(a) - Q sin(a)), a = x - (2 n + 1) pi / 4, of (least / x)^2."""
    limits = {(0, False): (1, mp.mpf(-9) / 128), (0, True): (mp.mpf(-1) / 8, mp.mpf(75) / 1024),
              (1, False): (1, mp.mpf(15) / 128), (1, True): (mp.mpf(3) / 8, mp.mpf(-105) / 1024)}

    def part(t):
        if t < mp.mpf("1e-9"):
            return limits[n, sine][0] + limits[n, sine][1] * t / least**2 - less
        x = least / mp.sqrt(t)
        j, y, a, size = mp.besselj(n, x), mp.bessely(n, x), x - (2 * n + 1) * mp.pi / 4, mp.sqrt(2 / (mp.pi * x))
        return (y * mp.cos(a) - j * mp.sin(a)) / size * x if sine else (j * mp.cos(a) + y * mp.sin(a)) / size - less

    return part


mp.mp.prec = 220
show("erfinv", lambda w: quantile_by_root(w) / mp.sqrt(-mp.expm1(-(w if w > NONE else NONE))), 0, 6.25, 24, 3.125)
show("erfcinv_tail", lambda t: quantile_by_root(1 / t**2) * t, mp.mpf(1) / 27.5, 0.4, 10, 0.2)
show("erfcx", erfcx, -1, 1, 24)
show("i0_small", lambda z: (mp.besseli(0, 2 * root(z)) - 1) / (z if z > NONE else NONE) if z > mp.mpf("1e-20") else mp.mpf(1), 0, 16, 18)
show("i1_small", lambda z: (mp.besseli(1, 2 * root(z)) / root(z) - 1) / z if z > mp.mpf("1e-20") else mp.mpf(0.5), 0, 16, 18)
show("i0_large", bessel_i_of_large(0), 0, 0.125, 24, 0.0625)
show("i1_large", bessel_i_of_large(1), 0, 0.125, 24, 0.0625)
show("j0_small", lambda z: (mp.besselj(0, root(z)) - 1) / (z if z > NONE else NONE) if z > mp.mpf("1e-20") else mp.mpf(-0.25), 0, 16, 14, 8, True)
show("j0_middle", lambda x: mp.besselj(0, x), 4, 8, 19, 6, True)
show("j1_small", lambda z: mp.besselj(1, root(z)) / root(z), 0, 16, 14, 8, True)
show("j1_middle", lambda x: mp.besselj(1, x), 4, 8, 19, 6, True)
show("y0_small", y0_of_small, 0, 16, 14, 8, True)
show("y0_middle", lambda x: mp.bessely(0, x), 4, 8, 24, 6, True)
show("y1_small", y1_of_small, 0, 16, 14, 8, True)
show("y1_middle", lambda x: mp.bessely(1, x), 4, 8, 24, 6, True)
for n in (0, 1):
    show(f"hankel_p{n}", hankel(n, False), 0, 1, 16, 0.5)
    show(f"hankel_q{n}", hankel(n, True), 0, 1, 16, 0.5)
J_OF_SMALL = (lambda z: (mp.besselj(0, root(z)) - 1) / (z if z > NONE else NONE) if z > mp.mpf("1e-20") else mp.mpf(-0.25),
              lambda z: mp.besselj(1, root(z)) / root(z))
for n, y_of_small in enumerate((y0_of_small, y1_of_small)):
    show(f"same j{n}_of_small", J_OF_SMALL[n], 0, 4, 9 + n, 2, True, n == 1)
    show(f"same y{n}, up to 2", y_of_small, 0, 4, 11, 2, True, n == 0)
    show(f"same j{n}, from 2 to 5", lambda x: mp.besselj(n, x), 2, 5, 18, 3.5, True, True)
    show(f"same y{n}, from 2 to 5", lambda x: mp.bessely(n, x), 2, 5, 27, 3.5, True, True)
    show(f"same hankel_p{n}", hankel(n, False, 5, 1), 0, 1, 19, 0.5, True)
    show(f"same hankel_q{n}", hankel(n, True, 5), 0, 1, 19, 0.5, True)
