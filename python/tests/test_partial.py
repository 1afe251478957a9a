"""Reductions in parts: the bits of the balanced tree, for any cuts."""
import pickle

import numpy as np
import pytest

import kiln
import kiln.mpi
from test_mpi import on_ranks


def tree(values):
    """Neighbours with each other, then pairs, and so on."""
    if len(values) == 1:
        return values[0]
    half = 1 << ((len(values) - 1).bit_length() - 1)
    return tree(values[:half]) + tree(values[half:])


def numbers(count):
    random = np.random.default_rng(3)
    return np.ldexp(random.standard_normal(count), random.integers(-20, 20, count)).astype(np.float32)


ARGMAX = kiln.reduction(name="argmax_of_parts", signatures=["int64(T x)"], accumulator="T best; int64 at;", map="return {x, i};",
                        reduce="return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;", post="return a.at;", identity="{-INFINITY, -1}")


@pytest.mark.parametrize("cuts", [(), (1,), (4, 4, 700), (3, 64, 128, 129, 999)])
def test_sums_have_the_bits_of_the_tree(cuts):
    x = numbers(1000)
    edges = [0, *cuts, len(x)]
    parts = [kiln.partial(kiln.math.add, x[a:b], global_offset=a, global_size=len(x)) for a, b in zip(edges, edges[1:])]
    whole = parts[0]
    for each in parts[1:]:
        whole = whole.combine(pickle.loads(pickle.dumps(each)))
    assert (whole.begin, whole.end, whole.global_size) == (0, 1000, 1000)
    result = whole.finish()
    assert type(result) is np.float32 and result == tree(x)


def test_axes_masks_and_options():
    x = numbers(60).reshape(12, 5)
    mask = x > 0
    a = kiln.partial(kiln.math.add, x[:7], global_size=12, where=mask[:7], dtype="float64")
    b = kiln.partial(kiln.math.add, x[7:], global_offset=7, where=mask[7:], dtype="float64")
    result = a.combine(b).finish(initial=1, keepdims=True)
    assert result.shape == (1, 5) and result.dtype == np.float64
    np.testing.assert_allclose(result, np.add.reduce(x, dtype=np.float64, where=mask, initial=1, keepdims=True))
    left = kiln.partial(ARGMAX, x[:, :2], axis=1, global_size=5)
    right = kiln.partial(ARGMAX, x[:, 2:], axis=1, global_offset=2)
    np.testing.assert_array_equal(left.combine(right).finish(), np.argmax(x, 1))
    own = kiln.partial(kiln.math.add, kiln.to_device(x, device="cpu")).finish()
    assert isinstance(own, kiln.Array)


def test_errors():
    x = numbers(10)
    a = kiln.partial(kiln.math.add, x[:4], global_size=10)
    with pytest.raises(kiln.ShapeError, match="4 to 6 is missing"):
        a.combine(kiln.partial(kiln.math.add, x[6:], global_offset=6))
    with pytest.raises(kiln.ShapeError, match="add.finish: the accumulators are of 0 to 4, and the array has 0 to 10"):
        a.finish()
    with pytest.raises(TypeError, match=r"combine\(\) takes the kiln.Partial that follows, not int"):
        a.combine(3)
    with pytest.raises(TypeError, match="did you mean 'axis'"):
        kiln.partial(kiln.math.add, x, axes=1)
    with pytest.raises(kiln.TypeError, match="subtract.partial: the operation is not marked reorderable"):
        kiln.partial(kiln.math.subtract, x)
    with pytest.raises(kiln.TypeError, match="no ufunc and no reduction"):
        kiln.partial(kiln.guvectorize("void(float32[:] x, float32[:] y)", "(n)->()", "y(0) = x(0);"), x)
    with pytest.raises(ValueError, match="global_size: a number of 0 or more is expected, or None"):
        kiln.partial(kiln.math.add, x, global_size=-1)
    with pytest.raises(kiln.ShapeError, match="does not lie within global_size="):
        kiln.partial(kiln.math.add, x, global_offset=2**63 - 5)
    with pytest.raises(TypeError, match="cannot create 'kiln.Partial' instances"):
        kiln.Partial()
    assert repr(a) == f"<kiln.Partial of {kiln.math.add!r}: 0 to 4 of 10>"


@pytest.mark.parametrize("size", [1, 2, 5])
def test_ranks(size):
    x = numbers(777)
    expected = kiln.partial(kiln.math.add, x).finish()

    def work(comm):
        a, b = 777 * comm.rank // comm.size, 777 * (comm.rank + 1) // comm.size
        return kiln.mpi.allreduce(comm, lambda: kiln.partial(kiln.math.add, x[a:b], global_offset=a, global_size=777)).finish()

    assert on_ranks(size, work) == [expected] * size

    def work_for_last(comm):
        a, b = 777 * comm.rank // comm.size, 777 * (comm.rank + 1) // comm.size
        part = kiln.mpi.reduce(comm, lambda: kiln.partial(kiln.math.add, x[a:b], global_offset=a, global_size=777), root=comm.size - 1)
        return part and part.finish()

    assert on_ranks(size, work_for_last) == [None] * (size - 1) + [expected]

    def another_root(comm):
        return kiln.mpi.reduce(comm, lambda: kiln.partial(kiln.math.add, x), root=int(comm.rank == 1))

    if size > 1:
        for error in on_ranks(size, another_root):
            assert isinstance(error, kiln.RankError) and str(error) == (
                f"kiln.mpi.reduce: rank 1 of {size}: calls do not match: it makes kiln.mpi.reduce to rank 1, and rank 0 kiln.mpi.reduce to rank 0")

    for error in on_ranks(size, lambda comm: kiln.mpi.reduce(comm, lambda: None, root=size)):
        assert isinstance(error, ValueError) and str(error) == f"kiln.mpi.reduce: there is no rank {size}: the ranks are 0 to {size - 1}"

    def broken(comm):
        return kiln.mpi.allreduce(comm, lambda: 1 / 0)

    for error in on_ranks(size, broken):
        assert isinstance(error, kiln.RankError) and str(error) == f"kiln.mpi.allreduce: rank 0 of {size}: division by zero"


def test_dask():
    da = pytest.importorskip("dask.array")
    pytest.importorskip("distributed")
    import kiln.dask
    x = numbers(60 * 7).reshape(60, 7)
    for axis in (0, 1, -1):
        for keepdims in (False, True):
            expected = kiln.partial(kiln.math.add, x, axis=axis).finish(keepdims=keepdims)
            for chunks in ((60, 7), (13, 3), (1, 7), (32, 2)):
                result = kiln.dask.reduce(kiln.math.add, da.from_array(x, chunks=chunks), axis=axis, keepdims=keepdims)
                assert result.dtype == np.float32 and result.shape == expected.shape
                np.testing.assert_array_equal(result.compute(scheduler="threads"), expected)
    dots = kiln.reduction(name="dots_on_dask", signatures=["float32(float32 a, float32 b)"], map="return a * b;", reduce="return a + b;", identity="0")
    y = da.from_array(x, chunks=(13, 3))
    np.testing.assert_array_equal(kiln.dask.reduce(dots, y, y).compute(), kiln.partial(dots, x, x, axis=0).finish())
    with pytest.raises(ValueError, match="different shapes or chunks"):
        kiln.dask.reduce(dots, y, y.rechunk(5))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_running_sums_over_ranks_have_the_bits_of_one(size):
    x = numbers(1000)
    expected = kiln.accumulate_part(kiln.math.add, x)
    before = tree(x[:512]) + tree(x[512:640])
    assert expected[640] == before + x[640]
    edges = [len(x) * rank // size for rank in range(size)] + [len(x)]

    def work(comm):
        begin, end = edges[comm.rank:comm.rank + 2]
        return kiln.mpi.accumulate(comm, kiln.math.add, x[begin:end], global_offset=begin, global_size=len(x))

    np.testing.assert_array_equal(np.concatenate(on_ranks(size, work)), expected)


def test_errors_of_running_sums():
    x = numbers(100)
    with pytest.raises(ValueError, match="there are no accumulators of the elements before it; give those of 0 to 3"):
        kiln.accumulate_part(kiln.math.add, x, global_offset=3)
    with pytest.raises(TypeError, match="before is a kiln.Partial or None, not float"):
        kiln.accumulate_part(kiln.math.add, x, 1.0)
    with pytest.raises(TypeError, match="the function is no ufunc"):
        kiln.accumulate_part(ARGMAX, x)
    for error in on_ranks(3, lambda comm: kiln.mpi.accumulate(comm, kiln.math.add, x[:10], global_offset=comm.rank * 20, global_size=100)):
        assert isinstance(error, kiln.ShapeError) and "the part of 0 to 10 is followed by that of 20 to 30" in str(error)
