"""Calls of ufuncs: what NumPy's give, kiln's give."""
import itertools
import timeit

import numpy as np
import pytest

import kiln
from conftest import ALL, COMPLEX, FLOATS, INTEGERS, same, values

km = kiln.math


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "equal", "not_equal", "less", "logical_and", "logical_or"])
def test_binary_of_each_dtype(name, dtype):
    a, b = values(dtype, (5, 7)), values(dtype, (7,), 1)
    for _ in range(2):  # once by way of kiln's own result, once with one of NumPy's
        same(getattr(km, name)(a, b), getattr(np, name)(a, b))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *COMPLEX])
@pytest.mark.parametrize("name", ["subtract", "divide", "square", "negative", "absolute"])
def test_arithmetic_of_each_dtype(name, dtype):
    function, reference = getattr(km, name), getattr(np, name)
    operands = [values(dtype, (6,), i) for i in range(function.nin)]
    same(function(*operands), reference(*operands), exact=name not in ("absolute", "divide", "square"))


@pytest.mark.parametrize("left,right", list(itertools.product(ALL, ALL)))
def test_promotion(left, right):
    a, b = values(left, (3,)), values(right, (3,), 1)
    for x, y in [(a, b), (a[0], b), (a, b[:1].reshape(())), (a[0], b[0])]:
        for _ in range(2):
            same(km.add(x, y), np.add(x, y))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("number", [True, 3, 2.5, 1 + 2j])
def test_weak_numbers(dtype, number):
    a = values(dtype, (4,))
    for x, y in [(a, number), (number, a), (a[0], number), (number, number)]:
        for _ in range(2):
            same(km.add(x, y), np.add(x, y))


@pytest.mark.parametrize("number", [300, -1, 2**40, 2**63, 2**64, -2**63 - 1])
def test_numbers_out_of_bounds(number):
    a = np.zeros(2, np.uint8)
    with pytest.raises(OverflowError):
        np.add(a, number)
    with pytest.raises(OverflowError, match=str(number)):
        km.add(a, number)


def test_uint64_takes_large_ints():
    a = np.array([1], np.uint64)
    same(km.add(a, 2**63), np.add(a, 2**63))


SHAPES = [((3, 4), (3, 4)), ((3, 1), (1, 4)), ((), (2, 3)), ((0,), (1,)), ((2, 0), (1, 0)), ((1,), (5, 1)), ((2, 3, 4), (4,)), ((), ())]


@pytest.mark.parametrize("left,right", SHAPES)
def test_broadcasting(left, right):
    a, b = np.asarray(values("float64", left)), np.asarray(values("float64", right, 1))
    for _ in range(2):
        same(km.subtract(a, b), np.subtract(a, b))


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="shape"):
        km.add(np.ones(3), np.ones(4))
    km.add(np.ones(3), np.ones(3))
    with pytest.raises(kiln.ShapeError):
        km.add(np.ones(3), np.ones(4))


def views():
    base = np.arange(120.0).reshape(4, 5, 6)
    return [base, base.T, base[::-1], base[:, ::2], base[..., ::-3], base.transpose(1, 0, 2), base[:, :, :1], np.asfortranarray(base),
            np.broadcast_to(base[0], (3, 5, 6))]


@pytest.mark.parametrize("index", range(9))
def test_views_and_memory_order(index):
    a = views()[index]
    for _ in range(2):
        got, wanted = km.add(a, 1.0), np.add(a, 1.0)
        same(got, wanted)
        assert got.strides == wanted.strides or 0 in got.shape or 1 in got.shape
    got, wanted = km.add(a, a), np.add(a, a)
    assert got.strides == wanted.strides


def test_memory_order_of_every_combination_of_strides():
    """Also of equal strides along two axes, as sliding windows have them, where the order of the axes decides."""
    memory = np.arange(400.0)
    made = {}
    for strides in itertools.product((-16, -8, 8, 16, 24), repeat=3):
        made[strides] = np.lib.stride_tricks.as_strided(memory[200:], (2, 3, 4), strides)
        got, wanted = km.negative(made[strides]), np.negative(made[strides])
        assert got.strides == wanted.strides, strides
        same(got, wanted)
    for first, second in itertools.product(itertools.product((8, 16), repeat=3), itertools.product((0, -8, 8, 24), repeat=3)):
        second = np.lib.stride_tricks.as_strided(memory[200:], (2, 3, 4), second)
        for a, b in ((made[first], second), (second, made[first])):
            got, wanted = km.add(a, b), np.add(a, b)
            assert got.strides == wanted.strides, (a.strides, b.strides)
            same(got, wanted)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_order(order):
    for a in views():
        same(km.add(a, 1, order=order), np.add(a, 1, order=order))
        assert km.add(a, 1, order=order).flags.f_contiguous == np.add(a, 1, order=order).flags.f_contiguous


def test_out():
    a, b = np.arange(6.0), np.ones(6)
    out = np.empty(6)
    assert km.add(a, b, out) is out
    same(out, np.add(a, b))
    out[:] = 0
    assert km.add(a, b, out=out) is out
    same(out, np.add(a, b))
    out[:] = 0
    assert km.add(a, b, out=(out,)) is out
    same(out, np.add(a, b))
    assert km.add(a, b, out=None).base is None
    small = np.empty(6, np.float32)
    same(km.add(a, b, out=small), np.add(a, b, out=np.empty(6, np.float32)))
    with pytest.raises(TypeError):
        km.add(a, b, out=np.empty(6, np.int32))
    same(km.add(a, b, out=np.empty(6, np.int32), casting="unsafe"), np.add(a, b, out=np.empty(6, np.int32), casting="unsafe"))
    with pytest.raises(TypeError, match="out"):
        km.add(a, b, out, out=out)
    with pytest.raises(ValueError):
        km.add(a, b, out=(out, out))


def test_calls_with_out_alone_are_as_quick():
    """The first call of a function need not make its result for later ones to be quick."""
    a, o = np.ones(3), np.empty(3)

    def least(f):
        f(a, a, out=o)
        return min(timeit.repeat(lambda: f(a, a, out=o), number=500, repeat=40))
    body = "float64 f(float64 a, float64 b) = a - b"
    fresh, used = kiln.vectorize(body), kiln.vectorize(body)
    for _ in range(3):
        used(a, a)
    assert least(fresh) < 1.5 * least(used)


def test_out_of_other_dtypes_without_a_result_before():
    f = kiln.vectorize("T f(T a, T b) where T: float32, float64 = a + b")
    a, b = np.float32([1, 2.5]), np.float32([3, 4])
    for _ in range(2):
        same(f(a, b, out=np.empty(2)), np.add(a, b, out=np.empty(2)))
        with pytest.raises(TypeError, match="int32"):
            f(a, b, out=np.empty(2, np.int32))
        with pytest.raises(TypeError):
            f(a, np.complex64([1, 2]), out=np.empty(2, np.complex64))
        with pytest.raises(ValueError):
            f(a, b, out=np.empty(3, np.float32))
        same(f(a, 1, out=np.empty((2, 2), np.float32)), np.add(a, 1, out=np.empty((2, 2), np.float32)))
    f(a, b, a)
    same(a, np.float32([4, 6.5]))


def test_out_overlaps_an_input():
    a = np.arange(10.0)
    wanted = np.add(a[1:], a[:-1])
    km.add(a[1:], a[:-1], out=a[1:])
    same(a[1:], wanted)


class Tensor:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Subclass(np.ndarray):
    pass


READ_ONLY = {
    "positional": lambda out: km.add(np.ones(3), 1.0, out),
    "keyword": lambda out: km.add(np.ones(3), 1.0, out=out),
    "tuple": lambda out: km.add(np.ones(3), 1.0, out=(out,)),
    "options": lambda out: km.add(np.ones(3), 1.0, out=out, where=[True, False, True]),
    "second": lambda out: km.modf(np.ones(3), out=(None, out)),
    "reduce": lambda out: km.add.reduce(np.ones((2, 3)), out=out),
    "accumulate": lambda out: km.add.accumulate(np.ones(3), out=out),
    "reduceat": lambda out: km.add.reduceat(np.ones(3), [0, 1, 2], out=out),
    "outer": lambda out: km.add.outer(np.ones(3), 1.0, out=out),
}


@pytest.mark.parametrize("call", READ_ONLY)
@pytest.mark.parametrize("dtype", ["f8", ">f8"])
@pytest.mark.parametrize("kind", [np.ndarray, Subclass])
def test_read_only_out(call, dtype, kind):
    """The extension itself says so, in NumPy's words, and before anything is computed or converted."""
    out = np.zeros(3, dtype).view(kind)
    READ_ONLY[call](out)
    out[...] = 0
    out.flags.writeable = False
    with pytest.raises(ValueError, match="^output array is read-only$"):
        READ_ONLY[call](out)
    assert not out.any()


def test_read_only_tensors():
    out = np.zeros(3)
    km.add(np.ones(3), 1.0, out=Tensor(out))
    same(out, np.full(3, 2.0))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="^output 0: the array is read-only$"):
        km.add(np.ones(3), 1.0, out=Tensor(out))
    same(out, np.full(3, 2.0))


def test_read_only_inputs():
    a = np.arange(3.0)
    a.flags.writeable = False
    same(km.add(a, a), np.add(a, a))


def test_where():
    a, mask = np.arange(6.0), np.arange(6) % 2 == 0
    out = np.full(6, -1.0)
    km.add(a, 1, out=out, where=mask)
    same(out, np.add(a, 1, out=np.full(6, -1.0), where=mask))
    for _ in range(2):
        same(km.add(a, 1, where=mask), np.where(mask, a + 1, 0))
    assert km.add(a, 1, where=np.ones((2, 1), bool)).shape == (2, 6)
    assert km.add(a, 1, where=[True] * 6).tolist() == (a + 1).tolist()
    with pytest.raises(TypeError):
        km.add(a, 1, where=np.arange(6))
    same(km.add(1.0, 2.0, where=False), np.float64(0.0))


def test_dtype_and_signature():
    a = np.arange(4, dtype=np.int32)
    same(km.add(a, a, dtype=np.float64), np.add(a, a, dtype=np.float64))
    same(km.add(a, a, dtype="f4", casting="unsafe"), np.add(a, a, dtype="f4", casting="unsafe"))
    same(km.add(a, a, signature="dd->d"), np.add(a, a, signature="dd->d"))
    same(km.add(a, a, sig="dd->d"), np.add(a, a, sig="dd->d"))
    same(km.add(a, a, signature=(np.float64, np.float64, np.float64)), np.add(a, a, signature=(np.float64,) * 3))
    same(km.add(a, a, signature=(None, None, np.float64)), np.add(a, a, signature=(None, None, np.float64)))
    with pytest.raises(TypeError):
        km.add(a, a, dtype=np.float64, signature="dd->d")
    with pytest.raises(TypeError):
        km.add(np.ones(2), 1, dtype=np.int32)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting(casting):
    a, b = np.ones(2, np.float32), np.ones(2, np.float64)
    for x, y, out in [(a, b, None), (a, a, None), (b, b, np.empty(2, np.float32)), (b, b, np.empty(2, np.int32))]:
        try:
            wanted = np.add(x, y, out=None if out is None else out.copy(), casting=casting)
        except TypeError:
            with pytest.raises(TypeError):
                km.add(x, y, out=out, casting=casting)
        else:
            same(km.add(x, y, out=out, casting=casting), wanted)
    with pytest.raises(ValueError, match="casting"):
        km.add(a, a, casting="wild")


def test_several_outputs():
    a, b = np.arange(1.0, 6.0), np.array([2.0])
    for _ in range(2):
        for got, wanted in zip(km.divmod(a, b), np.divmod(a, b)):
            same(got, wanted)
    q = np.empty(5)
    first, second = km.divmod(a, b, out=(q, None))
    assert first is q
    same(second, np.divmod(a, b)[1])
    first, second = km.divmod(a, b, q)
    assert first is q
    with pytest.raises(TypeError):
        km.divmod(a, b, out=q)
    for got, wanted in zip(km.divmod(7.0, 2.0), np.divmod(7.0, 2.0)):
        same(got, wanted)


def test_sequences_and_objects_that_give_arrays():
    same(km.add([1, 2], (3, 4)), np.add([1, 2], (3, 4)))

    class Gives:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3.0)
    same(km.add(Gives(), 1), np.arange(3.0) + 1)


def test_byte_orders_and_alignment():
    big = np.arange(4, dtype=">f8")
    got = km.add(big, 1)
    assert got.dtype == np.dtype("f8") and got.tolist() == [1, 2, 3, 4]
    out = np.zeros(4, ">f8")
    assert km.add(big, 1, out=out) is out
    assert out.tolist() == [1, 2, 3, 4]
    raw = np.zeros(33, np.uint8)[1:].view(np.float64)
    assert not raw.flags.aligned
    assert km.add(raw, 1).tolist() == [1] * 4
    km.add(raw, 2, out=raw)
    assert raw.tolist() == [2] * 4


@pytest.mark.parametrize("dtype", ["O", "S3", "U3", "M8[s]", "longdouble", "V4"])
def test_dtypes_that_kiln_has_not(dtype):
    a = np.zeros(2, dtype)
    with pytest.raises(TypeError, match="kiln has no dtype"):
        km.add(a, a)
    with pytest.raises(TypeError):
        km.add(1.0, 2.0, out=np.zeros((), dtype))


def test_longlong_is_int64():
    a = np.arange(3, dtype=np.longlong)
    assert km.add(a, a).tolist() == [0, 2, 4]


def test_keywords_that_do_not_exist():
    with pytest.raises(TypeError, match="did you mean 'where'"):
        km.add(1, 2, wher=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        km.add(1, 2, axis=0)


def test_numbers_of_arguments():
    for args in [(), (1,), (1, 2, np.empty(()), 4)]:
        with pytest.raises(TypeError, match="positional argument"):
            km.add(*args)


def test_attributes():
    for name in ["add", "hypot", "divmod", "sin", "isnan"]:
        f, g = getattr(km, name), getattr(np, name)
        assert (f.nin, f.nout, f.nargs, f.__name__, f.signature) == (g.nin, g.nout, g.nargs, g.__name__, g.signature)
        assert f.ntypes == len(f.types) > 0
    assert "ff->f" in km.add.types and "??->?" in km.add.types
    assert [km.add.identity, km.multiply.identity, km.logical_and.identity, km.subtract.identity] == [0, 1, True, None]
    assert repr(km.add) == "<kiln ufunc 'add'>"
    with pytest.raises(AttributeError, match="did you mean 'hypot'"):
        km.hypott  # noqa: B018


def test_subclasses_are_wrapped():
    class Mine(np.ndarray):
        pass
    a = np.arange(3.0).view(Mine)
    same(km.add(a, 1), np.add(a, 1))
    assert type(km.add(a, 1, subok=False)) is np.ndarray
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    got = km.add(masked, 1)
    assert isinstance(got, np.ma.MaskedArray) and got.mask.tolist() == [False, True, False] and got.compressed().tolist() == [2, 4]


def test_many_operands():
    names = [f"x{i}" for i in range(12)]
    f = kiln.vectorize(f"float64 f({', '.join('float64 ' + n for n in names)}) = {' + '.join(names)}")
    for _ in range(2):
        assert f(*([np.ones(3)] * 12)).tolist() == [12] * 3


def test_a_large_call_releases_the_gil_and_is_right():
    a = np.arange(1_000_000, dtype=np.float32)
    same(km.add(a, a), a + a)


def test_random_calls(rng):
    """Compares random dtypes, shapes, strides and outputs with NumPy."""
    names = ["add", "subtract", "multiply", "maximum", "less", "equal", "fmin", "logical_xor"]
    for _ in range(400):
        name = names[rng.integers(len(names))]
        full = tuple(rng.integers(0, 5, rng.integers(0, 4)))
        operands = []
        for _ in range(2):
            shape = tuple(1 if rng.random() < 0.3 else n for n in full[rng.integers(0, len(full) + 1):])
            a = np.asarray(values(ALL[rng.integers(len(ALL))], shape, int(rng.integers(1000))))
            if a.ndim and rng.random() < 0.4:
                a = a.transpose(rng.permutation(a.ndim))[::-1] if len(set(a.shape)) == 1 else a[::-1]
            operands.append(a if a.ndim or rng.random() < 0.5 else a[()])
        try:
            wanted = getattr(np, name)(*operands)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(km, name)(*operands)
            continue
        got = getattr(km, name)(*operands)
        same(got, wanted)


def test_out_ellipsis_keeps_arrays():
    for one in (1, np.array(1)):
        assert type(km.add(one, 2, out=...)) is np.ndarray
        assert type(km.add.reduce(one, out=...)) is np.ndarray
        assert [type(each) for each in km.divmod(one, 2, out=...)] == [np.ndarray] * 2
    with pytest.raises(TypeError, match="only allowed as a keyword"):
        km.add(1, 2, ...)


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
@pytest.mark.parametrize("number", [300, -1, 2**63, 2**200, -2**200])
def test_comparisons_with_integers_out_of_bounds(name, number):
    f, g = getattr(km, name), getattr(np, name)
    a = np.array([0, 255], np.uint8)
    for _ in range(2):
        same(f(a, number), g(a, number))
        same(f(number, a), g(number, a))
    x = kiln.to_device(a, device="cpu")
    same(np.asarray(f(x, number)), g(a, number))


def test_large_integers_beside_floats():
    for dtype in FLOATS:
        a = np.ones(2, dtype)
        with np.errstate(over="ignore"):
            same(km.multiply(a, 10**30), np.multiply(a, 10**30))


def test_another_byte_order_is_a_cast():
    a = np.ones(3, ">f4")
    km.sqrt(a, casting="equiv")
    with pytest.raises(TypeError, match="byte order"):
        km.sqrt(a, casting="no")


def test_masks_of_sequences():
    out = np.zeros(3)
    same(km.add([1.0, 2, 3], 1, out=out, where=[0, 1, 1]), np.add([1.0, 2, 3], 1, out=np.zeros(3), where=[0, 1, 1]))


def test_signatures_for_help():
    import inspect
    assert str(inspect.signature(km.add)) == str(inspect.signature(km.hypot))
    if hasattr(np.add, "__signature__"):
        assert set(inspect.signature(km.add).parameters) == set(inspect.signature(np.add).parameters)


def test_complex_functions_beside_their_poles():
    z = np.array([1 + 5e-324j, 1 - 1e-310j, -1 + 1e-300j, 1 + 1e-12j])
    np.testing.assert_allclose(kiln.math.arctanh(z), np.arctanh(z), rtol=1e-14)
    np.testing.assert_allclose(kiln.math.arctan(z * 1j), np.arctan(z * 1j), rtol=1e-14)


def test_bessel_functions_of_negative_numbers_with_the_same_bits():
    for name in ("y0", "y1"):
        f = kiln.vectorize(["float64(float64 x)"], f"{name}(x)", same_bits=True)
        assert np.isnan(f(np.array([-1.0, -1e9, -1e300, -np.inf]))).all() and f(0.0) == -np.inf
