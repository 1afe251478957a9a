"""Benchmarks for Airspeed Velocity. Classes, methods and sizes have NumPy's names and values, so that tables can stand side by side.

`library` is a parameter of each: "kiln" has kiln.math, and "numpy" has NumPy.
"""
import numpy as np

import kiln

LIBRARIES = {"kiln": kiln.math, "numpy": np}
TYPES = ["int16", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128"]


def squares(dtype):
    """Returns two arrays of 100 by 100 that are no constants; the first is above 0 and below 1 where the dtype allows it."""
    rng = np.random.default_rng(1804169117)
    made = [rng.random((100, 100)) if np.dtype(dtype).kind in "fc" else rng.integers(1, 30, (100, 100)) for _ in range(2)]
    return [(each + 1j * each if np.dtype(dtype).kind == "c" else each).astype(dtype) for each in made]


class Benchmark:
    """Has `library` as its first parameter.."""

    timeout = 60
    params = (list(LIBRARIES),)
    param_names = ("library",)

    def __init_subclass__(cls, params=(), names=()):
        cls.params = (list(LIBRARIES), *params)
        cls.param_names = ("library", *names)
