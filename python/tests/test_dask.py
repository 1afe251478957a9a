"""kiln on the workers of dask.distributed: processes with caches of their own."""
import pickle

import numpy as np
import pytest

import kiln
from conftest import same

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

DISC = "float64 disc_on_dask(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)"


@pytest.fixture
def cluster(tmp_path):
    """Two workers in processes, whose caches are empty."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=tmp_path,
                                  env={"KILN_CACHE_DIR": str(tmp_path / "cache")}) as made, distributed.Client(made) as client:
        yield client


def _compiles():
    import kiln
    return kiln.cache.statistics()["compiles"]


def _token(text):
    import dask.base
    import kiln
    return dask.base.tokenize(kiln.vectorize(text))


def _disc(a):
    import kiln
    return kiln.vectorize(DISC)(1.0, np.array(a), 0.25)  # a copy: what arrives has any alignment, and other kernels


def test_functions_compute_on_the_workers(cluster):
    disc = kiln.vectorize(DISC)
    b = np.linspace(1, 2, 1000)
    x = da.from_array(b, chunks=100)
    lazy = disc(1.0, x, 0.25)
    assert isinstance(lazy, da.Array)
    np.testing.assert_array_equal(lazy.compute(), disc(1.0, b, 0.25))
    assert sum(cluster.run(_compiles).values()) > 0  # the workers' caches were empty
    same(cluster.submit(disc, 1.0, 3.0, 2.0, pure=False).result(), np.float64(1.0))


def test_two_outputs_go_through_apply_gufunc(cluster):
    a = np.linspace(-3, 3, 60)
    x = da.from_array(a, chunks=20)
    fraction, whole = kiln.math.modf(x)
    assert isinstance(fraction, da.Array) and isinstance(whole, da.Array)
    for got, expected in zip((fraction.compute(), whole.compute()), np.modf(a)):
        np.testing.assert_array_equal(got, expected)
    with pytest.raises(TypeError, match="several outputs"):
        kiln.math.modf(x, where=a > 0)
    # A function of the user's that has the name of one of dask's is not taken for it.
    swapped = kiln.vectorize(["(float64 q, float64 r)(float64 a, float64 b)"], "q = b; r = a;", name="divmod")
    q, r = swapped(x, 2.0)
    np.testing.assert_array_equal(q.compute(), np.full(60, 2.0))
    np.testing.assert_array_equal(r.compute(), a)


def test_tokens_are_the_same_on_all_workers(cluster):
    tokens = set(cluster.run(_token, DISC).values())
    assert tokens == {_token(DISC)}
    assert _token(DISC) != _token(DISC.replace("4*", "3*"))


def test_workers_take_kernels_from_a_bundle(cluster, tmp_path):
    import kiln.dask
    mine = kiln.Cache(tmp_path / "mine")
    with pytest.raises(ValueError, match="has no kernels"):
        kiln.dask.Kernels(cache=mine)
    disc = kiln.vectorize(DISC, cache=mine)
    b = np.linspace(1, 2, 1000)
    expected = disc(1.0, b, 0.25)
    (tmp_path / "kernels").write_bytes(mine.export())
    for plugin in (kiln.dask.Kernels(cache=mine), kiln.dask.Kernels(tmp_path / "kernels")):
        assert "bytes" in repr(pickle.loads(pickle.dumps(plugin)))
        cluster.register_plugin(plugin)
        workers = list(cluster.scheduler_info()["workers"])
        for worker in workers:
            np.testing.assert_array_equal(cluster.submit(_disc, b, workers=[worker], pure=False).result(), expected)
        assert set(cluster.run(_compiles).values()) == {0}
        assert len(workers) == 2


def test_a_damaged_bundle_is_an_error(cluster):
    import kiln.dask
    with pytest.raises(Exception, match="bundle"):
        cluster.register_plugin(kiln.dask.Kernels(b"no bundle"))
