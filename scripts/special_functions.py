#!/usr/bin/env python3
"""Prints the coefficients of kernels-src/math/libm_special.hpp: polynomials at the zeros of Chebyshev's, in float64, lowest power first.

usage: special_functions.py        (needs mpmath; seconds)

Before each line: the name, how many there are, and the largest relative error of the polynomial of the rounded coefficients.
"""
import mpmath as mp

mp.mp.prec = 400
NONE = mp.mpf(10) ** -40  # stands for 0, where a quotient is taken at its limit


def show(name, function, low, high, count):
    coefficients = [float(c) for c in mp.chebyfit(function, [mp.mpf(low), mp.mpf(high)], count)[::-1]]
    places = [mp.mpf(low) + (mp.mpf(high) - low) * i / 200 for i in range(201)]
    worst = max(abs(mp.polyval([mp.mpf(c) for c in coefficients[::-1]], x) / function(x) - 1) for x in places)
    print(f"{name} {count} 2^{float(mp.log(worst, 2)):.1f}")
    print(", ".join(c.hex() for c in coefficients))


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
show("gamma_of_positive, from 8 on", stirling, 0, 0.125, 12)
show("lgamma_of_positive", by_zeros(1, 1), -0.5, 0.5, 28)
show("lgamma_of_positive, from 1.5 on", by_zeros(2, -1), -0.5, 1, 23)
show("lgamma_of_positive, from 8 on", lgamma_of_large, 0, 0.125, 11)
