"""Reductions."""
import numpy as np

from . import LIBRARIES, TYPES, Benchmark, squares


class AddReduce(Benchmark):
    def setup(self, library):
        self.add = LIBRARIES[library].add
        self.squares = [squares(dtype)[0] for dtype in TYPES]

    def time_axis_0(self, library):
        for each in self.squares:
            self.add.reduce(each, axis=0)

    def time_axis_1(self, library):
        for each in self.squares:
            self.add.reduce(each, axis=1)


class AddReduceSeparate(Benchmark, params=([0, 1], TYPES), names=("axis", "type")):
    def setup(self, library, axis, type):
        self.add = LIBRARIES[library].add
        self.a = squares(type)[0]

    def time_reduce(self, library, axis, type):
        self.add.reduce(self.a, axis=axis)


class AnyAll(Benchmark):
    def setup(self, library):
        self.f = LIBRARIES[library]
        self.zeros, self.ones = np.full(100_000, False), np.full(100_000, True)

    def time_all_fast(self, library):
        self.f.logical_and.reduce(self.zeros)

    def time_all_slow(self, library):
        self.f.logical_and.reduce(self.ones)

    def time_any_fast(self, library):
        self.f.logical_or.reduce(self.ones)

    def time_any_slow(self, library):
        self.f.logical_or.reduce(self.zeros)


class StatsReductions(Benchmark, params=(["int64", "uint64", "float32", "float64", "complex64", "bool"],), names=("dtype",)):
    def setup(self, library, dtype):
        self.f = LIBRARIES[library]
        self.data = np.ones(200, dtype)

    def time_min(self, library, dtype):
        self.f.minimum.reduce(self.data)

    def time_max(self, library, dtype):
        self.f.maximum.reduce(self.data)

    def time_prod(self, library, dtype):
        self.f.multiply.reduce(self.data)


class FMinMax(Benchmark, params=(["float32", "float64"],), names=("dtype",)):
    def setup(self, library, dtype):
        self.f = LIBRARIES[library]
        self.d = np.ones(20_000, dtype)

    def time_min(self, library, dtype):
        self.f.fmin.reduce(self.d)

    def time_max(self, library, dtype):
        self.f.fmax.reduce(self.d)


class SmallReduction(Benchmark):
    def setup(self, library):
        self.add = LIBRARIES[library].add
        self.d = np.ones(100, np.float32)

    def time_small(self, library):
        self.add.reduce(self.d)


class Sizes(Benchmark, params=([1, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000],), names=("size",)):
    """What calls.py measures, over all sizes."""

    def setup(self, library, size):
        self.add = LIBRARIES[library].add
        self.d = np.ones(size, np.float32)

    def time_float32(self, library, size):
        self.add.reduce(self.d)
