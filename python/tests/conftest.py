"""Tests of the package against NumPy."""
import numpy as np
import pytest

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
ALL = ["bool", *INTEGERS, *FLOATS, *COMPLEX]


def values(dtype, shape, seed=0, low=1, high=10):
    """Returns elements that all dtypes hold."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(low, high, shape)
    if dtype == "bool":
        return numbers % 2 == 0
    made = numbers.astype(dtype)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.integers(low, high, shape).astype(dtype)
    return made.astype(dtype)


def same(got, wanted, exact=True):
    """Asserts equal types, dtypes, shapes and elements."""
    assert type(got) is type(wanted), (type(got), type(wanted))
    assert got.dtype == wanted.dtype, (got.dtype, wanted.dtype)
    assert got.shape == wanted.shape
    if exact:
        np.testing.assert_array_equal(got, wanted)
    else:
        eps = np.finfo(wanted.dtype).eps if wanted.dtype.kind in "fc" else 0
        np.testing.assert_allclose(got, wanted, rtol=4 * eps, atol=4 * eps)


@pytest.fixture
def rng():
    return np.random.default_rng(7)
