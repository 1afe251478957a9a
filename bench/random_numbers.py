#!/usr/bin/env python3
"""kiln::random beside plain loops of C++ and NumPy's Generator, in turn and in one run.

usage: python3 bench/random_numbers.py [--bench build/release/bin/kiln-random-bench] [--n 1000000] [--rounds 5]

Needs numpy (bench/requirements.txt). Each makes a new array; the loops and NumPy have one thread (KILN_DEVICE=cpu:1 gives kiln one). Every
figure is the shortest of its calls. Ratios are the other's time over kiln's: above 1, kiln is faster.
"""
import sys

sys.path.pop(0)  # math.py beside this file is called as a module of Python's
import argparse
import subprocess
import time

parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
parser.add_argument("--bench", default="build/release/bin/kiln-random-bench")
parser.add_argument("--n", type=int, default=1_000_000)
parser.add_argument("--rounds", type=int, default=5)
arguments = parser.parse_args()

try:
    import numpy as np
except ImportError as missing:
    sys.exit(f"{missing}; install the packages of bench/requirements.txt: python3 -m pip install -r bench/requirements.txt")

generator = np.random.default_rng(1)
least = {}


def note(key, who, nanoseconds):
    row = least.setdefault(key, {})
    row[who] = min(row.get(who, 1e9), nanoseconds)


def call(name, dtype):
    if name.startswith("poisson"):
        return generator.poisson(float(name[8:-1]), arguments.n)
    return getattr(generator, name)(arguments.n, dtype=dtype)


for _ in range(arguments.rounds):
    lines = subprocess.run([arguments.bench, "10", str(arguments.n)], check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        name, dtype, kiln, plain = line.split()
        note((name, dtype), "kiln", float(kiln))
        note((name, dtype), "plain", float(plain))
        for _ in range(10):
            start = time.perf_counter()
            call(name, dtype)
            note((name, dtype), "numpy", (time.perf_counter() - start) * 1e9 / arguments.n)

print("| NumPy's name | dtype | kiln ns | plain loop ns | NumPy ns | plain / kiln | NumPy / kiln |\n| --- | --- | --- | --- | --- | --- | --- |")
for (name, dtype), row in least.items():
    print(f"| {name} | {dtype} | {row['kiln']:.2f} | {row['plain']:.2f} | {row['numpy']:.2f} | {row['plain'] / row['kiln']:.1f} | {row['numpy'] / row['kiln']:.1f} |")
