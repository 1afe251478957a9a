"""Ray: functions go to worker processes, and workers take kernels from a bundle."""
import os
import pickle

import numpy as np
import pytest

import kiln
import kiln.ray

ray = pytest.importorskip("ray")

DISC = "T disc(T a, T b, T c) where T: float32, float64 = sqrt(b*b - 4*a*c)"


@pytest.fixture
def start(tmp_path):
    """Starts Ray with two workers whose cache is empty, and with a hook."""
    def started(hook, folder):
        environment = {"KILN_CACHE_DIR": str(tmp_path / folder), "PYTHONPATH": os.environ["PYTHONPATH"]}
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False,
                 runtime_env={"env_vars": environment, **({"worker_process_setup_hook": hook} if hook else {})})

        # Within a function, since workers do not import this file.
        def work(f, b):
            import time
            time.sleep(1)  # so that both workers have a task
            return f(1.0, b, 0.25), kiln.Cache.statistics(None)["compiles"], os.getpid()
        return ray.remote(work)
    yield started
    ray.shutdown()


def test_workers_take_kernels_from_a_bundle(start, tmp_path):
    mine = kiln.Cache(tmp_path / "mine")
    with pytest.raises(ValueError, match="kiln.ray.Kernels: the cache's directory has no kernels"):
        kiln.ray.Kernels(cache=mine)
    disc = kiln.vectorize(DISC, cache=mine)
    b = np.linspace(1, 2, 1000)
    expected = disc(1.0, b, 0.25)
    (tmp_path / "kernels").write_bytes(mine.export())
    hook = kiln.ray.Kernels(tmp_path / "kernels")
    assert "bytes" in repr(pickle.loads(pickle.dumps(hook)))
    assert pickle.loads(pickle.dumps(hook))._bundle == kiln.ray.Kernels(cache=mine)._bundle
    plain = kiln.vectorize(DISC)
    work = start(hook, "theirs")
    found = ray.get([work.remote(plain, b) for _ in range(2)])
    assert len({process for _, _, process in found}) == 2
    for result, compiles, _ in found:
        np.testing.assert_array_equal(result, expected)
        assert compiles == 0


def test_workers_compile_without_a_bundle(start):
    work = start(None, "empty")
    found = ray.get([work.remote(kiln.vectorize(DISC), np.linspace(1, 2, 1000)) for _ in range(2)])
    assert sum(compiles for _, compiles, _ in found) >= 1


def test_a_damaged_bundle_is_an_error():
    with pytest.raises(kiln.Error, match="bundle"):
        kiln.ray.Kernels(b"no bundle")()
