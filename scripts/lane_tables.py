#!/usr/bin/env python3
"""Prints the tables of kernels-src/math/logarithm_lanes_cpu.hpp and powers_of_2_lanes_cpu.hpp.

usage: lane_tables.py        (needs mpmath)

Of powers of 2 in steps: each in two numbers. Of logarithms: for each part of the numbers from 1 to 2 the inverse of about its middle, and the
logarithms of these inverses, negated, in two numbers. The parts are those of x times (1 - 1 / 4N), of N parts, so that 1 is in the middle of the
last: there the inverse is 1/2, whose logarithm what the exponent gives takes away exactly. An inverse has few bits, so that its product with x
less 1 is exact or nearly so, most of all where the logarithm is small: there the first is the one whose product is nearer to 1. The first numbers
of logarithms have none below 2^-GRID, so that adding multiples of one number that has none, either, is exact.
"""
import mpmath as mp

mp.mp.prec = 200


def literal(value, bits):
    suffix = "f" if bits == 24 else ""
    if value == 0:
        return "0x0p+0" + suffix
    mantissa, exponent = mp.frexp(value)
    digits, exponent = float(mp.ldexp(mp.nint(mp.ldexp(mantissa, bits)), exponent - bits)).hex().split("p")
    return f"{digits.rstrip('0').rstrip('.')}p{exponent}{suffix}"


def show(name, values, bits):
    half = len(values) // 2
    halves = ["{" + ", ".join(literal(v, bits) for v in part) + "}" for part in (values[:half], values[half:])]
    print(f"{name} = {{{halves[0]}, {halves[1]}}};")


def on_grid(value, grid):
    return mp.nint(mp.ldexp(value, grid)) / mp.mpf(2) ** grid


def in_two(values, grids, bits, names):
    first = [on_grid(value, grid) for value, grid in zip(values, grids)]
    show(names[0], first, bits)
    show(names[1], [value - near for value, near in zip(values, first)], bits)


in_two([mp.power(2, mp.mpf(i) / 16) for i in range(16)], [52] * 16, 53, ("sixteenths", "sixteenths_rest"))
for dtype, parts, inverse_bits, grid, bits in (("float32", 32, 8, 16, 24), ("float64", 16, 7, 42, 53)):
    shift = 1 - mp.mpf(1) / (4 * parts)
    edges = [(1 + mp.mpf(i) / parts) / shift for i in range(parts + 1)]
    inverses = [on_grid(2 / (low + high), inverse_bits) for low, high in zip(edges, edges[1:])]
    inverses[0] = mp.ceil(mp.ldexp(2 / (edges[0] + edges[1]), inverse_bits)) / mp.mpf(2) ** inverse_bits
    inverses[-1] = mp.mpf(1) / 2
    products = [edge * c - 1 for low, high, c in zip(edges, edges[1:], inverses) for edge in (low, high)]
    ln2 = on_grid(mp.log(2), grid)
    print(f"{dtype}: shift {literal(shift, bits)}, ln2 {literal(ln2, bits)} + {literal(mp.log(2) - ln2, bits)}; "
          f"products less 1 are from {float(min(products)):.5f} to {float(max(products)):.5f}")
    show("inverses", inverses, bits)
    in_two([-mp.log(c) for c in inverses], [grid] * parts, bits, ("logarithms", "logarithms_rest"))
