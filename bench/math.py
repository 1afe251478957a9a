#!/usr/bin/env python3
"""kiln::math beside NumPy's ufuncs, function by function, in turn and in one run.

usage: python3 bench/math.py [--server build/release/bin/kiln-peer-server] [--threads 2] [--n 1000000] [--seconds 0.05] [--rounds 5]
                             [--only sin,cos] [--dtypes float16,int8] [--json FILE]

Needs numpy (bench/requirements.txt). All write to outputs that exist already; NumPy has one thread. Every figure is the shortest call: on a
shared machine that is the one figure that others' work does not make. The spread is the longest over the shortest of the rounds. The ratio is NumPy's time over kiln's: above 1, kiln is faster.
"""
import sys
import os

sys.path.pop(0)  # this file is called as a module of Python's is
import argparse
import json
import time

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: math.py there is none of Python's
from server import Server

parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
parser.add_argument("--server", default="build/release/bin/kiln-peer-server")
parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
parser.add_argument("--n", type=int, default=1_000_000)
parser.add_argument("--seconds", type=float, default=0.05, help="time for each measurement")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--only", help="functions, separated by commas")
parser.add_argument("--dtypes", help="rows of these dtypes, separated by commas, those with float16 and 8 and 16-bit integers, too")
parser.add_argument("--json", help="also write the figures to this file")
arguments = parser.parse_args()

try:
    import numpy as np
except ImportError as missing:
    sys.exit(f"{missing}; install the packages of bench/requirements.txt: python3 -m pip install -r bench/requirements.txt")

F, D, C, Z, I, L, B = "float32", "float64", "complex64", "complex128", "int32", "int64", "bool"
H, NARROW = "float16", ["int8", "uint8", "int16", "uint16", "uint32", "uint64"]
WIDE, UNIT, POSITIVE = (-3, 3), (-0.9, 0.9), (0.1, 9)


def same(functions, dtypes, *ranges):
    return [(f, [(d, *r) for r in ranges]) for f in functions.split() for d in dtypes]


ROWS = (
    same("add subtract multiply maximum minimum fmax fmin", [F, D, I, L], WIDE, WIDE)
    + same("add multiply divide", [C, Z], WIDE, WIDE)
    + same("negative positive absolute square sign", [F, D, I, L], (-100, 100))
    + same("absolute square", [Z], WIDE)
    + same("fabs cbrt", [F, D], WIDE)
    + same("sqrt", [F, D, Z], POSITIVE)
    + same("reciprocal", [F, D, Z], POSITIVE)
    + same("power", [F, D, Z], POSITIVE, WIDE)
    + same("power", [I, L], (-9, 9), (0, 9))
    + same("float_power", [D], POSITIVE, WIDE)
    + same("heaviside", [F, D], WIDE, WIDE)
    + same("gcd lcm", [I, L], (1, 10000), (1, 10000))
    + same("clip", [F, D, I], WIDE, (-1, -1), (1, 1))
    + same("divide", [F, D, I], POSITIVE, POSITIVE)
    + same("floor_divide remainder fmod divmod", [F, D, I, L], (-1000, 1000), (1, 30))
    + same("equal not_equal less less_equal greater greater_equal", [D, L], WIDE, WIDE)
    + same("logical_and logical_or logical_xor", [B, D], (0, 2), (0, 2))
    + same("logical_not", [B, D], (0, 2))
    + same("bitwise_and bitwise_or bitwise_xor", [I], (0, 1000), (0, 1000))
    + same("invert bitwise_count", [I, L], (0, 1000))
    + same("left_shift right_shift", [I, L], (0, 1000), (0, 9))
    + same("sin cos tan", [F, D, Z], WIDE)
    + same("arcsin arccos arctanh", [F, D, Z], UNIT)
    + same("arctan sinh cosh tanh arcsinh", [F, D, Z], WIDE)
    + same("arccosh", [F, D, Z], (1.1, 9))
    + same("arctan2 hypot copysign nextafter logaddexp logaddexp2", [F, D], WIDE, WIDE)
    + same("deg2rad radians rad2deg degrees", [F, D], WIDE)
    + same("exp exp2 expm1", [F, D, Z], WIDE)
    + same("log log2 log10 log1p", [F, D, Z], POSITIVE)
    + same("rint", [F, D, Z], (-100, 100))
    + same("floor ceil trunc", [F, D], (-100, 100))
    + same("isnan isinf isfinite signbit spacing modf frexp", [F, D], WIDE)
    + [("ldexp", [(F, -3, 3), (I, -9, 9)]), ("ldexp", [(D, -3, 3), (I, -9, 9)])]
    + same("conjugate", [Z], WIDE)
)
MORE_ROWS = (
    same("add subtract multiply maximum minimum floor_divide remainder fmod equal less", [H, *NARROW], (1, 20), (1, 9))
    + same("gcd", NARROW, (1, 20), (1, 9))
    + same("negative absolute square sign", [H, *NARROW], (1, 9))
    + same("bitwise_and bitwise_or bitwise_xor left_shift right_shift", NARROW, (1, 20), (1, 5))
    + same("invert bitwise_count", NARROW, (1, 20))
    + same("power", [H, *NARROW], (1, 3), (0, 4))
    + same("divide fmax fmin heaviside arctan2 hypot copysign nextafter logaddexp logaddexp2", [H], POSITIVE, POSITIVE)
    + same("logical_and logical_or logical_xor", [F, H, "int8", "int16", "uint32"], (0, 2), (0, 2))
    + same("logical_not", [F, H, "int8", "int16"], (0, 2))
    + same("fabs cbrt sqrt reciprocal arcsinh sin cos tan arctan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p rint floor ceil trunc isnan "
           "isinf isfinite signbit spacing modf frexp deg2rad", [H], POSITIVE)
    + same("arcsin arccos arctanh", [H], UNIT)
    + same("equal not_equal less", [F, C, I], WIDE, WIDE)
    + same("maximum minimum", [C], WIDE, WIDE)
    + same("sqrt exp log sin tanh absolute square reciprocal conjugate rint", [C], POSITIVE)
    + same("power divide multiply", [C], POSITIVE, WIDE)
)
only = set(arguments.only.split(",")) if arguments.only else None
random = np.random.default_rng(7)


def uniform(dtype, low, high):
    values = random.uniform(low, high, arguments.n)
    if dtype in (C, Z):
        values = values + 1j * random.uniform(low, high, arguments.n)
    return values.astype(dtype)


def measure(call):
    call()
    times, start = [], time.perf_counter()
    while len(times) < 5 or time.perf_counter() - start < arguments.seconds:
        begin = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - begin) / arguments.n)
    return min(times)


server = Server(arguments.server)


def ask_kiln(name, operands):
    return server.ask("math", arguments.n, arguments.threads, arguments.seconds, name, *(f"{d}:{low}:{high}" for d, low, high in operands))


dtypes_asked = set(arguments.dtypes.split(",")) if arguments.dtypes else None
asked = [(name, operands) for name, operands in (ROWS + MORE_ROWS if dtypes_asked else ROWS)
         if (not only or name in only) and (not dtypes_asked or operands[0][0] in dtypes_asked)]
kiln, numpy = [[] for _ in asked], [[] for _ in asked]
# A round goes over all functions: the seconds in which a virtual machine's processors share a core then fall on different rows.
for at in range(arguments.rounds):
    for row, (name, operands) in enumerate(asked):
        function = np._core.umath.clip if name == "clip" else getattr(np, name)
        inputs = [uniform(*operand) for operand in operands]
        results = function(*inputs)
        out = results if isinstance(results, tuple) else (results,)
        kiln[row].append(ask_kiln(name, operands))
        numpy[row].append(measure(lambda: function(*inputs, out=out)))
    print(f"round {at + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
server.close()

print(f"numpy {np.__version__}; {arguments.n} elements, {arguments.threads} threads; ns per element")
print(f"{'function':16}{'dtypes':24}{'kiln':>9}{'numpy':>9}{'ratio':>7}{'spread':>9}")
rows = []
for (name, operands), ours, theirs in zip(asked, kiln, numpy):
    ratio, spread = min(theirs) / min(ours), max(max(ours) / min(ours), max(theirs) / min(theirs))
    dtypes = ",".join(dict.fromkeys(d for d, *_ in operands))
    print(f"{name:16}{dtypes:24}{min(ours):9.3f}{min(theirs):9.3f}{ratio:7.2f}{spread:9.2f}")
    rows.append({"function": name, "dtypes": dtypes, "kiln": min(ours), "numpy": min(theirs), "ratio": ratio, "spread": spread})
below = [f"{r['function']} {r['dtypes']} {r['ratio']:.2f}" for r in rows if r["ratio"] < 2]
print(f"{len(rows)} rows, {len(rows) - len(below)} of them at 2 or more; below: {'; '.join(below) or 'none'}")
if arguments.json:
    with open(arguments.json, "w") as file:
        json.dump({"numpy": np.__version__, "n": arguments.n, "threads": arguments.threads, "rows": rows}, file, indent=1)
