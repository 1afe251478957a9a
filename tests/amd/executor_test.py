"""Tests of the executor itself: instructions against NumPy and exact fractions, kernels of clang's, and planted faults.

usage: executor_test.py CLANG [unittest argument]…
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

import numpy as np

import alu
import arithmetic
import code_object
import device
import faults
import natives
import pseudocode
import run

CLANG = ""
HERE = pathlib.Path(__file__).parent
ARCHITECTURES = ("gfx942", "gfx1100")
BASE = 0x700000000000
SPECIAL32 = np.array([0.0, -0.0, 1, -1, 1.5, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.1754944e-38, 3.4028235e38, 0.1, 7, 1e30, 1e-30],
                     np.float32)
_compiled = {}


def compiled(text, architecture):
    """A code object, by clang with the prelude that hiprtc.cpp gives it."""
    key = (text, architecture)
    if key not in _compiled:
        with tempfile.TemporaryDirectory() as folder:
            source, code = pathlib.Path(folder, "kernel.hip"), pathlib.Path(folder, "code")
            source.write_text(text)
            subprocess.run([CLANG, "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc", "-O3",
                            "-std=c++20", "-ffp-contract=off", "-include", HERE / "prelude.hpp", f"--offload-arch={architecture}",
                            source, "-o", code], check=True)
            _compiled[key] = code.read_bytes()
    return _compiled[key]


class Arena:
    """Memory of a device with arrays in it."""

    def __init__(self, architecture):
        self.bytes = np.zeros(device.IMAGES + (1 << 20), np.uint8)
        self.device = device.Device(architecture, BASE, self.bytes)
        self.at = BASE + device.IMAGES
        self.buffers = []

    def put(self, array):
        """Its address. A gap follows it."""
        raw = np.ascontiguousarray(array).view(np.uint8).ravel()
        address = self.at
        self.bytes[address - BASE:address - BASE + raw.size] = raw
        self.buffers.append((address, raw.size))
        self.at += (raw.size + 4095) // 4096 * 4096
        return address

    def get(self, address, dtype, count):
        size = np.dtype(dtype).itemsize * count
        return self.bytes[address - BASE:address - BASE + size].view(dtype).copy()

    def launch(self, text, grid, block, *arguments, shared=0, seed=1):
        """arguments: NumPy numbers, laid out as C lays them out."""
        number = self.device.load(compiled(text, self.device.architecture.name))
        data = b""
        for argument in arguments:
            argument = np.asarray(argument)
            data += b"\0" * (-len(data) % argument.itemsize) + argument.tobytes()
        try:
            self.device.launch(number, "kiln_kernel", (grid, 1, 1), (block, 1, 1), shared, data, self.buffers, seed)
        finally:
            self.device.unload(number)


def kernel(parameters, body):
    return f'extern "C" __global__ __launch_bounds__(1024) void kiln_kernel({parameters}) {{\n{body}\n}}\n'


INDEX = "const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;"


def bits(array):
    return np.asarray(array).view({2: np.uint16, 4: np.uint32, 8: np.uint64}[np.asarray(array).itemsize])


class Instructions(unittest.TestCase):
    """Of both families' tables, over the lanes of a wave."""

    def call(self, name, widths, *values, family=None):
        for each in (family,) if family else ("cdna", "rdna3"):
            with np.errstate(all="ignore"):
                executed, names = alu.function(each, name, widths, False)
                given = dict(zip(("S0", "S1", "S2"), (bits(v) for v in values)))
                yield executed.call(*[given[n] for n in names], LANES=64)[0]

    def pairs(self):
        return (np.repeat(SPECIAL32, 16), np.tile(SPECIAL32, 16))

    def same(self, got, wanted):
        got, wanted = np.asarray(got).view(wanted.dtype), np.asarray(wanted)
        if wanted.dtype.kind == "f":
            both = np.isnan(got) & np.isnan(wanted)
            np.testing.assert_array_equal(bits(np.where(both, 0, got).astype(wanted.dtype)),
                                          bits(np.where(both, 0, wanted).astype(wanted.dtype)))
        else:
            np.testing.assert_array_equal(got, wanted)

    def test_floats(self):
        a, b = self.pairs()
        two = {"S0": 32, "S1": 32}
        with np.errstate(all="ignore"):
            for name, wanted in (("V_ADD_F32", a + b), ("V_SUB_F32", a - b), ("V_MUL_F32", a * b)):
                for got in self.call(name, two, a, b):
                    self.same(got, wanted)
            for name, wanted in (("V_TRUNC_F32", np.trunc(a)), ("V_FLOOR_F32", np.floor(a)), ("V_RNDNE_F32", np.rint(a)),
                                 ("V_SQRT_F32", np.sqrt(a)), ("V_CVT_F64_F32", a.astype(np.float64)), ("V_CVT_F16_F32", a.astype(np.float16))):
                for got in self.call(name, {"S0": 32}, a):
                    self.same(got, wanted)

    def test_fma_rounds_once(self):
        random = np.random.default_rng(1)
        for dtype, name in ((np.float32, "V_FMA_F32"), (np.float64, "V_FMA_F64")):
            width = np.dtype(dtype).itemsize * 8
            a, b = (random.standard_normal(400).astype(dtype) for _ in range(2))
            c = (-(a * b) * random.choice([1, 1 + 2.0 ** -20, 0.5, 2.0 ** -30], 400)).astype(dtype)
            for got in self.call(name, {f"S{i}": width for i in range(3)}, a, b, c):
                for i, x in enumerate(np.asarray(got).view(dtype)):
                    exact = Fraction(float(a[i])) * Fraction(float(b[i])) + Fraction(float(c[i]))
                    error = abs(Fraction(float(x)) - exact)
                    for neighbour in (np.nextafter(x, dtype(np.inf)), np.nextafter(x, dtype(-np.inf))):
                        self.assertLessEqual(error, abs(Fraction(float(neighbour)) - exact))

    def test_least_and_greatest_as_printed(self):
        """natives.py's short forms against the pseudocode that AMD prints."""
        a, b = self.pairs()
        for family in ("cdna", "rdna3"):
            for name in ("V_MIN_F32", "V_MAX_F32"):
                printed = pseudocode.translate(alu.table(family)[name], {"S0": 32, "S1": 32})
                with np.errstate(all="ignore"):
                    wanted = printed.call(bits(a), bits(b))[0].view(np.float32)
                    got = next(self.call(name, {"S0": 32, "S1": 32}, a, b, family=family))
                # The printed == knows no sign of zeros, though its branches mean one.
                zeros = (a == 0) & (b == 0)
                self.same(got.view(np.float32)[~zeros], wanted[~zeros])
                both = np.signbit(a) & np.signbit(b) if name == "V_MAX_F32" else np.signbit(a) | np.signbit(b)
                np.testing.assert_array_equal(np.signbit(got.view(np.float32))[zeros], both[zeros])

    def test_integers(self):
        random = np.random.default_rng(2)
        a, b, c = (random.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(3))
        wide = a.astype(np.uint64) * b
        two, three = {"S0": 32, "S1": 32}, {"S0": 32, "S1": 32, "S2": 32}
        for name, operands, values, wanted in (
                ("V_MUL_HI_U32", two, (a, b), (wide >> np.uint64(32)).astype(np.uint32)),
                ("V_MUL_LO_U32", two, (a, b), wide.astype(np.uint32)),
                ("V_ADD3_U32", three, (a, b, c), a + b + c),
                ("V_XOR_B32", two, (a, b), a ^ b),
                ("V_ASHRREV_I32", two, (a & 31, b), b.view(np.int32) >> (a & 31).astype(np.int32)),
                ("V_MAX_I32", two, (a, b), np.maximum(a.view(np.int32), b.view(np.int32))),
                ("V_ALIGNBIT_B32", three, (a, b, c & 31), (((a.astype(np.uint64) << np.uint64(32)) | b) >> (c & 31)).astype(np.uint32)),
                ("V_MUL_U32_U24", two, (a, b), (a & 0xffffff) * (b & 0xffffff))):
            for got in self.call(name, operands, *values):
                self.same(got, wanted)
        for got in self.call("V_MAD_U64_U32", {"S0": 32, "S1": 32, "S2": 64}, a, b, wide):
            self.same(got, wide + wide)
        for got in self.call("V_LSHLREV_B64", {"S0": 32, "S1": 64}, c & 63, wide):
            self.same(got, wide << (c & 63).astype(np.uint64))

    def test_written_by_hand(self):
        random = np.random.default_rng(3)
        a, b, c = (random.integers(0, 1 << 32, 64, dtype=np.uint32) >> random.integers(0, 32, 64, dtype=np.uint32) for _ in range(3))
        c = random.integers(0, 14, (64, 4)).astype(np.uint8).view(np.uint32).ravel()
        found = natives.perm(a, b, c)[0]
        for i in range(64):
            data = int(b[i]).to_bytes(4, "little") + int(a[i]).to_bytes(4, "little")
            wanted = []
            for selector in int(c[i]).to_bytes(4, "little"):
                wanted.append(data[selector] if selector < 8 else 255 * (data[2 * (selector - 8) + 1] >> 7) if selector < 12
                              else 0 if selector == 12 else 255)
            self.assertEqual(int(found[i]).to_bytes(4, "little"), bytes(wanted))
        for i, x in enumerate(a.tolist()):
            self.assertEqual(int(arithmetic.leading_zeros(a)[i]), 0xffffffff if x == 0 else 32 - x.bit_length())
            self.assertEqual(int(arithmetic.trailing_zeros(a)[i]), 0xffffffff if x == 0 else (x & -x).bit_length() - 1)
            self.assertEqual(int(arithmetic.reversed_bits(a)[i]), int(f"{x:032b}"[::-1], 2))

    def test_what_is_not_known_is_named(self):
        with self.assertRaisesRegex(faults.Fault, "the executor does not know V_QSAD_PK_U16_U8"):
            alu.function("cdna", "V_QSAD_PK_U16_U8", {"S0": 64, "S1": 32, "S2": 64, "D0": 64}, False)


class Kernels(unittest.TestCase):
    """clang's code, for both architectures."""

    def each(self):
        return [Arena(architecture) for architecture in ARCHITECTURES]

    def test_quotients_are_rounded_once(self):
        random = np.random.default_rng(4)
        for type_, dtype, low in (("float", np.float32, 150), ("double", np.float64, 1074)):
            exponents = random.integers(-low, low - 50, (2, 900)).astype(np.int32)
            x, y = (np.ldexp(random.uniform(1, 2, 900) * random.choice([1, -1], 900), e).astype(dtype) for e in exponents)
            special = SPECIAL32.astype(dtype)
            x, y = np.concatenate([x, np.repeat(special, 16)]), np.concatenate([y, np.tile(special, 16)])
            with np.errstate(all="ignore"):
                wanted = x / y
            for arena in self.each():
                a, b, out = arena.put(x), arena.put(y), arena.put(np.zeros_like(x))
                arena.launch(kernel(f"const {type_}* x, const {type_}* y, {type_}* z, unsigned n", INDEX + "if (i < n) z[i] = x[i] / y[i];"),
                             (len(x) + 255) // 256, 256, np.uint64(a), np.uint64(b), np.uint64(out), np.uint32(len(x)))
                got = arena.get(out, dtype, len(x))
                nan = np.isnan(wanted)
                np.testing.assert_array_equal(np.isnan(got), nan)
                np.testing.assert_array_equal(bits(got)[~nan], bits(wanted)[~nan])

    SUM = kernel("const int* x, int* out", """
        __shared__ int part[256];
        part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
        __syncthreads();
        for (unsigned step = 128; step > 0; step /= 2) {
          if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
          BARRIER
        }
        if (threadIdx.x == 0) out[blockIdx.x] = part[0];""")

    def sums(self, arena, barrier, seed):
        x = np.arange(1024, dtype=np.int32)
        a, out = arena.put(x), arena.put(np.zeros(4, np.int32))
        arena.launch(self.SUM.replace("BARRIER", barrier), 4, 256, np.uint64(a), np.uint64(out), seed=seed)
        return (arena.get(out, np.int32, 4) == x.reshape(4, 256).sum(1)).all()

    def test_shared_memory_and_barriers(self):
        for arena in self.each():
            self.assertTrue(all(self.sums(arena, "__syncthreads();", seed) for seed in range(4)))

    def test_a_missing_barrier_is_seen(self):
        for arena in self.each():
            self.assertFalse(all(self.sums(arena, "__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, \"workgroup\");", seed) for seed in range(1, 9)))

    def test_atomics_generic_pointers_and_scratch(self):
        body = INDEX + """
          __shared__ unsigned here[8];
          if (threadIdx.x < 8) here[threadIdx.x] = 0;
          __syncthreads();
          unsigned* const where = n > 1 ? here : out;   // generic
          atomicAdd(where + i % 8, i);
          unsigned mine[16];
          for (unsigned k = 0; k < 16; ++k) mine[(k * n) % 16] = k + i;
          __syncthreads();
          if (threadIdx.x < 8) atomicAdd(out + threadIdx.x, here[threadIdx.x]);
          atomicMax(out + 8, mine[n % 16]);"""
        n = 512
        wanted = [sum(range(k, n, 8)) % (1 << 32) for k in range(8)] + [n - 1 + 1]
        for arena in self.each():
            out = arena.put(np.zeros(9, np.uint32))
            arena.launch(kernel("unsigned* out, unsigned n", body), 2, 256, np.uint64(out), np.uint32(3))
            self.assertEqual(arena.get(out, np.uint32, 9).tolist(), wanted)

    def lanes(self, arena, expression, off=""):
        """The expression of each lane's x, 100 and more, over a wave; lanes that are off have y, 0."""
        count = 64 if arena.device.architecture.name == "gfx942" else 32
        x = np.arange(100, 100 + count, dtype=np.int32)
        a, out = arena.put(x), arena.put(np.zeros(count, np.int32))
        body = f"const int i = threadIdx.x; int x = in[i], y = 0; {off} {{ y = {expression}; }} out[i] = y;"
        arena.launch(kernel("const int* in, int* out", body), 1, count, np.uint64(a), np.uint64(out))
        return arena.get(out, np.int32, count).tolist()

    def test_data_parallel_primitives(self):
        """From the words of AMD's documents: where the lane in its row of 16, or its quad, reads; None: there is no such lane."""
        cases = [(0b10_11_00_01, lambda p: p // 4 * 4 + (1, 0, 3, 2)[p % 4]), (0x140, lambda p: 15 - p),
                 (0x141, lambda p: p // 8 * 8 + 7 - p % 8)]
        for n in (1, 8, 15):
            cases += [(0x100 + n, lambda p, n=n: p + n if p + n < 16 else None), (0x110 + n, lambda p, n=n: p - n if p >= n else None),
                      (0x120 + n, lambda p, n=n: (p - n) % 16)]
        for arena in self.each():
            rdna = arena.device.architecture.rdna
            own = [(0x153, lambda p: 3), (0x165, lambda p: p ^ 5)] if rdna else []
            for control, place in cases + own:
                read = [None if place(i % 16) is None else i // 16 * 16 + place(i % 16) for i in range(32 if rdna else 64)]
                zeros = self.lanes(arena, f"__builtin_amdgcn_update_dpp(-1, x, {control}, 0xf, 0xf, true)")
                self.assertEqual(zeros, [0 if j is None else 100 + j for j in read], hex(control))
                kept = self.lanes(arena, f"__builtin_amdgcn_update_dpp(-i, x, {control}, 0xa, 0x7, false)")
                self.assertEqual(kept, [-i if j is None or i // 16 % 2 == 0 or i % 16 >= 12 else 100 + j for i, j in enumerate(read)])
                odd = self.lanes(arena, f"__builtin_amdgcn_update_dpp(-i, x, {control}, 0xf, 0xf, false)", "if (i % 2 == 1 || i > 28)")
                on = [i % 2 == 1 or i > 28 for i in range(len(read))]
                self.assertEqual(odd, [0 if not on[i] else -i if j is None or not on[j] else 100 + j for i, j in enumerate(read)])

    def test_lanes_of_a_whole_wave(self):
        arena = self.each()[0]
        self.assertEqual(self.lanes(arena, "__builtin_amdgcn_update_dpp(-1, x, 0x138, 0xf, 0xf, false)"), [-1, *range(100, 163)])
        self.assertEqual(self.lanes(arena, "__builtin_amdgcn_update_dpp(-1, x, 0x130, 0xf, 0xf, false)"), [*range(101, 164), -1])

    def test_dpp_in_arithmetic(self):
        for arena in self.each():
            got = self.lanes(arena, "x - 2 * __builtin_amdgcn_mov_dpp(x, 0x108, 0xf, 0xf, true)")
            self.assertEqual(got, [100 + i - 2 * (108 + i if i % 16 < 8 else 0) for i in range(len(got))])

    def test_swizzles(self):
        for arena in self.each():
            got = self.lanes(arena, "__builtin_amdgcn_ds_swizzle(x, 0x401f)")
            self.assertEqual(got, [100 + (i ^ 16) for i in range(len(got))])
            got = self.lanes(arena, "__builtin_amdgcn_ds_swizzle(x, 3 << 10 | 4 << 5 | 0x1b)")
            self.assertEqual(got, [100 + (i & 32) + ((i & 0x1b | 4) ^ 3) for i in range(len(got))])
            got = self.lanes(arena, "__builtin_amdgcn_ds_swizzle(x, 0x801b)")
            self.assertEqual(got, [100 + (i ^ 3) for i in range(len(got))])
            got = self.lanes(arena, "__builtin_amdgcn_ds_swizzle(x, 0x401f)", "if (i < 20)")
            self.assertEqual(got, [100 + (i ^ 16) if i < 20 and i ^ 16 < 20 else 0 for i in range(len(got))])

    def test_rows_of_32_lanes(self):
        arena = self.each()[1]
        got = self.lanes(arena, "__builtin_amdgcn_permlanex16(x, x, 0x76543210, 0xfedcba98, true, false)")
        self.assertEqual(got, [100 + (i ^ 16) for i in range(32)])
        got = self.lanes(arena, "__builtin_amdgcn_permlanex16(-i, x, 0x3, 0x0, false, false)", "if (i != 19)")
        self.assertEqual(got, [0 if i == 19 else (0 if i == 0 else 100 + (i & 16 ^ 16) + (3 if i % 16 == 0 else 0)) for i in range(32)])

    def fault(self, status, pattern, text, grid, block, arguments, **more):
        for arena in self.each():
            given = [np.uint64(arena.put(a)) if isinstance(a, np.ndarray) and a.ndim else a for a in arguments]
            with self.assertRaisesRegex(faults.Fault, pattern) as raised:
                arena.launch(text, grid, block, *given, **more)
            self.assertEqual(raised.exception.status, status)

    def test_out_of_bounds(self):
        store = kernel("int* x, unsigned n", INDEX + "if (i < n) x[i] = 1;")
        self.fault(faults.ILLEGAL_ADDRESS, r"kiln_kernel, workgroup \(1, 0, 0\), wave 0, lane 20, instruction at 0x[0-9a-f]+ .*: "
                   r"a store to global memory of 4 bytes at 0x[0-9a-f]+, which is in no allocation",
                   store, 2, 32, [np.zeros(52, np.int32), np.uint32(53)])
        load = kernel("const int* x, unsigned n", INDEX + "if (x[i * n] == 12345) __builtin_trap();")
        self.fault(faults.ILLEGAL_ADDRESS, "a load from global memory of 4 bytes", load, 1, 32, [np.zeros(31, np.int32), np.uint32(1)])
        scalar = kernel("const int* x, int* out, unsigned n", "out[0] = x[n];")
        self.fault(faults.ILLEGAL_ADDRESS, "load from global memory", scalar, 1, 1,
                   [np.zeros(8, np.int32), np.zeros(1, np.int32), np.uint32(8)])
        local = kernel("int* x, unsigned n", "extern __shared__ int part[]; part[threadIdx.x + n] = 1; __syncthreads(); "
                       "x[threadIdx.x] = part[threadIdx.x];")
        self.fault(faults.ILLEGAL_ADDRESS, "lane 31, .*LDS of 4 bytes at 0x80, past its 128", local, 1, 32,
                   [np.zeros(32, np.int32), np.uint32(1)], shared=128)

    def test_misaligned_atomics(self):
        text = kernel("char* x", "atomicAdd(reinterpret_cast<int*>(x + 2), 1);")
        self.fault(faults.MISALIGNED, "an atomic on global memory of 4 bytes at 0x[0-9a-f]+2, which is not aligned", text, 1, 1,
                   [np.zeros(16, np.uint8)])

    def test_barriers_apart(self):
        text = kernel("int* x", "if (threadIdx.x < 64) { __syncthreads(); x[0] = 1; } else { x[1] = 2; __syncthreads(); x[2] = 3; }")
        self.fault(faults.LAUNCH_FAILURE, "waves wait at different barriers", text, 1, 128, [np.zeros(4, np.int32)])

    def test_unknown_instructions(self):
        text = kernel("int* x", 'int y; asm volatile("s_getreg_b32 %0, hwreg(1)" : "=s"(y)); x[0] = y;')
        self.fault(faults.LAUNCH_FAILURE, "the executor does not know S_GETREG_B32", text, 1, 1, [np.zeros(4, np.int32)])

    def test_what_does_not_end(self):
        text = kernel("volatile int* x", "while (x[0] == 0) {}")
        seconds, device.SECONDS = device.SECONDS, 0.5
        try:
            self.fault(faults.TIME_OUT, "the kernel does not end", text, 1, 1, [np.zeros(4, np.int32)])
        finally:
            device.SECONDS = seconds

    def test_a_dump_runs_again(self):
        for arena in self.each():
            text = kernel("int* x, unsigned n", INDEX + "if (i < n) x[i] += i;")
            address = arena.put(np.full(40, 7, np.int32))
            number = arena.device.load(compiled(text, arena.device.architecture.name))
            request = {"kernel": "kiln_kernel", "grid": [2, 1, 1], "block": [32, 1, 1], "shared": 0, "buffers": arena.buffers}
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "launch.npz")
                run.save(path, arena.device, number, request, np.uint64(address).tobytes() + np.uint32(40).tobytes())
                here, _ = run.run(path)
            got = here.bytes[address - here.base:address - here.base + 160].view(np.int32)
            np.testing.assert_array_equal(got, 7 + np.arange(40))


class CodeObjects(unittest.TestCase):
    def test_arguments(self):
        text = kernel("char c, double* x, short s", "x[0] = c + s + blockDim.x;")
        for architecture, lanes in zip(ARCHITECTURES, (64, 32)):
            found = code_object.CodeObject(compiled(text, architecture)).kernels["kiln_kernel"]
            self.assertEqual(found.explicit(), [(0, 1), (8, 8), (16, 2)])
            self.assertEqual(found.lanes, lanes)
            self.assertIn("hidden_group_size_x", [a[".value_kind"] for a in found.arguments])

    def test_others_are_refused(self):
        for data in (b"", b"\x7fELF" + bytes(60)):
            with self.assertRaises(faults.Fault):
                code_object.CodeObject(data)


if __name__ == "__main__":
    CLANG = sys.argv.pop(1)
    unittest.main()
