"""Means, variances, places of extrema and running results of kiln.Array, beside NumPy's."""
import numpy as np
import pytest

import kiln

DTYPES = ("float16", "float32", "float64", "int8", "int32", "uint8", "bool", "complex64", "complex128")


def numbers(dtype):
    random = np.random.default_rng(7)
    found = random.normal(size=(3, 4, 5)) * 20
    if np.dtype(dtype).kind == "u":
        found = abs(found)
    if np.dtype(dtype).kind == "c":
        found = found.round() + 1j * random.integers(-2, 3, found.shape)
    return found.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_as_numpy(dtype, axis):
    host = numbers(dtype)
    array = kiln.to_device(host)
    tolerance = 2e-3 if dtype == "float16" else 1e-5
    for keepdims in (False, True):
        for name in ("mean", "var", "std"):
            expected, found = (getattr(each, name)(axis=axis, keepdims=keepdims) for each in (host, array))
            assert isinstance(found, kiln.Array) and found.dtype == expected.dtype and found.shape == expected.shape
            np.testing.assert_allclose(found.copy_to_host(), expected, rtol=tolerance, err_msg=name)
        if not isinstance(axis, tuple):
            for name in ("argmax", "argmin"):
                expected, found = (getattr(each, name)(axis=axis, keepdims=keepdims) for each in (host, array))
                assert found.dtype == np.int64 and found.shape == expected.shape
                np.testing.assert_array_equal(found.copy_to_host(), expected, err_msg=name)
    if not isinstance(axis, tuple) and np.dtype(dtype).kind in "iub":
        for name in ("cumsum", "cumprod"):
            with np.errstate(over="ignore"):
                expected, found = (getattr(each, name)(axis=axis) for each in (host, array))
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found.copy_to_host(), expected, err_msg=name)


def test_options_and_views():
    host = np.arange(24.0).reshape(4, 6)
    array = kiln.to_device(host)
    view, host_view = array[::2, ::-1].T, host[::2, ::-1].T
    np.testing.assert_array_equal(view.cumsum().copy_to_host(), host_view.cumsum())
    np.testing.assert_array_equal(view.argmax(axis=1).copy_to_host(), host_view.argmax(axis=1))
    np.testing.assert_allclose(view.std(axis=0, ddof=1).copy_to_host(), host_view.std(axis=0, ddof=1))
    assert array.mean(dtype="float32").dtype == np.float32
    out = np.zeros(6)
    assert array.var(axis=0, out=out) is out
    np.testing.assert_allclose(out, host.var(axis=0))
    # What NumPy has as functions goes by the methods.
    assert isinstance(np.mean(array, axis=0), kiln.Array) and np.argmax(array).item() == 23
    xp = kiln.xp
    assert xp.var(array, correction=1.0).item() == pytest.approx(host.var(ddof=1)) and xp.std(array).item() == pytest.approx(host.std())
    assert xp.mean(array, axis=1, keepdims=True).shape == (4, 1) and xp.argmin(array).item() == 0 and xp.argmax(array, axis=0).shape == (6,)


def test_first_of_equal_ones_and_nan():
    assert kiln.to_device(np.array([1.0, 3, 3, 2])).argmax().item() == 1
    assert kiln.to_device(np.array([1.0, np.nan, 3, np.nan])).argmin().item() == 1
    assert np.isnan(kiln.to_device(np.zeros((0, 2))).mean().item())


@pytest.mark.parametrize("call, error, message", [
    (lambda x: x.mean(dtype=int), TypeError, "mean: the dtype is int64; dtype= takes a floating or complex one"),
    (lambda x: x.mean(axis=5), np.exceptions.AxisError, "add.reduce: axis 5 does not exist in an array of shape (2, 3); give -2 to 1"),
    (lambda x: x.argmax(axis=5), np.exceptions.AxisError, "argmax: axis 5 does not exist in an array of shape (2, 3); give -2 to 1"),
    (lambda x: x[:0].argmin(), kiln.ShapeError, "argmin: there is no element to choose in an array of shape (0, 3)"),
])
def test_errors(call, error, message):
    with pytest.raises(error) as found:
        call(kiln.to_device(np.zeros((2, 3))))
    assert str(found.value).startswith(message)
