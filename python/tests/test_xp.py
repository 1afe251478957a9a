"""kiln.xp: the array API standard's names. NumPy's main namespace follows the standard, and is the reference."""
import inspect

import numpy as np
import pytest
from conftest import same, values

import kiln
from kiln import xp

DTYPES = {"bool": ["bool"], "int": ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"], "float": ["float32", "float64"],
          "complex": ["complex64", "complex128"]}
UNARY = {
    "abs": "int float complex", "acos": "float complex", "acosh": "float complex", "asin": "float complex", "asinh": "float complex",
    "atan": "float complex", "atanh": "float complex", "bitwise_invert": "bool int", "ceil": "int float", "conj": "int float complex",
    "cos": "float complex", "cosh": "float complex", "exp": "float complex", "expm1": "float complex", "floor": "int float",
    "imag": "complex", "isfinite": "int float complex", "isinf": "int float complex", "isnan": "int float complex",
    "log": "float complex", "log10": "float complex", "log1p": "float complex", "log2": "float complex", "logical_not": "bool",
    "negative": "int float complex", "positive": "int float complex", "real": "complex", "reciprocal": "float complex",
    "round": "float complex", "sign": "int float complex", "signbit": "float", "sin": "float complex", "sinh": "float complex",
    "sqrt": "float complex", "square": "int float complex", "tan": "float complex", "tanh": "float complex", "trunc": "int float"}
BINARY = {
    "add": "int float complex", "atan2": "float", "bitwise_and": "bool int", "bitwise_left_shift": "int", "bitwise_or": "bool int",
    "bitwise_right_shift": "int", "bitwise_xor": "bool int", "copysign": "float", "divide": "float complex",
    "equal": "bool int float complex", "floor_divide": "int float", "greater": "int float", "greater_equal": "int float", "hypot": "float",
    "less": "int float", "less_equal": "int float", "logaddexp": "float", "logical_and": "bool", "logical_or": "bool", "logical_xor": "bool",
    "maximum": "int float", "minimum": "int float", "multiply": "int float complex", "nextafter": "float",
    "not_equal": "bool int float complex", "pow": "int float complex", "remainder": "int float", "subtract": "int float complex"}


def dtypes_of(kinds):
    return [dtype for kind in kinds.split() for dtype in DTYPES[kind]]


def on_cpu(array):
    return kiln.to_device(array, device="cpu")


def check(got, wanted):
    assert type(got) is kiln.Array
    same(got.copy_to_host(), np.asarray(wanted), exact=np.asarray(wanted).dtype.kind not in "fc")


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array(name):
    for dtype in dtypes_of(UNARY[name]):
        high = 2 if name in ("acos", "asin") else 10
        x = values(dtype, (3, 4), high=high)
        if name == "atanh":
            x = x / np.asarray(16, dtype)
        reference = getattr(np, name, None)
        check(getattr(xp, name)(on_cpu(x)), reference(x))


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arrays(name):
    for dtype in dtypes_of(BINARY[name]):
        high = 4 if "shift" in name or name == "pow" else 10
        a, b = values(dtype, (3, 1), high=high), values(dtype, (4,), 1, high=high)
        check(getattr(xp, name)(on_cpu(a), on_cpu(b)), getattr(np, name)(a, b))


def test_numbers_of_python_are_weak():
    for dtype in dtypes_of("int float complex"):
        x = values(dtype, 5)
        check(xp.add(on_cpu(x), 2), x + 2)
        check(xp.subtract(20, on_cpu(x)), 20 - x)
    with pytest.raises(TypeError, match="kiln.Array is expected, and this is int"):
        xp.add(1, 2)
    with pytest.raises(TypeError, match="this is ndarray: xp.asarray makes one"):
        xp.sin(np.ones(3))
    with pytest.raises(TypeError, match="this is list"):
        xp.add(on_cpu(np.ones(3)), [1, 2, 3])


def test_round_keeps_integers():
    for dtype in DTYPES["int"]:
        check(xp.round(on_cpu(values(dtype, 5))), values(dtype, 5))
    check(xp.round(on_cpu(np.array([0.5, 1.5, -2.5]))), [0.0, 2.0, -2.0])


def test_clip():
    x = np.array([1, 5, 9], np.float32)
    for low, high in ((2, 8), (None, 3.5), (2, None), (np.array([2, 6, 2], np.float32), 8)):
        arrays = [on_cpu(each) if isinstance(each, np.ndarray) else each for each in (low, high)]
        check(xp.clip(on_cpu(x), *arrays), np.clip(x, low, high))
    copied = on_cpu(x)
    assert xp.clip(copied).ptr != copied.ptr
    check(xp.clip(on_cpu(x), on_cpu(np.array([2.0, 6.0, 2.0]))), np.array([2, 6, 9], np.float32))


def test_where():
    condition = np.array([True, False, True])
    for dtype in dtypes_of("bool int float complex"):
        a, b = values(dtype, (2, 3)), values(dtype, 3, 1)
        check(xp.where(on_cpu(condition), on_cpu(a), on_cpu(b)), np.where(condition, a, b))
    check(xp.where(on_cpu(condition), on_cpu(np.float32([1, 2, 3])), 0), np.float32([1, 0, 3]))
    check(xp.where(on_cpu(condition), on_cpu(np.int8([1, 2, 3])), on_cpu(np.int16([300]))), np.int16([1, 300, 3]))
    with pytest.raises(TypeError, match="has the dtype int64, and bool is expected"):
        xp.where(on_cpu(np.arange(3)), on_cpu(condition), on_cpu(condition))


def test_operators_and_attributes():
    x = on_cpu(np.arange(6.0).reshape(1, 2, 3))
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ValueError, match="'2099.12' was asked for"):
        x.__array_namespace__(api_version="2099.12")
    assert x.to_device("cpu") is x
    check(x.mT, np.arange(6.0).reshape(1, 2, 3).swapaxes(1, 2))
    with pytest.raises(ValueError, match="two axes"):
        _ = on_cpu(np.ones(3)).mT
    check(+x, np.asarray(x))


def test_numbers_are_assigned_in_the_dtype_of_the_array():
    for dtype in dtypes_of("int float complex"):
        x = on_cpu(np.zeros(3, dtype))
        x[1] = 7
        check(x, np.array([0, 7, 0], dtype))
    x = on_cpu(np.zeros(3, np.uint8))
    with pytest.raises(OverflowError):
        x[0] = 300
    with pytest.raises(TypeError):
        x[0] = 1j


def test_arrays_are_made():
    check(xp.asarray([[1, 2], [3, 4]], device="cpu"), np.array([[1, 2], [3, 4]]))
    check(xp.asarray([1, 2.5], dtype=xp.float32, device="cpu"), np.float32([1, 2.5]))
    check(xp.asarray([xp.asarray(1, device="cpu"), 2], device="cpu"), np.array([1, 2]))
    x = xp.asarray([1.0, 2.0], device="cpu")
    assert xp.asarray(x) is x and xp.asarray(x, copy=True).ptr != x.ptr and xp.asarray(x, copy=False) is x
    for wrong in (lambda: xp.asarray(x, dtype=xp.int8, copy=False), lambda: xp.asarray([1.0], copy=False)):
        with pytest.raises(ValueError, match="copy=False"):
            wrong()
    a = np.arange(3.0)
    assert xp.from_dlpack(a).ptr == a.ctypes.data
    check(xp.zeros((2, 3), device="cpu"), np.zeros((2, 3)))
    check(xp.ones(2, dtype=xp.int16, device="cpu"), np.ones(2, np.int16))
    check(xp.full((2,), True, device="cpu"), np.array([True, True]))
    check(xp.full((2,), 3, dtype=xp.uint8, device="cpu"), np.uint8([3, 3]))
    check(xp.arange(2, 10, 3, device="cpu"), np.arange(2, 10, 3))
    check(xp.arange(3, dtype=xp.float32, device="cpu"), np.arange(3, dtype=np.float32))
    check(xp.linspace(0, 1, 5, device="cpu", endpoint=False), np.linspace(0, 1, 5, endpoint=False))
    check(xp.eye(2, 3, k=1, device="cpu"), np.eye(2, 3, k=1))
    for like in ("zeros_like", "ones_like"):
        check(getattr(xp, like)(on_cpu(np.arange(4, dtype=np.int8))), getattr(np, like)(np.arange(4, dtype=np.int8)))
    check(xp.full_like(x, 5), np.full(2, 5.0))
    assert xp.empty_like(x, dtype=xp.int8).dtype == xp.int8


def test_dtypes():
    assert xp.isdtype(xp.float32, "real floating") and not xp.isdtype(xp.float32, ("integral", "bool")) and xp.isdtype(xp.int8, xp.int8)
    assert xp.isdtype(xp.uint8, "unsigned integer") and xp.isdtype(xp.complex64, "numeric") and not xp.isdtype(xp.bool, "numeric")
    with pytest.raises(ValueError, match="there is no kind 'real'"):
        xp.isdtype(xp.float32, "real")
    x = on_cpu(np.ones(2, np.float32))
    assert xp.result_type(x, xp.float64) == xp.float64 and xp.result_type(x, 1.0) == xp.float32
    assert xp.can_cast(x, xp.float64) and not xp.can_cast(xp.float64, xp.int8)
    assert xp.finfo(x).bits == 32 and xp.finfo(xp.complex128).eps == np.finfo(float).eps and type(xp.finfo(x).max) is float
    assert xp.iinfo(xp.int16).min == -2**15 and type(xp.iinfo(xp.uint64).max) is int and "bits=8" in repr(xp.iinfo(xp.uint8))
    check(xp.astype(x, xp.int8), np.ones(2, np.int8))
    assert xp.astype(x, xp.float32, copy=False) is x and xp.astype(x, xp.float32).ptr != x.ptr


def test_shapes():
    a = np.arange(6.0).reshape(2, 1, 3)
    x = on_cpu(a)
    check(xp.broadcast_to(x, (4, 2, 5, 3)), np.broadcast_to(a, (4, 2, 5, 3)))
    assert xp.broadcast_to(x, (2, 2, 3)).read_only
    with pytest.raises(ValueError, match="broadcast"):
        xp.broadcast_to(x, (2, 1, 1))
    for got, wanted in zip(xp.broadcast_arrays(x, on_cpu(np.ones((4, 1)))), np.broadcast_arrays(a, np.ones((4, 1)))):
        check(got, wanted)
    check(xp.reshape(x, (3, -1)), a.reshape(3, -1))
    assert xp.reshape(x, (6,)).ptr == x.ptr and xp.reshape(x, (6,), copy=True).ptr != x.ptr
    with pytest.raises(ValueError, match="need a copy"):
        xp.reshape(xp.permute_dims(x, (2, 1, 0)), (6,), copy=False)
    check(xp.permute_dims(x, (2, 0, 1)), a.transpose(2, 0, 1))
    check(xp.matrix_transpose(x), a.swapaxes(1, 2))
    check(xp.expand_dims(x, -1), np.expand_dims(a, -1))
    check(xp.expand_dims(x, (0, 2)), np.expand_dims(a, (0, 2)))
    check(xp.squeeze(x, 1), np.squeeze(a, 1))
    with pytest.raises(ValueError, match="axis 2 has 3 elements"):
        xp.squeeze(x, 2)
    with pytest.raises(IndexError, match="axis 4 is out of bounds"):
        xp.squeeze(x, 4)


def test_reductions():
    a = np.array([[1, 0, 3], [4, 5, 6]], np.int16)
    x = on_cpu(a)
    for name in ("sum", "prod", "max", "min", "any", "all"):
        check(getattr(xp, name)(x), getattr(np, name)(a))
        check(getattr(xp, name)(x, axis=-1, keepdims=True), getattr(np, name)(a, axis=-1, keepdims=True))
    check(xp.sum(x, dtype=xp.float32, axis=(0, 1)), np.float32(19))
    assert xp.any(x > 5) and not xp.all(x > 5)


def test_cumulations_and_counts():
    a = np.array([[1, 0, 3], [4, 5, 6]], np.int16)
    x = on_cpu(a)
    for name, function, first in (("cumulative_sum", np.cumsum, 0), ("cumulative_prod", np.cumprod, 1)):
        call = getattr(xp, name)
        check(call(x, axis=0), function(a, axis=0))
        check(call(x, axis=-1, dtype=xp.float32), function(a, axis=-1, dtype=np.float32))
        check(call(x, axis=0, include_initial=True), np.concatenate([np.full((1, 3), first), function(a, axis=0)]))
        check(call(x, axis=-1, include_initial=True), np.concatenate([np.full((2, 1), first), function(a, axis=-1)], 1))
        check(call(x[0]), function(a[0]))
        check(call(xp.zeros(0, device="cpu"), include_initial=True), np.array([float(first)]))
        with pytest.raises(ValueError, match=rf"kiln\.xp\.{name}: an array of 2 axes needs axis="):
            call(x)
        with pytest.raises(IndexError, match="axis 2 is out of bounds"):
            call(x, axis=2)
    check(xp.count_nonzero(x), np.int64(5))
    check(xp.count_nonzero(x > 3, axis=1, keepdims=True), np.array([[0], [3]]))


def test_the_namespace():
    info = xp.__array_namespace_info__()
    assert "cpu" in info.devices() and info.default_dtypes()["integral"] == xp.int64 and info.default_device()
    assert info.dtypes(kind="real floating") == {"float32": xp.float32, "float64": xp.float64} and len(info.dtypes()) == 13
    assert info.capabilities()["boolean indexing"] and (x := xp.asarray([1, 2, 3], device="cpu"))[x > 1].tolist() == [2, 3]
    for name in xp.__all__:
        assert getattr(xp, name, 0) != 0
    assert set(UNARY) | set(BINARY) <= set(xp.__all__)
    # The standard's parameters are positional.
    for name in (*UNARY, *BINARY):
        kinds = {each.kind for each in inspect.signature(getattr(xp, name)).parameters.values()}
        assert kinds == {inspect.Parameter.POSITIONAL_ONLY}
