#!/usr/bin/env python3
"""kiln beside CuPy, PyTorch and numba-cuda: in one process, in turn, on the same arrays.

usage: python3 bench/gpu_peers.py [--library build/gpu/lib/libkiln-gpu-peers.so] [--json FILE] [--shift N] [--rounds 5]

Needs none of them: what is not installed, or does not work, says so in place of its figures. The arrays are kiln's; the peers get them by
__cuda_array_interface__. A peer that is here and does not work is a failure, at the end. Everyone writes to an output that exists, and its values are checked before it is timed. A figure is the median
over rounds; a round queues the call in a batch, and waits for the device once. The file has whatever was measured so far.
"""
import argparse
import array
import ctypes
import importlib
import json
import math
import os
import runpy
import signal
import statistics
import sys
import time

# name: (inputs, C statements that set `out`, Python's function of one element). kiln's bodies: bench/gpu_kernels.cpp.
OPERATIONS = {
    "saxpy": ("xy", "out = 2.5f * x + y;", lambda x, y: 2.5 * x + y),
    "discriminant": ("abc", "out = sqrtf(b * b - 4.0f * a * c);", lambda a, b, c: math.sqrt(b * b - 4 * a * c)),
    "gaussian": ("x", "float z = (x - 0.5f) / 1.5f; out = expf(-0.5f * z * z) / 3.7599424f;",
                 lambda x: math.exp(-0.5 * ((x - 0.5) / 1.5) ** 2) / 3.7599424),
    "black_scholes": ("skt", "float deviation = 0.3f * sqrtf(t); float d = (logf(s / k) + 0.065f * t) / deviation; "
                             "out = 0.5f * s * erfcf(-0.70710678f * d)"
                             " - 0.5f * k * expf(-0.02f * t) * erfcf(-0.70710678f * (d - deviation));",
                      lambda s, k, t: black_scholes(s, k, t)),
}


def black_scholes(s, k, t):
    deviation = 0.3 * math.sqrt(t)
    d = (math.log(s / k) + 0.065 * t) / deviation
    return 0.5 * s * math.erfc(-d / math.sqrt(2)) - 0.5 * k * math.exp(-0.02 * t) * math.erfc(-(d - deviation) / math.sqrt(2))


class Kiln:
    """libkiln-gpu-peers.so, whose functions bench/gpu_peers.cpp explains."""

    def __init__(self, path, device):
        self.library = ctypes.CDLL(os.path.abspath(path))
        for name, result in (("error", ctypes.c_char_p), ("array", ctypes.c_void_p), ("address", ctypes.c_uint64),
                             ("call", ctypes.c_void_p), ("first_result", ctypes.c_double)):
            getattr(self.library, "kiln_peers_" + name).restype = result
        self.check(self.library.kiln_peers_open(device.encode()) == 0)
        self.wait = self.library.kiln_peers_wait

    def check(self, good):
        if not good:
            raise RuntimeError(self.library.kiln_peers_error().decode())

    def array(self, values):
        return Array(self, values)

    @staticmethod
    def handles(arrays):
        return (ctypes.c_void_p * len(arrays))(*(each.handle for each in arrays))

    def call(self, operation, arrays):
        """A function that queues the operation so many times."""
        made = self.library.kiln_peers_call(operation.encode(), self.handles(arrays), len(arrays))
        self.check(made)
        run, made = self.library.kiln_peers_run, ctypes.c_void_p(made)
        return lambda times=1: run(made, ctypes.c_int64(times))

    def first_result(self, salt, arrays):
        seconds = self.library.kiln_peers_first_result(salt.encode(), self.handles(arrays))
        self.check(seconds >= 0)
        return seconds


class Array:
    """float32 of the device, which every peer can wrap."""

    def __init__(self, kiln, values):
        self.kiln, self.size = kiln, len(values)
        self.handle = kiln.library.kiln_peers_array(ctypes.c_void_p(values.buffer_info()[0]), ctypes.c_int64(len(values)))
        kiln.check(self.handle)
        address = kiln.library.kiln_peers_address(ctypes.c_void_p(self.handle))
        self.__cuda_array_interface__ = {"shape": (self.size,), "typestr": "<f4", "data": (address, False), "version": 3, "strides": None}

    def fill(self, value):
        self.kiln.check(self.kiln.library.kiln_peers_fill(ctypes.c_void_p(self.handle), ctypes.c_float(value)) == 0)

    def read(self):
        values = array.array("f", bytes(4 * self.size))
        self.kiln.check(self.kiln.library.kiln_peers_read(ctypes.c_void_p(self.handle), ctypes.c_void_p(values.buffer_info()[0])) == 0)
        return values


class Peer:
    """One way to write a peer's kernels. `call(operation, arrays)` gives a function that queues it; `new_kernel(salt, arrays)` makes
    a discriminant that nothing has compiled before, and queues it."""

    new_kernel = None

    @staticmethod
    def prepare():
        """Before it is imported."""

    def __init__(self, module):
        self.module = module


class CuPy(Peer):
    module_name, name = "cupy", "cupy"

    @staticmethod
    def has_device(cupy):
        return cupy.cuda.runtime.getDeviceCount() > 0

    def wait(self):
        self.module.cuda.runtime.deviceSynchronize()

    def kernel(self, name, salt=""):
        inputs, statements, _ = OPERATIONS[name]
        return self.module.ElementwiseKernel(", ".join(f"float32 {x}" for x in inputs), "float32 out", f"/* {salt} */ {statements}", name)

    def call(self, name, arrays):
        arrays = [self.module.asarray(each) for each in arrays]
        if name == "sum":
            out = arrays[-1].reshape(())
            return lambda: self.module.sum(arrays[0], out=out)
        kernel = self.kernel(name)
        return lambda: kernel(*arrays)

    def new_kernel(self, salt, arrays):
        self.kernel("discriminant", salt)(*(self.module.asarray(each) for each in arrays))


class CuPyRaw(CuPy):
    name = "cupy.RawKernel"

    def kernel(self, name, salt=""):
        inputs, statements, _ = OPERATIONS[name]
        parameters = ", ".join(f"const float* {x}_" for x in inputs)
        loads = " ".join(f"float {x} = {x}_[i];" for x in inputs)
        text = (f'/* {salt} */ extern "C" __global__ void {name}({parameters}, float* out_, long long n) {{\n'
                "  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
                f"  if (i < n) {{ {loads} float out; {statements} out_[i] = out; }}\n}}\n")
        return self.module.RawKernel(text, name)

    def call(self, name, arrays):
        if name == "sum":
            return None
        kernel, size = self.kernel(name), arrays[0].size
        arguments = (*(self.module.asarray(each) for each in arrays), self.module.int64(size))
        grid = ((size + 255) // 256,)
        return lambda: kernel(grid, (256,), arguments)

    def new_kernel(self, salt, arrays):
        size = arrays[0].size
        arguments = (*(self.module.asarray(each) for each in arrays), self.module.int64(size))
        self.kernel("discriminant", salt)(((size + 255) // 256,), (256,), arguments)


class Torch(Peer):
    module_name, name = "torch", "torch"

    @staticmethod
    def has_device(torch):
        return torch.cuda.is_available()

    def wait(self):
        self.module.cuda.synchronize()

    def function(self, name):
        torch = self.module

        def of_black_scholes(s, k, t):
            deviation = 0.3 * torch.sqrt(t)
            d = (torch.log(s / k) + 0.065 * t) / deviation
            return (0.5 * s * torch.erfc(-0.70710678 * d)
                    - 0.5 * k * torch.exp(-0.02 * t) * torch.erfc(-0.70710678 * (d - deviation)))

        def of_gaussian(x):
            z = (x - 0.5) / 1.5
            return torch.exp(-0.5 * z * z) / 3.7599424

        return {"saxpy": lambda x, y: 2.5 * x + y, "discriminant": lambda a, b, c: torch.sqrt(b * b - 4 * a * c),
                "gaussian": of_gaussian, "black_scholes": of_black_scholes}[name]

    def tensors(self, arrays):
        return [self.module.as_tensor(each, device="cuda") for each in arrays]

    def call(self, name, arrays):
        torch, (*inputs, out) = self.module, self.tensors(arrays)
        if name == "sum":
            scalar = out.reshape(())
            return lambda: torch.sum(inputs[0], dim=0, out=scalar)
        if name == "saxpy":
            return lambda: torch.add(inputs[1], inputs[0], alpha=2.5, out=out)
        if name == "discriminant":
            a, b, c = inputs
            return lambda: torch.sqrt(b * b - 4 * a * c, out=out)
        function = self.function(name)
        return lambda: out.copy_(function(*inputs))


class TorchCompiled(Torch):
    name = "torch.compile"

    def call(self, name, arrays):
        *inputs, out = self.tensors(arrays)
        if name == "sum":
            return None
        self.module.compiler.reset()  # else it falls back to eager mode after a few functions
        function = self.function(name)
        compiled = self.module.compile(lambda *values: out.copy_(function(*values)))
        return lambda: compiled(*inputs)

    def new_kernel(self, salt, arrays):
        torch, (*inputs, out) = self.module, self.tensors(arrays)
        torch.compiler.reset()
        constant = 4 + hash(salt) % 1000003 * 1e-9  # another graph each time
        torch.compile(lambda a, b, c: out.copy_(torch.sqrt(b * b - constant * a * c)))(*inputs)


class Numba(Peer):
    module_name, name = "numba", "numba"

    @staticmethod
    def prepare():
        """numba names np.row_stack, an alias of np.vstack that newer NumPys no longer have."""
        numpy = importlib.import_module("numpy")
        if not hasattr(numpy, "row_stack"):
            numpy.row_stack = numpy.vstack

    def __init__(self, module):
        super().__init__(module)
        self.cuda = importlib.import_module("numba.cuda")

    @staticmethod
    def has_device(_):
        return importlib.import_module("numba.cuda").is_available()

    def wait(self):
        self.cuda.synchronize()

    def kernel(self, name):
        f = importlib.import_module("numpy").float32  # constants of float64 would make all of it float64

        def of_gaussian(x):
            z = (x - f(0.5)) / f(1.5)
            return math.exp(f(-0.5) * z * z) / f(3.7599424)

        def of_black_scholes(s, k, t):
            deviation = f(0.3) * math.sqrt(t)
            d = (math.log(s / k) + f(0.065) * t) / deviation
            return (f(0.5) * s * math.erfc(f(-0.70710678) * d)
                    - f(0.5) * k * math.exp(f(-0.02) * t) * math.erfc(f(-0.70710678) * (d - deviation)))

        function = {"saxpy": lambda x, y: f(2.5) * x + y, "discriminant": lambda a, b, c: math.sqrt(b * b - f(4) * a * c),
                    "gaussian": of_gaussian, "black_scholes": of_black_scholes}[name]
        signature = f"float32({', '.join(['float32'] * len(OPERATIONS[name][0]))})"
        return self.module.vectorize([signature], target="cuda")(function)

    def call(self, name, arrays):
        *inputs, out = (self.cuda.as_cuda_array(each) for each in arrays)
        if name == "sum":
            reduce = self.cuda.reduce(lambda a, b: a + b)
            return lambda: reduce(inputs[0], res=out)
        kernel = self.kernel(name)
        return lambda: kernel(*inputs, out=out)

    def new_kernel(self, salt, arrays):
        *inputs, out = (self.cuda.as_cuda_array(each) for each in arrays)
        self.kernel("discriminant")(*inputs, out=out)  # decorating compiles, whatever was compiled before


PEERS = (CuPy, CuPyRaw, Torch, Numba, TorchCompiled)  # what takes longest to compile comes last


class TookTooLong(Exception):
    pass


def within(seconds, work):
    """What `work` gives, or TookTooLong; of one that never comes back to Python, the step's own limit is the end."""
    def ring(*_):
        raise TookTooLong(f"more than {seconds} s")
    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        return work()
    finally:
        signal.alarm(0)


def one_line(error):
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:160]}" if text else type(error).__name__


def find_peers():
    """The peers that work, the state of each, and the names of those that are here and do not work."""
    found, states, broken = [], {}, []
    for kind in PEERS:
        try:
            kind.prepare()
            module = within(60, lambda kind=kind: importlib.import_module(kind.module_name))
            if not kind.has_device(module):
                states[kind.name] = "sees no GPU"
                continue
            found.append(kind(module))
            states[kind.name] = str(module.__version__)
        except ModuleNotFoundError:
            states[kind.name] = "not installed"
        except Exception as error:  # pylint: disable=broad-except; whatever is wrong with a peer is no fault of kiln's
            states[kind.name] = one_line(error)
            broken.append(kind.name)
    return found, states, broken


def varied(size, low):
    """Values without a pattern that hardware could use: a period of a prime."""
    period, value = array.array("f"), 12345
    for _ in range(min(size, 65537)):
        value = (value * 1103515245 + 12345) % (1 << 31)
        period.append(low + 0.9 * value / (1 << 31))
    return (period * (size // len(period) + 1))[:size]


def spread(samples):
    median = statistics.median(samples)
    return {"median": median, "spread": (max(samples) - min(samples)) / median if median > 0 else 0, "samples": len(samples)}


def wrong_by(values, expected):
    """How far those elements are from what they should be, relatively."""
    return max(abs(values[i] - value) / max(abs(value), 1e-3) for i, value in expected.items())


class Bench:
    def __init__(self, arguments):
        self.rounds, self.path = arguments.rounds, arguments.json
        self.kiln = Kiln(arguments.library, arguments.device)
        self.peers, states, self.broken = find_peers()
        self.report = {"peers": states, "stand_ins": bool(arguments.stand_ins), "rows": []}
        self.compile_seconds = arguments.compile_seconds

    def reason(self, name, error):
        """One that only takes long is not broken."""
        if not isinstance(error, TookTooLong) and name not in self.broken:
            self.broken.append(name)
        return one_line(error)

    def save(self):
        if self.path:
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.report, file, indent=1)
            os.replace(self.path + ".new", self.path)

    def calls(self, operation, arrays, expected, tolerance):
        """{column: function that queues it `times` times} of those whose result is right; the others' reasons."""
        *_, out = arrays
        made, reasons = {}, {}
        for peer in (None, *self.peers):
            name = peer.name if peer else "kiln"
            try:
                if peer is None:
                    call, wait = self.kiln.call(operation, arrays), self.kiln.wait
                else:
                    one = peer.call(operation, arrays)
                    if one is None:
                        continue
                    wait = peer.wait

                    def call(times, one=one):
                        for _ in range(times):
                            one()
                def run(call=call, wait=wait):
                    call(1)
                    wait()
                out.fill(-1e6)  # what writes nothing is wrong
                within(self.compile_seconds, run)
                if not (error := wrong_by(out.read(), expected)) <= tolerance:
                    raise ValueError(f"wrong by {error:.1e}")
                made[name] = (call, wait)
            except Exception as error:  # pylint: disable=broad-except
                reasons[name] = self.reason(name, error)
        if "kiln" not in made:
            raise RuntimeError(f"kiln's {operation}: {reasons['kiln']}")
        return made, reasons

    def row(self, operation, n, made, reasons, batch_seconds=0.01, most=1000):
        batches = {}
        for name, (call, wait) in made.items():
            start = time.perf_counter()
            call(3)
            wait()
            batches[name] = max(1, min(most, int(batch_seconds / max((time.perf_counter() - start) / 3, 1e-9))))
        samples = {name: [] for name in made}
        for _ in range(self.rounds):
            for name, (call, wait) in made.items():
                start = time.perf_counter()
                call(batches[name])
                wait()
                samples[name].append(1e6 * (time.perf_counter() - start) / batches[name])
        self.add({"operation": operation, "n": n, "unit": "us", "figures": {k: spread(v) for k, v in samples.items()}, "reasons": reasons})

    def add(self, row):
        self.report["rows"].append(row)
        cells = "".join(f"  {name} {figure['median']:.2f}" for name, figure in row["figures"].items())
        print(f"{row['operation']} of {row['n']} in {row['unit']}:{cells}", flush=True)
        for name, reason in row["reasons"].items():
            print(f"  {name}: {reason}", flush=True)
        self.save()

    def elementwise(self, n):
        inputs = [self.kiln.array(varied(n, low)) for low in (0.1, 2.5, 0.1)]
        out = self.kiln.array(array.array("f", bytes(4 * n)))
        values = [each.read() for each in inputs]
        for name, (letters, _, function) in OPERATIONS.items():
            arrays = inputs[:len(letters)] + [out]
            expected = {i: function(*(v[i] for v in values[:len(letters)])) for i in {*range(min(n, 16)), n - 1}}
            made, reasons = self.calls(name, arrays, expected, 1e-4)
            self.row(name, n, made, reasons)
            self.kiln.wait()
        one = self.kiln.array(array.array("f", [0]))
        made, reasons = self.calls("sum", [inputs[0], one], {0: math.fsum(values[0])}, 1e-4)
        self.row("sum", n, made, reasons)

    def small_calls(self):
        """Of one element: kiln's as a C++ program calls it, and through ctypes, as Python calls the peers."""
        arrays = [self.kiln.array(array.array("f", [1])) for _ in range(3)]
        made, reasons = self.calls("saxpy", arrays, {0: 3.5}, 1e-6)
        by_cpp, wait = made["kiln"]

        def by_ctypes(times):
            for _ in range(times):
                by_cpp(1)
        made["kiln by ctypes"] = (by_ctypes, wait)
        self.row("call of 1 element", 1, made, reasons, batch_seconds=0.005, most=500)

    def first_results(self):
        """From the text of a new kernel to its result, whose compiler has compiled before."""
        arrays = [self.kiln.array(array.array("f", values)) for values in ([1] * 1000, [3] * 1000, [1] * 1000, [0] * 1000)]
        samples, reasons = {"kiln": []}, {}
        makers = {"kiln": None, **{peer.name: peer for peer in self.peers if peer.new_kernel}}
        for k in range(self.rounds + 1):
            for name, peer in list(makers.items()):
                salt = f"{os.getpid()}-{time.time_ns()}-{k}"
                try:
                    if peer is None:
                        seconds = self.kiln.first_result(salt, arrays)
                    else:
                        def run(peer=peer, salt=salt):
                            start = time.perf_counter()
                            peer.new_kernel(salt, arrays)
                            peer.wait()
                            return time.perf_counter() - start
                        seconds = within(self.compile_seconds, run)
                    if k > 0:
                        samples.setdefault(name, []).append(1e3 * seconds)
                except Exception as error:  # pylint: disable=broad-except
                    if peer is None:
                        raise
                    reasons[name] = self.reason(name, error)
                    del makers[name]
        self.add({"operation": "first result of a new kernel", "n": 1000, "unit": "ms",
                  "figures": {k: spread(v) for k, v in samples.items() if v}, "reasons": reasons})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--library", default="build/gpu/lib/libkiln-gpu-peers.so", help="path of libkiln-gpu-peers.so")
    parser.add_argument("--device", default="cuda", help="kiln's name of the device")
    parser.add_argument("--json", help="also write the figures to this file")
    parser.add_argument("--shift", type=int, default=0, help="divide sizes by 2^SHIFT, to try it on a slow device")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compile-seconds", type=int, default=30, help="that a peer may take for one kernel")
    parser.add_argument("--stand-ins", help="a file that puts modules in the peers' places, to rehearse this without them")
    arguments = parser.parse_args()
    if arguments.stand_ins:
        runpy.run_path(arguments.stand_ins, run_name="stand_ins")
    bench = Bench(arguments)
    for name, state in bench.report["peers"].items():
        print(f"{name}: {state}", flush=True)
    bench.save()
    bench.small_calls()
    for n in (1 << 20, 1 << 26):
        bench.elementwise(max(n >> arguments.shift, 1))
    bench.first_results()
    if bench.broken:
        raise RuntimeError(f"here, and does not work: {', '.join(bench.broken)}")


if __name__ == "__main__":
    try:
        main()
    except (OSError, RuntimeError) as failure:
        sys.exit(f"gpu_peers.py: {failure}")
