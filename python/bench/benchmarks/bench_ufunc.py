"""Ufuncs: all of them on squares of each dtype, small arrays, scalars, keywords."""
import numpy as np

import kiln

from . import LIBRARIES, TYPES, Benchmark, squares


class UFunc(Benchmark, params=(sorted(kiln.math._names()),), names=("ufunc",)):
    def setup(self, library, ufunc):
        np.seterr(all="ignore")
        # The calls of both are those that NumPy takes.
        reference = getattr(np, ufunc, None)
        self.f = getattr(LIBRARIES[library], ufunc)
        self.args = []
        for dtype in TYPES:
            args = squares(dtype)[:1] * self.inputs(ufunc)
            try:
                reference(*args)
                self.f(*args)
            except (TypeError, AttributeError):
                continue
            self.args.append(args)
        if not self.args:
            raise NotImplementedError

    @staticmethod
    def inputs(name):
        return getattr(kiln.math, name).nin

    def time_ufunc_types(self, library, ufunc):
        for args in self.args:
            self.f(*args)


class UFuncSmall(Benchmark, params=(["absolute", "sqrt", "cos"],), names=("ufunc",)):
    def setup(self, library, ufunc):
        self.f = getattr(LIBRARIES[library], ufunc)
        self.array_5 = np.array([1.0, 2.0, 10.0, 3.0, 4.0])
        self.array_int_3 = np.array([1, 2, 3])
        self.float64 = np.float64(1.1)

    def time_ufunc_small_array(self, library, ufunc):
        self.f(self.array_5)

    def time_ufunc_small_array_inplace(self, library, ufunc):
        self.f(self.array_5, out=self.array_5)

    def time_ufunc_small_int_array(self, library, ufunc):
        self.f(self.array_int_3)

    def time_ufunc_numpy_scalar(self, library, ufunc):
        self.f(self.float64)

    def time_ufunc_python_float(self, library, ufunc):
        self.f(1.1)


class Broadcast(Benchmark):
    def setup(self, library):
        self.subtract = LIBRARIES[library].subtract
        self.d = np.ones((50000, 100))
        self.e = np.ones(100)

    def time_broadcast(self, library):
        self.subtract(self.d, self.e)


class At(Benchmark):
    def setup(self, library):
        rng = np.random.default_rng(1)
        self.f = LIBRARIES[library]
        self.vals = rng.random(1_000_000)
        self.idx = rng.integers(1000, size=1_000_000)
        self.res = np.zeros(1000)

    def time_sum_at(self, library):
        self.f.add.at(self.res, self.idx, self.vals)

    def time_maximum_at(self, library):
        self.f.maximum.at(self.res, self.idx, self.vals)


class CustomInplace(Benchmark):
    def setup(self, library):
        self.f = LIBRARIES[library]
        self.char, self.int = np.ones(500_000, np.int8), np.ones(150_000, np.int32)
        self.float, self.double = np.ones(150_000, np.float32), np.ones(75_000)

    def time_char_or(self, library):
        self.f.bitwise_or(self.char, 0, out=self.char)

    def time_int_or(self, library):
        self.f.bitwise_or(self.int, 0, out=self.int)

    def time_float_add(self, library):
        self.f.add(self.float, 1.0, out=self.float)

    def time_double_add(self, library):
        self.f.add(self.double, 1.0, out=self.double)


class CustomScalar(Benchmark, params=(["float32", "float64"],), names=("dtype",)):
    def setup(self, library, dtype):
        self.f = LIBRARIES[library]
        self.d = np.ones(20_000, dtype)

    def time_add_scalar2(self, library, dtype):
        self.f.add(self.d, 1)

    def time_divide_scalar2(self, library, dtype):
        self.f.divide(self.d, 1)

    def time_divide_scalar2_inplace(self, library, dtype):
        self.f.divide(self.d, 1, out=self.d)


class CustomComparison(Benchmark, params=(["int8", "int16", "int32", "int64", "uint8", "float32", "float64", "bool"],), names=("dtype",)):
    def setup(self, library, dtype):
        self.less = LIBRARIES[library].less
        self.x, self.y, self.s = np.ones(50_000, dtype), np.ones(50_000, dtype), np.ones(1, dtype)

    def time_less_than_binary(self, library, dtype):
        self.less(self.x, self.y)

    def time_less_than_scalar1(self, library, dtype):
        self.less(self.s, self.x)

    def time_less_than_scalar2(self, library, dtype):
        self.less(self.x, self.s)


class CustomScalarFloorDivideInt(Benchmark, params=(["int8", "int16", "int32", "int64"], [8, -8, 43, -43]), names=("dtype", "divisors")):
    def setup(self, library, dtype, divisors):
        limits = np.iinfo(dtype)
        self.floor_divide = LIBRARIES[library].floor_divide
        self.x = np.random.default_rng(2).integers(limits.min, limits.max, 10_000, dtype)

    def time_floor_divide_int(self, library, dtype, divisors):
        self.floor_divide(self.x, divisors)


class Scalar(Benchmark):
    def setup(self, library):
        self.add = LIBRARIES[library].add
        self.x, self.y, self.z = np.asarray(1.0), np.asarray(1.0 + 1j), complex(1.0, 1.0)

    def time_add_scalar(self, library):
        self.add(self.x, self.x)

    def time_add_scalar_conv(self, library):
        self.add(self.x, 1.0)

    def time_add_scalar_conv_complex(self, library):
        self.add(self.y, self.z)


class ArgParsing(Benchmark):
    def setup(self, library):
        self.add = LIBRARIES[library].add
        self.x, self.y, self.out = np.array(1.0), np.array(2.0), np.array(3.0)

    def time_add_arg_parsing(self, library):
        self.add(self.x, self.y)

    def time_add_arg_parsing_out(self, library):
        self.add(self.x, self.y, out=self.out)

    def time_add_arg_parsing_subok(self, library):
        self.add(self.x, self.y, out=self.out, subok=True)

    def time_add_arg_parsing_where(self, library):
        self.add(self.x, self.y, out=self.out, subok=True, where=True)


class BinaryBench(Benchmark, params=(["float32", "float64"],), names=("dtype",)):
    def setup(self, library, dtype):
        rng = np.random.default_rng(3)
        self.f = LIBRARIES[library]
        self.a, self.b = (rng.random(100_000).astype(dtype) for _ in range(2))

    def time_pow(self, library, dtype):
        self.f.power(self.a, self.b)

    def time_pow_2(self, library, dtype):
        self.f.power(self.a, 2.0)

    def time_atan2(self, library, dtype):
        self.f.arctan2(self.a, self.b)


class Sizes(Benchmark, params=(["add", "exp"], [1, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000]), names=("ufunc", "size")):
    """What calls.py measures, over all sizes."""

    def setup(self, library, ufunc, size):
        self.f = getattr(LIBRARIES[library], ufunc)
        self.args = [np.ones(size, np.float32)] * (2 if ufunc == "add" else 1)

    def time_float32(self, library, ufunc, size):
        self.f(*self.args)
