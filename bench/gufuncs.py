#!/usr/bin/env python3
"""Generalized ufuncs of small cores: kiln beside a plain loop, NumPy and Numba, in turn and in one run.

usage: python3 bench/gufuncs.py [--server build/release/bin/kiln-peer-server] [--items 10000] [--seconds 0.1] [--rounds 7] [--json FILE]

Needs numpy and numba (bench/requirements.txt). All write to outputs that exist already; NumPy and the plain loop (Clang, the flags of kiln's
kernels) have one thread, Numba's target="parallel" two. Every figure is the shortest call, in nanoseconds of an item: on a shared machine that is
the one figure that others' work does not make. In brackets the peer's time over that of kiln with two threads, and of the plain loop over that of
kiln with one: above 1, kiln is faster.
"""
import sys

sys.path.pop(0)  # bench/math.py is called as a module of Python's is
import argparse
import json
import os
import time

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: math.py there is none of Python's
from server import Server

parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
parser.add_argument("--server", default="build/release/bin/kiln-peer-server", help="path of kiln-peer-server")
parser.add_argument("--items", type=int, default=10_000)
parser.add_argument("--seconds", type=float, default=0.1, help="time for each measurement")
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--json", help="also write the figures to this file")
arguments = parser.parse_args()
THREADS = 2
os.environ["NUMBA_NUM_THREADS"] = str(THREADS)
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

try:
    import numba
    import numpy as np
except ImportError as missing:
    sys.exit(f"{missing}; install the packages of bench/requirements.txt: python3 -m pip install -r bench/requirements.txt")

f4 = numba.float32


@numba.guvectorize([(f4[:, :], f4[:, :], f4[:, :])], "(m,n),(n,p)->(m,p)", target="parallel", nopython=True)
def numba_matmul(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            acc = f4(0)
            for k in range(A.shape[1]):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc


@numba.guvectorize([(f4[:], f4[:], f4[:])], "(n),(n)->()", target="parallel", nopython=True)
def numba_inner(a, b, r):
    total = f4(0)
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    r[0] = total


@numba.guvectorize([(f4[:], f4[:])], "(n)->(n)", target="parallel", nopython=True)
def numba_cumsum(x, y):
    total = f4(0)
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total


def numpy_cumsum(x, out):
    np.cumsum(x, axis=1, out=out)


# What it is called in the table, its name in bench/gufuncs.cpp, the cores of inputs and output, NumPy, Numba.
ROWS = [
    ("matmul 8x8x8, .each", "matmul", [(8, 8), (8, 8)], (8, 8), np.matmul, numba_matmul),
    ("matmul 8x8x8, loops", "matmul_loops", [(8, 8), (8, 8)], (8, 8), np.matmul, numba_matmul),
    ("inner1d 64", "inner1d", [(64,), (64,)], (), np.vecdot, numba_inner),
    ("inner1d 64, any order", "inner1d_any_order", [(64,), (64,)], (), np.vecdot, numba_inner),
    ("cumsum 64", "cumsum", [(64,)], (64,), numpy_cumsum, numba_cumsum),
]


def numbers(core):
    shape = (arguments.items, *core)
    return (np.arange(np.prod(shape)) % 1000 / 1000).astype(np.float32).reshape(shape)


def measure(call):
    call()
    shortest, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < arguments.seconds:
        begin = time.perf_counter_ns()
        call()
        shortest = min(shortest, (time.perf_counter_ns() - begin) / arguments.items)
    return shortest


server = Server(arguments.server)


def ask(name, threads):
    return server.ask("gufunc", arguments.items, threads, arguments.seconds, name)


rows = []
print(f"numpy {np.__version__}, numba {numba.__version__}; {arguments.items} items of float32, ns per item")
print(f"{'gufunc':24}{'kiln 1t':>9}{'kiln 2t':>9}{'plain loop':>17}{'numpy':>17}{'numba parallel':>17}")
for title, name, cores, result, by_numpy, by_numba in ROWS:
    inputs, out = [numbers(core) for core in cores], numbers(result)
    calls = {
        "kiln 1t": lambda: ask(name, 1),
        "kiln 2t": lambda: ask(name, THREADS),
        "plain": lambda: ask(name, 0),
        "numpy": lambda: measure(lambda: by_numpy(*inputs, out=out)),
        "numba": lambda: measure(lambda: by_numba(*inputs, out)),
    }
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(arguments.rounds):
        for who, call in calls.items():
            least[who] = min(least[who], call())
    ratio = {"plain": least["plain"] / least["kiln 1t"], **{who: least[who] / least["kiln 2t"] for who in ("numpy", "numba")}}
    cells = "".join(f"{least[who]:9.2f} ({ratio[who]:4.1f})".rjust(17) for who in ratio)
    print(f"{title:24}{least['kiln 1t']:9.2f}{least['kiln 2t']:9.2f}{cells}", flush=True)
    rows.append({"gufunc": title, "ns_per_item": least, "ratio": ratio})
server.close()
if arguments.json:
    with open(arguments.json, "w") as file:
        json.dump({"numpy": np.__version__, "numba": numba.__version__, "items": arguments.items, "rows": rows}, file, indent=1)
