"""The methods of ufuncs, against NumPy's."""
import numpy as np
import pytest

import kiln
from conftest import ALL, FLOATS, INTEGERS, same, values

km = kiln.math


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or"])
def test_reduce_of_each_dtype(name, dtype):
    a = values(dtype, (4, 5), low=1, high=3)
    f, g = getattr(km, name), getattr(np, name)
    for keywords in [{}, {"axis": 1}, {"axis": -1}, {"axis": None}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True},
                     {"axis": None, "keepdims": True}, {"axis": ()}]:
        for _ in range(2):
            same(f.reduce(a, **keywords), g.reduce(a, **keywords))
    for _ in range(2):
        same(f.reduce(a[0]), g.reduce(a[0]))
        same(f.reduce(a[0, 0]), g.reduce(a[0, 0]))
        same(f.reduce(np.asarray(a[0, 0])), g.reduce(np.asarray(a[0, 0])))


def test_reduce_options():
    a = np.arange(12.0).reshape(3, 4)
    same(km.add.reduce(a, 0, np.float32), np.add.reduce(a, 0, np.float32))
    same(km.add.reduce(a.astype("i4"), dtype="i8", axis=1),
         np.add.reduce(a.astype("i4"), dtype="i8", axis=1))
    out = np.empty(4)
    assert km.add.reduce(a, out=out) is out
    same(out, np.add.reduce(a))
    same(km.add.reduce(a, initial=10), np.add.reduce(a, initial=10))
    mask = a > 3
    same(km.add.reduce(a, where=mask), np.add.reduce(a, where=mask))
    same(km.maximum.reduce(a, axis=None, where=mask, initial=-1.0), np.maximum.reduce(a, axis=None, where=mask, initial=-1.0))
    same(km.add.reduce(np.zeros((0, 3))), np.add.reduce(np.zeros((0, 3))))
    same(km.add.reduce([[1, 2], [3, 4]]), np.add.reduce([[1, 2], [3, 4]]))
    with pytest.raises(ValueError):
        km.maximum.reduce(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="axis|axes"):
        km.add.reduce(a, axis=2)
    with pytest.raises(ValueError):
        km.add.reduce(a, axis=(0, 0))
    with pytest.raises(TypeError, match="integer"):
        km.add.reduce(a, axis=1.5)
    with pytest.raises(ValueError, match="binary"):
        km.sin.reduce(a)
    with pytest.raises(TypeError, match="missing"):
        km.add.reduce()


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_accumulate(dtype):
    a = values(dtype, (3, 4), low=1, high=3)
    for axis in (0, 1, -1):
        for name in ["add", "multiply", "maximum"]:
            same(getattr(km, name).accumulate(a, axis=axis), getattr(np, name).accumulate(a, axis=axis))
    out = np.empty((3, 4))
    assert km.add.accumulate(a, out=out) is out
    same(out, np.add.accumulate(a, out=np.empty((3, 4))))


def test_accumulate_again():
    """Calls after the first take a shorter way."""
    f = kiln.vectorize("T f(T a, T b) = a + b")
    a = np.arange(24.0).reshape(2, 3, 4)
    for _ in range(3):
        for x in (a, a.T, a[:, ::-1], a[:0], a[0, 0], np.asfortranarray(a), a.astype("f4"), a.transpose(1, 0, 2)):
            for axis in range(-x.ndim, x.ndim):
                wanted = np.add.accumulate(x, axis)
                same(f.accumulate(x, axis), wanted)
                assert f.accumulate(x, axis).strides == wanted.strides
            same(f.accumulate(x), np.add.accumulate(x))
            if x.size:
                same(f.reduce(x), np.add.reduce(x))
        for wrong in (3, -4, 1 << 70):
            for method in (f.accumulate, f.reduce):
                with pytest.raises((np.exceptions.AxisError, OverflowError)):
                    method(a, wrong)


def test_reduceat():
    a = np.arange(16.0).reshape(4, 4)
    for indices in [[0, 3, 1, 2], np.array([0, 2]), (1, 3)]:
        for axis in (0, 1):
            same(km.add.reduceat(a, indices, axis=axis), np.add.reduceat(a, indices, axis=axis))
    same(km.add.reduceat(a[0], [0, 1], 0, np.float32), np.add.reduceat(a[0], [0, 1], 0, np.float32))
    with pytest.raises((IndexError, ValueError)):
        km.add.reduceat(a, [4])


def test_outer_again():
    """Calls after the first take a shorter way."""
    f, d = kiln.vectorize("T f(T a, T b) = a - b"), kiln.math.divmod
    a, b = np.arange(6.0).reshape(2, 3), np.arange(1.0, 5).reshape(4, 1)
    for _ in range(3):
        for x in (a, a.T, a[:, ::-1], a.astype("f4"), a[0], a[0, 0], a[:0], np.asfortranarray(a), np.array(2.0), 1.5, 2):
            for y in (b, b.T, b.astype("i2"), b[:, 0], np.array(3.0), 0.5, 3):
                wanted = np.subtract.outer(x, y)
                got = f.outer(x, y)
                if isinstance(x, (int, float)) or isinstance(y, (int, float)):
                    wanted = np.subtract(x, y)
                same(got, wanted)
                assert got.strides == wanted.strides
                if not isinstance(y, (int, float)):
                    for mine, numpys in zip(d.outer(x, y), np.divmod.outer(x, y)):
                        np.testing.assert_array_equal(mine, numpys)
    with pytest.raises(OverflowError):
        f.outer(np.ones(3, "i1"), 300)
    with pytest.raises(ValueError, match="maximum supported dimension"):
        f.outer(np.ones((1,) * 40), np.ones((1,) * 40))


def test_outer():
    a, b = np.arange(3.0), np.arange(8.0).reshape(2, 4)
    for x, y in [(a, b), (b, a), (a, 2.0), (2.0, a), ([1, 2], [3, 4]), (np.float32(2), b)]:
        same(km.multiply.outer(x, y), np.multiply.outer(x, y))
    # Numbers of Python are weak in outer, too, as in NumPy 2.5.
    same(km.multiply.outer(a.astype("f4"), 1.5), np.multiply(a.astype("f4"), 1.5))
    same(km.less.outer(a, a), np.less.outer(a, a))
    out = np.empty((3, 3))
    assert km.add.outer(a, a, out=out) is out
    for got, wanted in zip(km.divmod.outer(a, a + 1), np.divmod.outer(a, a + 1)):
        same(got, wanted)
    with pytest.raises(ValueError, match="binary"):
        km.sin.outer(a, a)


@pytest.mark.parametrize("indices", [[0, 0, 2], np.array([1, -1]), ([0, 1, 1], [2, 2, 2]), slice(0, 2), (slice(None), 1), (Ellipsis, 0),
                                     (0, slice(1, None)), 1, (1, 2)])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_at(indices, dtype):
    for b in (1, 2.0 if dtype != "int32" else 2):
        got, wanted = np.zeros((3, 4), dtype), np.zeros((3, 4), dtype)
        km.add.at(got, indices, b)
        np.add.at(wanted, indices, b)
        same(got, wanted)


def test_at_with_masks_and_arrays_of_values():
    got, wanted = np.arange(6.0), np.arange(6.0)
    mask = got > 2
    km.multiply.at(got, mask, 10)
    np.multiply.at(wanted, mask, 10)
    same(got, wanted)
    km.subtract.at(got, [0, 0, 5], [1.0, 2.0, 3.0])
    np.subtract.at(wanted, [0, 0, 5], [1.0, 2.0, 3.0])
    same(got, wanted)
    km.negative.at(got, [1, 2])
    np.negative.at(wanted, [1, 2])
    same(got, wanted)
    strided = np.zeros((4, 6))[::2, ::-2]
    km.add.at(strided, ([0, 1, 1], [2, 0, 0]), 1)
    assert strided[0, 2] == 1 and strided[1, 0] == 2 and strided.sum() == 3
    with pytest.raises(ValueError):
        km.add.at(got, [0])
    with pytest.raises(ValueError, match="read-only"):
        got.flags.writeable = False
        km.add.at(got, [0], 1)
    with pytest.raises(IndexError):
        km.add.at(np.zeros(3), [7], 1)
    with pytest.raises(TypeError):
        km.add.at([1, 2], [0], 1)


@pytest.mark.parametrize("shape", [(50, 1), (1, 50), (50, 3), (50, 1, 1)])
@pytest.mark.parametrize("strided", [False, True])
def test_at_with_many_indices_of_rows(shape, strided):
    indices = np.random.default_rng(5).integers(0, shape[0], 20000)
    b = np.random.default_rng(6).integers(0, 9, shape[1:])
    got, wanted = np.zeros(shape), np.zeros(shape)
    if strided:
        got = np.zeros((*shape, 2))[..., 0]
    km.add.at(got, indices, b)
    np.add.at(wanted, indices, b)
    np.testing.assert_array_equal(got, wanted)
    columns = indices.reshape(200, 100)
    km.add.at(got, (columns, 0), 1)
    np.add.at(wanted, (columns, 0), 1)
    np.testing.assert_array_equal(got, wanted)


def test_a_users_ufunc_has_the_methods():
    f = kiln.vectorize(["int64(int64 a, int64 b)", "float64(float64 a, float64 b)"], "a * b", name="times", identity=1)
    a = np.arange(1, 7).reshape(2, 3)
    same(f.reduce(a), np.multiply.reduce(a))
    same(f.accumulate(a, axis=1), np.multiply.accumulate(a, axis=1))
    same(f.outer(a, a), np.multiply.outer(a, a))
    assert f.identity == 1


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float32])
def test_at_casts_results_as_numpy_does(dtype):
    b = np.array([1.75, 2.5, 3.5, 1.25])
    for indices in [np.array([0, 2, 0, 0]), ([0, 1, 0, 1], [0, 0, 0, 2]), slice(0, 4)]:
        shape = (3, 4) if isinstance(indices, tuple) else (5,)
        got, expected = np.ones(shape, dtype), np.ones(shape, dtype)
        kiln.math.multiply.at(got, indices, b)
        np.multiply.at(expected, indices, b)
        np.testing.assert_array_equal(got, expected)


def test_generalized_ufuncs_refuse_methods_as_numpys_do():
    dot = kiln.guvectorize("(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c) { c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }")
    for method, arguments, error in [("reduce", ([1.0],), RuntimeError), ("accumulate", ([1.0],), RuntimeError), ("outer", ([1.0], [1.0]), TypeError),
                                     ("reduceat", ([1.0], [0]), RuntimeError), ("at", (np.ones(2), [0], [1.0]), TypeError)]:
        with pytest.raises(error):
            getattr(np.vecdot, method)(*arguments)
        with pytest.raises(error, match="signature"):
            getattr(dot, method)(*arguments)
    with pytest.raises(TypeError, match="must be a boolean"):
        dot(np.ones(3), np.ones(3), keepdims="true")
    with pytest.raises(TypeError, match="axes should be a list"):
        dot(np.ones(3), np.ones(3), axes=-1)
    with pytest.raises(TypeError, match="an integer is expected"):
        dot(np.ones(3), np.ones(3), axis=[0])
    outer = kiln.guvectorize("(m),(n)->(m,n) void outer(float64[:] a, float64[:] b, float64[:,:] c) { for (index i = 0; i < m; ++i) for (index j = 0; j < n; ++j) c(i, j) = a(i) * b(j); }")
    with pytest.raises(TypeError, match="does not support keepdims"):
        outer(np.ones(3), np.ones(3), keepdims=False)


def test_resolve_dtypes():
    i4, f4, i2 = np.dtype("i4"), np.dtype("f4"), np.dtype("i2")
    for dtypes, keywords in [((i4, f4, None), {}), ((f4, int, None), {}), ((i4, i4, None), {"signature": (None, None, "f4")}),
                             ((None, i2, None), {"reduction": True}), ((i4, i4, f4), {})]:
        assert kiln.math.add.resolve_dtypes(dtypes, **keywords)[-1] == np.add.resolve_dtypes(dtypes, **keywords)[-1], dtypes
    for dtypes, keywords in [((i4, i4), {}), (("i4", "i4", None), {}), ((i4, f4, None), {"casting": "no"}), ((i4, i4, i4), {"reduction": True})]:
        for add in (np.add, kiln.math.add):
            with pytest.raises(TypeError):
                add.resolve_dtypes(dtypes, **keywords)


def test_reductions_of_complex_numbers_as_real_ones_warn():
    a = np.array([1 + 2j, 3 - 1j])
    for add in (np.add, kiln.math.add):
        with pytest.warns(np.exceptions.ComplexWarning):
            assert add.reduce(a, dtype=np.float64) == 4
        assert add.reduce(a, axis=0, initial=np._NoValue) == 4 + 1j


@pytest.mark.parametrize("shape, axis, empty", [((0, 5), 1, False), ((0, 5), 0, True), ((0, 0, 5), 1, True), ((0,), None, True), ((2, 0), (0,), False)])
def test_initial_none_refuses_reductions_over_no_elements_alone(shape, axis, empty):
    a = np.zeros(shape)
    for ufunc in (np.add, kiln.math.add, np.maximum, kiln.math.maximum):
        if empty:
            with pytest.raises(ValueError, match="zero-size array to reduction operation"):
                ufunc.reduce(a, axis=axis, initial=None)
            with pytest.raises(ValueError):
                ufunc.reduce(a.tolist(), axis=axis, initial=None)
        else:
            assert ufunc.reduce(a, axis=axis, initial=None).shape == np.add.reduce(a, axis=axis).shape


def test_order_a_of_generalized_ufuncs():
    copied = kiln.guvectorize("(m,n)->(m,n) void f(float64[:,:] a, float64[:,:] b) { for (index i = 0; i < m; ++i) for (index j = 0; j < n; ++j) b(i, j) = a(i, j); }")
    a = np.arange(12.0).reshape(2, 6)
    assert copied(np.asfortranarray(a), order="A").flags.f_contiguous
    assert copied(a, order="A").flags.c_contiguous
    assert copied(a, order="F").flags.f_contiguous
