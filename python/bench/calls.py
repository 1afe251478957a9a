#!/usr/bin/env python3
"""Times calls of kiln's ufuncs from Python against NumPy's, in turn: the least of many repetitions each.

    PYTHONPATH=build/python/package python3 python/bench/calls.py [SECONDS]
"""
import sys
import timeit

import numpy as np

import kiln


def in_turn(setup, code, function, seconds):
    """Returns the least nanoseconds of kiln's function and of NumPy's, which take turns on the same arrays: where an array begins decides a
    tenth of the time of a large call, and half of NumPy's."""
    names = {"np": np}
    exec(setup, names)
    timers = [timeit.Timer(code.format("f"), globals={**names, "f": getattr(library, function)}) for library in (kiln.math, np)]
    number = max(1, int(0.002 / max(timers[1].timeit(10) / 10, 1e-9)))
    [timer.timeit(number) for timer in timers]
    best = [float("inf")] * 2
    rounds = max(5, int(seconds / 0.006))
    for i in range(rounds):
        for k in ((0, 1), (1, 0))[i % 2]:
            best[k] = min(best[k], timers[k].timeit(number) / number * 1e9)
    return best


ONE = "a = np.ones(1); b = np.ones(1); o = np.empty(1); c = np.ones(1, np.float32)"
ROWS = [("add(a, b)", ONE, "{}(a, b)", "add"), ("add(a, b, out=o)", ONE, "{}(a, b, out=o)", "add"), ("add(a, 2.0)", ONE, "{}(a, 2.0)", "add"),
        ("add(1.0, 2.0)", ONE, "{}(1.0, 2.0)", "add"), ("hypot(a, b)", ONE, "{}(a, b)", "hypot"), ("exp(c), float32", ONE, "{}(c)", "exp"),
        ("divmod(a, b)", ONE, "{}(a, b)", "divmod"), ("add.reduce(a)", ONE, "{}.reduce(a)", "add"), ("add(a, b, where=True)", ONE, "{}(a, b, where=True)", "add"),
        ("add.outer(a, b)", ONE, "{}.outer(a, b)", "add")]
for size in (1, 10, 100, 1000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000):
    setup = f"a = np.ones({size}, np.float32); b = np.ones({size}, np.float32)"
    ROWS += [(f"add float32 {size:.0e}", setup, "{}(a, b)", "add"), (f"exp float32 {size:.0e}", setup, "{}(a)", "exp"),
             (f"add.reduce float32 {size:.0e}", setup, "{}.reduce(a)", "add")]


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    print("| call | kiln ns | NumPy ns | kiln / NumPy |\n| --- | --- | --- | --- |")
    for name, setup, code, function in ROWS:
        mine, numpys = in_turn(setup, code, function, seconds)
        print(f"| {name} | {mine:,.0f} | {numpys:,.0f} | {mine / numpys:.2f} |", flush=True)


if __name__ == "__main__":
    main()
