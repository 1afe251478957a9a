#!/usr/bin/env python3
"""kiln beside NumPy, Numba and numexpr, or JAX and Dr.Jit, in turn and in one run.

usage: python3 bench/peers.py [--loops [NAME…]] [--server build/release/bin/kiln-peer-server] [--threads 2] [--seconds 0.3] [--rounds 5] [--json FILE]

Needs the packages of bench/requirements.txt. Every figure is the median over rounds of the median call; all write to an output that
exists already. The ratio is the peer's time over kiln's: above 1, kiln is faster.

With --loops the bodies of bench/loops.cpp, which have control flow, beside NumPy, Numba, JAX and Dr.Jit (loop_peers.py says what each
call does), in milliseconds a call. NumPy alone must be there; of the others those that are. Dr.Jit loads libLLVM.so, or what
DRJIT_LIBLLVM_PATH names. Results that are not kiln's are reported, and make the status 1.
"""
import sys

sys.path.pop(0)  # bench/math.py is called as a module of Python's is
import argparse
import json
import os
import statistics
import tempfile
import time

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: math.py there is none of Python's
from server import Server

parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
parser.add_argument("--loops", nargs="*", metavar="NAME", help="the bodies with control flow, or those named")
parser.add_argument("--server", default="build/release/bin/kiln-peer-server", help="path of kiln-peer-server")
parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads for all (NumPy has one)")
parser.add_argument("--seconds", type=float, default=0.3, help="time for each measurement")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--json", help="also write the figures to this file")
arguments = parser.parse_args()
os.environ["NUMBA_NUM_THREADS"] = os.environ["NUMEXPR_NUM_THREADS"] = os.environ["NUMEXPR_MAX_THREADS"] = str(arguments.threads)


def measure(call, n):
    call()
    times, group = [], max(1, 20_000 // n)
    start = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - start < arguments.seconds:
        begin = time.perf_counter_ns()
        for _ in range(group):
            call()
        times.append((time.perf_counter_ns() - begin) / group / n)
    return statistics.median(times)


def compare(name, peer, kiln, results):
    """A sentence where a peer's results are not kiln's. Counts and places are equal. XLA fuses products and sums, so that one point in
    hundreds escapes at another step, and a ray may graze a sphere that it misses otherwise."""
    import numpy as np
    for mine, theirs in zip(kiln, results, strict=True):
        mine, theirs = mine.ravel(), theirs.ravel()
        if mine.shape != theirs.shape:
            return f"{name}, {peer}: {theirs.size} elements, {mine.size} of kiln's"
        near = mine == theirs if mine.dtype.kind == "i" else np.isclose(mine, theirs, rtol=1e-3, atol=1e-3)
        fuses = peer == "jax" and name in ("escape_random", "escape_picture", "spheres")
        apart, allowed = np.count_nonzero(~near), mine.size // 100 if fuses else 0
        if apart > allowed:
            at = np.flatnonzero(~near)[0]
            return f"{name}, {peer}: {apart} of {mine.size} elements differ, the first at {at}: {theirs[at]}, {mine[at]} of kiln's"
    return None


def measure_loops():
    try:
        import numpy as np
    except ImportError as missing:
        sys.exit(f"{missing}; install the packages of bench/requirements.txt: python3 -m pip install -r bench/requirements.txt")
    from loop_peers import PEERS, RESULTS, inputs_of, size_of, worst_ulp
    if unknown := [name for name in arguments.loops if name not in RESULTS]:
        parser.error(f"no loop {unknown[0]}; there are {', '.join(RESULTS)}")
    peers, versions = {}, {}
    for peer, prepare in PEERS.items():
        try:
            versions[peer], *peers[peer] = prepare(arguments.threads)
        except ImportError as missing:
            print(f"{peer} is left out: {missing}")
    print(", ".join(f"{peer} {version}" for peer, version in versions.items()), end="; ")
    print(f"{arguments.threads} threads; ms, ratio to kiln in brackets")
    print(f"{'loop':18}{'n':>9}{'kiln':>9}" + "".join(f"{peer:>19}" for peer in peers))
    rows, wrong = [], []
    server = Server(arguments.server)
    for name in arguments.loops or RESULTS:
        inputs, n = inputs_of(name), size_of(name)
        calls = {peer: prepare(name, functions[name], inputs) for peer, (functions, prepare) in peers.items() if name in functions}
        samples = {peer: [] for peer in ("kiln", *calls)}
        with tempfile.TemporaryDirectory() as folder:
            for i, values in enumerate(inputs):
                np.save(f"{folder}/{i}.npy", values)
            for _ in range(arguments.rounds):
                samples["kiln"].append(server.ask("loop", name, n, arguments.threads, arguments.seconds, folder) * n / 1e6)
                for peer, (call, _) in calls.items():
                    samples[peer].append(measure(call, n) * n / 1e6)
            kiln = [np.load(f"{folder}/kiln{i}.npy") for i in range(len(RESULTS[name]))]
        errors = {"kiln": worst_ulp(name, inputs, kiln[0])}
        for peer, (_, results) in calls.items():
            theirs = results()
            if difference := compare(name, peer, kiln, theirs):
                wrong.append(difference)
            errors[peer] = worst_ulp(name, inputs, theirs[0])
        median = {peer: statistics.median(values) for peer, values in samples.items()}
        cells = "".join((f"{median[p]:9.2f} ({median[p] / median['kiln']:6.2f})" if p in median else "–").rjust(19) for p in peers)
        print(f"{name:18}{n:>9}{median['kiln']:9.2f}{cells}", flush=True)
        if errors["kiln"] is not None:
            print("  errors in ulp, at most: " + ", ".join(f"{who} {error:.1f}" for who, error in errors.items()), flush=True)
        rows.append({"loop": name, "n": n, "ms": median, "ulp": errors, "spread": {p: [min(v), max(v)] for p, v in samples.items()}})
    server.close()
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({**versions, "threads": arguments.threads, "rows": rows}, file, indent=1)
    print("\n".join(wrong) if wrong else "The results of all are kiln's.")
    sys.exit(1 if wrong else 0)


if arguments.loops is not None:
    measure_loops()

try:
    import math
    import cmath  # noqa: F401

    import numba
    import numexpr
    import numpy as np
except ImportError as missing:
    sys.exit(f"{missing}; install the packages of bench/requirements.txt: python3 -m pip install -r bench/requirements.txt")

numexpr.set_num_threads(arguments.threads)
f32, c64 = np.float32, np.complex64
MEAN, SIGMA = f32(0.5), f32(1.5)


def np_saxpy(x, y, out):
    np.multiply(x, f32(2.5), out=out)
    np.add(out, y, out=out)


def np_discriminant(a, b, c, out):
    np.sqrt(b * b - f32(4) * a * c, out=out)


def np_gaussian(x, out):
    z = (x - MEAN) / SIGMA
    np.divide(np.exp(f32(-0.5) * z * z), SIGMA * f32(2.5066282746), out=out)


def np_polar(r1, t1, r2, t2, out):
    dx = r1 * np.cos(t1) - r2 * np.cos(t2)
    dy = r1 * np.sin(t1) - r2 * np.sin(t2)
    np.sqrt(dx * dx + dy * dy, out=out)


def np_complex(a, b, out):
    np.multiply(a, b, out=out)


def scalar_saxpy(a, x, y):
    return a * x + y


def scalar_discriminant(a, b, c):
    return math.sqrt(b * b - f32(4) * a * c)


def scalar_gaussian(x, mean, sigma):
    z = (x - mean) / sigma
    return math.exp(f32(-0.5) * z * z) / (sigma * f32(2.5066282746))


def scalar_polar(r1, t1, r2, t2):
    dx = r1 * math.cos(t1) - r2 * math.cos(t2)
    dy = r1 * math.sin(t1) - r2 * math.sin(t2)
    return math.sqrt(dx * dx + dy * dy)


def scalar_complex(a, b):
    return a * b


# name: (dtype, arrays, numpy, numba scalar function, its signature, scalars before, scalars after, numexpr text)
OPERATIONS = {
    "saxpy": (f32, 2, np_saxpy, scalar_saxpy, "float32(float32, float32, float32)", (f32(2.5),), (), "s0*a + b"),
    "discriminant": (f32, 3, np_discriminant, scalar_discriminant, "float32(float32, float32, float32)", (), (), "sqrt(b*b - s4*a*c)"),
    "gaussian_pdf": (f32, 1, np_gaussian, scalar_gaussian, "float32(float32, float32, float32)", (), (MEAN, SIGMA),
                     "exp(mh*((a-s0)/s1)*((a-s0)/s1)) / (s1*root)"),
    "polar_distance": (f32, 4, np_polar, scalar_polar, "float32(float32, float32, float32, float32)", (), (),
                       "sqrt((a*cos(b)-c*cos(d))*(a*cos(b)-c*cos(d)) + (a*sin(b)-c*sin(d))*(a*sin(b)-c*sin(d)))"),
    "complex_multiply": (c64, 2, np_complex, scalar_complex, "complex64(complex64, complex64)", (), (), None),
}


def make_inputs(dtype, arrays, n):
    random = np.random.default_rng(7)
    inputs = []
    for k in range(arrays):
        low, high = (2.5, 3.0) if k == 1 else (0.1, 1.0)
        values = random.uniform(low, high, n).astype(f32)
        inputs.append(values if dtype is f32 else (values + 1j * values[::-1]).astype(c64))
    return inputs


server = Server(arguments.server)


def ask_kiln(name, n):
    return server.ask(name, n, arguments.threads, arguments.seconds)


rows = []
print(f"numpy {np.__version__}, numba {numba.__version__}, numexpr {numexpr.__version__}; {arguments.threads} threads; "
      "ns per element, ratio to kiln in brackets")
print(f"{'operation':18}{'n':>10}{'kiln':>9}{'numpy':>17}{'numba parallel':>17}{'numexpr':>17}")
for name, (dtype, arrays, by_numpy, scalar, signature, before, after, text) in OPERATIONS.items():
    by_numba = numba.vectorize([signature], target="parallel" if arguments.threads > 1 else "cpu")(scalar)
    for n in (1_000_000, 10_000_000, 50_000_000):
        inputs = make_inputs(dtype, arrays, n)
        out = np.empty(n, dtype)
        calls = {"numpy": lambda: by_numpy(*inputs, out), "numba": lambda: by_numba(*before, *inputs, *after, out)}
        if text:
            names = dict(zip("abcd", inputs), s4=f32(4), mh=f32(-0.5), root=f32(2.5066282746))
            names.update({f"s{i}": value for i, value in enumerate(before or after)})
            calls["numexpr"] = lambda: numexpr.evaluate(text, local_dict=names, out=out, casting="same_kind")
        samples = {peer: [] for peer in ("kiln", *calls)}
        for _ in range(arguments.rounds):
            samples["kiln"].append(ask_kiln(name, n))
            for peer, call in calls.items():
                samples[peer].append(measure(call, n))
        median = {peer: statistics.median(values) for peer, values in samples.items()}
        cells = "".join(f"{median[p]:9.3f} ({median[p] / median['kiln']:4.1f})".rjust(17) if p in median else "–".rjust(17)
                        for p in ("numpy", "numba", "numexpr"))
        print(f"{name:18}{n:>10}{median['kiln']:9.3f}{cells}", flush=True)
        rows.append({"operation": name, "n": n, "ns_per_element": median,
                     "spread": {p: [min(v), max(v)] for p, v in samples.items()}})
server.close()
if arguments.json:
    with open(arguments.json, "w") as file:
        json.dump({"numpy": np.__version__, "numba": numba.__version__, "numexpr": numexpr.__version__,
                   "threads": arguments.threads, "rows": rows}, file, indent=1)
