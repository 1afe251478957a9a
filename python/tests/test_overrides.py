"""Classes that take calls over, and libraries that call ufuncs."""
import copy

import numpy as np
import pytest

import kiln
from conftest import same

km = kiln.math


class Logs:
    """Records what it is given."""

    def __array_ufunc__(self, *args, **keywords):
        return self, args, keywords


class Declines:
    def __array_ufunc__(self, *args, **keywords):
        return NotImplemented


class Refuses:
    __array_ufunc__ = None


def calls(x):
    out = np.empty(2)
    return [lambda m: m.add(x, 1), lambda m: m.add(1, x, where=True, casting="safe"), lambda m: m.add(1.0, 2.0, out=x),
            lambda m: m.add(1, 2, x), lambda m: m.add.reduce(x, axis=1), lambda m: m.add.reduce(x, 0, None, None, True),
            lambda m: m.add.accumulate(x), lambda m: m.add.reduceat(x, [0, 1], axis=0), lambda m: m.add.outer(x, 1),
            lambda m: m.add.at(x, [0], 1), lambda m: m.add(x, 1, out=out), lambda m: m.divmod(x, 1, out=(None, out)),
            lambda m: m.add(x, 1, dtype=np.float32), lambda m: m.add(x, x, sig="dd->d")]


@pytest.mark.parametrize("index", range(14))
def test_a_class_gets_what_numpys_ufuncs_give_it(index):
    x = Logs()
    mine, numpys = calls(x)[index](km), calls(x)[index](np)
    assert mine[0] is numpys[0] is x
    assert isinstance(mine[1][0], kiln.Ufunc) and mine[1][0].__name__ == numpys[1][0].__name__
    assert mine[1][1] == numpys[1][1]
    assert len(mine[1]) == len(numpys[1])
    for a, b in zip(mine[1][2:], numpys[1][2:]):
        assert a is b or np.all(a == b)
    assert set(mine[2]) - {"keepdims", "axis", "dtype"} == set(numpys[2]) - {"keepdims", "axis", "dtype"}
    assert isinstance(mine[2].get("out", ()), tuple)


def test_classes_that_decline_and_refuse():
    for module in (np, km):
        with pytest.raises(TypeError, match="returned NotImplemented"):
            module.add(Declines(), 1)
        with pytest.raises(TypeError, match="does not support ufuncs"):
            module.add(Refuses(), 1)
        assert module.add(Declines(), Logs())[0].__class__ is Logs


def test_subclasses_come_first():
    class More(Logs):
        pass
    base, more = Logs(), More()
    assert km.add(base, more)[0] is more
    assert km.add(more, base)[0] is more


def test_exceptions_of_a_class_pass():
    class Fails:
        def __array_ufunc__(self, *args, **keywords):
            raise ZeroDivisionError("mine")
    with pytest.raises(ZeroDivisionError, match="mine"):
        km.add(Fails(), 1)


def test_masked_arrays():
    a = np.ma.array([1.0, 4.0, 9.0], mask=[0, 0, 1])
    got = km.sqrt(a)
    assert isinstance(got, np.ma.MaskedArray)
    assert got.mask.tolist() == [False, False, True] and got[:2].tolist() == [1, 2]


def test_xarray():
    xr = pytest.importorskip("xarray")
    a = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("x", "y"), coords={"x": [1, 2]})
    got = km.hypot(a, 1.0)
    assert isinstance(got, xr.DataArray) and got.dims == ("x", "y")
    np.testing.assert_allclose(got, np.hypot(a, 1.0))
    q, r = km.divmod(a, 2.0)
    assert isinstance(q, xr.DataArray)
    same(np.asarray(r), np.divmod(np.asarray(a), 2.0)[1])


def test_pandas():
    pd = pytest.importorskip("pandas")
    s = pd.Series([1.0, 4.0], index=["a", "b"])
    got = km.sqrt(s)
    assert isinstance(got, pd.Series) and got.to_dict() == {"a": 1.0, "b": 2.0}
    assert isinstance(km.add(pd.DataFrame({"u": s}), 1), pd.DataFrame)


def test_dask():
    da = pytest.importorskip("dask.array")
    x = np.arange(12.0)
    d = da.from_array(x, chunks=5)
    f = kiln.vectorize("float64 f(float64 a, float64 b) = a * b + 1")
    got = f(d, 2.0)
    assert isinstance(got, da.Array)
    same(got.compute(scheduler="threads"), x * 2 + 1)
    assert f(d, x).dask.layers.keys() == f(d, x).dask.layers.keys()
    dot = kiln.guvectorize("(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c) { c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }")
    m = da.from_array(np.ones((6, 4)), chunks=(2, 4))
    same(dot(m, m).compute(), np.full(6, 4.0))


def test_dask_with_two_outputs():
    da = pytest.importorskip("dask.array")
    x = np.arange(12.0)
    d = da.from_array(x, chunks=5)
    two = kiln.vectorize("(float64 s, float64 t)(float64 a, float64 b)", "s = a + b; t = a - b;", name="both")
    s, t = two(d, 2.0)
    assert isinstance(s, da.Array) and isinstance(t, da.Array)
    same(s.compute(scheduler="threads"), x + 2)
    same(t.compute(scheduler="threads"), x - 2)
    with pytest.raises(TypeError, match="keywords"):
        two(d, 2.0, casting="safe")


def test_torch():
    torch = pytest.importorskip("torch")
    a = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    got = km.add(a, 1)
    assert isinstance(got, torch.Tensor) and torch.equal(got, a + 1)
    out = torch.empty(2, 3)
    assert km.add(a, a, out=out) is out and torch.equal(out, a + a)
    assert torch.equal(km.add(a.T, 1), a.T + 1)
    assert isinstance(km.add.reduce(a), torch.Tensor)


def test_jax():
    jnp = pytest.importorskip("jax.numpy")
    got = km.add(jnp.arange(4.0), 1)
    assert type(got) is type(jnp.arange(4.0)) and got.tolist() == [1, 2, 3, 4]


def test_ml_dtypes():
    ml = pytest.importorskip("ml_dtypes")
    a = np.array([1, 2, 3], ml.bfloat16)
    for _ in range(2):
        got = km.add(a, a)
        assert got.dtype == ml.bfloat16 and got.astype("f4").tolist() == [2, 4, 6]
    assert km.add(a[0], a[1]).dtype == ml.bfloat16
    assert km.add(a, 1).dtype == ml.bfloat16


def test_functions_copy_as_themselves():
    assert copy.copy(km.add) is km.add


def test_outputs_are_wrapped_by_their_class():
    class Kept(np.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            made = self if array is self else array.view(Kept)
            made.context = context
            return made

    for add in (np.add, kiln.math.add):
        out = np.zeros(2).view(Kept)
        assert add([1.0, 2.0], 1, out=out) is out
        function, operands, output = out.context
        assert (function, operands[1:], output) == (add, (1, out), 0) and operands[0] == [1.0, 2.0]
        out.context = 0
        assert add.reduce(np.ones((2, 2)), out=out) is out
        assert out.context == 0  # the methods do not wrap an output
        assert add.reduce(np.ones((2, 2)).view(Kept)).context is None

    class Bad(np.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            raise RuntimeError("no")
    with pytest.raises(RuntimeError, match="no"):
        kiln.math.modf(np.ones(2), np.zeros(2), np.zeros(2).view(Bad))


def test_masks_take_part_in_overrides():
    class Mask(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
            return ufunc, method, len(inputs), sorted(keywords)

    mask = np.ones(2, bool).view(Mask)
    for add in (np.add, kiln.math.add):
        assert add([1, 2], 1, where=mask) == (add, "__call__", 2, ["where"])
        assert add.reduce([1, 2], where=mask) == (add, "reduce", 1, ["where"])


def test_pairs_of_keywords_are_refused_before_overrides():
    class Any:
        def __array_ufunc__(self, *args, **keywords):
            return 1

    for add, modf in ((np.add, np.modf), (kiln.math.add, kiln.math.modf)):
        assert add(Any(), 1) == 1
        with pytest.raises(TypeError, match="cannot specify both 'sig' and 'signature'"):
            add(Any(), 1, sig="dd->d", signature="dd->d")
        with pytest.raises(TypeError):
            modf(Any(), out=None)
        with pytest.raises(TypeError, match="not per-operand"):
            add(1, 2, out=(...,))
        with pytest.raises(TypeError, match="only allowed as a keyword"):
            add.reduce([1], 0, None, ...)


def test_docstrings():
    assert kiln.math.add.__doc__.startswith("add(x1, x2, /, out=None, *, where=True")
    made = kiln.vectorize("float64 f(float64 a) = a")
    assert made.__doc__.startswith("f(x, /, out=None") and "\n" not in made.__doc__
    made.__doc__ = "mine"
    assert made.__doc__ == "mine"
    del made.__doc__
    assert made.__doc__.startswith("f(x")


def test_aliases_are_the_same_object():
    for name in ("true_divide", "abs", "mod", "conj", "acos", "pow"):
        found = getattr(kiln.math, name)
        assert found is getattr(kiln.math, getattr(np, name).__name__) and found.types
