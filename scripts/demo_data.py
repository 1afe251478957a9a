#!/usr/bin/env python3
"""The demo's input and its check, by Python's standard library alone.

usage: demo_data.py make FOLDER COUNT    writes a.npy, b.npy, c.npy: COUNT float32 each, with b*b > 4*a*c
       demo_data.py check FOLDER         compares d.npy with sqrt(b*b - 4*a*c) in double precision
"""
import array
import ast
import math
import pathlib
import random
import struct
import sys


def save(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin-1"))
        values.tofile(file)


def load(path):
    with open(path, "rb") as file:
        magic = file.read(8)
        if magic[:7] != b"\x93NUMPY\x01":
            raise SystemExit(f"{path}: not a version 1 .npy file")
        header = ast.literal_eval(file.read(struct.unpack("<H", file.read(2))[0]).decode("latin-1"))
        if header["descr"] != "<f4":
            raise SystemExit(f"{path}: dtype {header['descr']}, not float32")
        values = array.array("f")
        values.frombytes(file.read())
    return values


def make(folder, count):
    source = random.Random(2026)
    block = 1 << 16  # repeated: random numbers take Python longer than kiln takes for the whole demo
    for name, low, high in (("a", 0.5, 1.5), ("b", 4.0, 8.0), ("c", 0.5, 2.0)):
        values = array.array("f", (source.uniform(low, high) for _ in range(block)))
        save(folder / f"{name}.npy", (values * (count // block + 1))[:count])


def check(folder):
    a, b, c, d = (load(folder / f"{name}.npy") for name in "abcd")
    if not len(a) == len(b) == len(c) == len(d):
        raise SystemExit(f"d.npy has {len(d)} elements, its inputs {len(a)}")
    step = max(1, len(d) // 9973)
    worst = 0.0
    for i in range(0, len(d), step):
        expected = math.sqrt(b[i] * b[i] - 4 * a[i] * c[i])
        worst = max(worst, abs(d[i] - expected) / expected)
    # Four float32 roundings, the first two enlarged by the subtraction.
    if not worst < 1e-5:
        raise SystemExit(f"d.npy is wrong: relative error {worst:.3g}")
    print(f"checked {len(range(0, len(d), step))} of {len(d)} elements against double precision: relative error {worst:.2g}")


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]), int(sys.argv[3]))
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        check(pathlib.Path(sys.argv[2]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
