"""Tests of the package against NumPy."""
import re

import numpy as np
import pytest

import kiln

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


@pytest.fixture(scope="session", autouse=True)
def messages_have_no_words_of_cpp():
    """Asserts that no error of the session names an option as C++ does, ".out", outside quotes."""
    seen = set()

    def __init__(self, *args):
        super(kiln.Error, self).__init__(*args)
        seen.update(str(each).partition("\n")[0] for each in args)
    kiln.Error.__init__ = __init__
    yield
    del kiln.Error.__init__
    unquoted = [re.sub(r"\"[^\"]*\"|'[^']*'", "''", each) for each in seen]
    assert not [each for each in unquoted if re.search(r"(?:^|[ (])\.[a-z_]{2,}\b|\b(?:kiln|Casting|DType)::", each)]
