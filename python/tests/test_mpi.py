"""kiln.mpi: ranks that are threads, and a real MPI where mpi4py and mpirun are there."""
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import kiln
import kiln.mpi


class Comm:
    """A rank of threads that meet at a barrier; what kiln.mpi asks of an object that is not mpi4py's."""

    def __init__(self, rank, size, barrier, slots):
        self.rank, self.size, self.barrier, self.slots = rank, size, barrier, slots

    def Get_rank(self):
        return self.rank

    def Get_size(self):
        return self.size

    def allgather(self, value):
        self.slots[self.rank] = value
        self.barrier.wait(60)
        everything = list(self.slots)
        self.barrier.wait(60)
        return everything


def on_ranks(size, work):
    """What each rank's work gives or raises."""
    barrier, slots, results = threading.Barrier(size), [None] * size, [None] * size

    def run(rank):
        try:
            results[rank] = work(Comm(rank, size, barrier, slots))
        except Exception as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


KERNELS = ["float64 on_ranks_0(float64 a) = a / 3", "float64 on_ranks_1(float64 a) = a / 5"]


def test_each_kernel_is_compiled_once_among_ranks(tmp_path):
    def work(comm):
        cache = kiln.Cache(tmp_path / str(comm.rank))
        report = kiln.mpi.warm(comm, [kiln.vectorize(text) for text in KERNELS], targets=["native"], cache=cache)
        again = kiln.Cache(tmp_path / str(comm.rank))
        values = [kiln.vectorize(text, cache=again)(np.arange(4.0)) for text in KERNELS]
        return report, cache.statistics()["compiles"], values, again.statistics()["compiles"]

    results = on_ranks(3, work)
    reports = [result[0] for result in results]
    assert sum(result[1] for result in results) == reports[0]["kernels"] == len(reports[0]["compiled"])
    for report, _, values, compiles in results:
        assert {each["kernel"] for each in report["compiled"]} == {"on_ranks_0", "on_ranks_1"}
        assert report["text"].startswith(f"{report['kernels']} kernels for 3 ranks: ")
        np.testing.assert_array_equal(values, [np.arange(4.0) / 3, np.arange(4.0) / 5])
        assert compiles == 0


def test_calls_that_do_not_match_are_an_error_of_every_rank(tmp_path):
    manifest = {"kiln_manifest": 2, "kernels": [{"kernel": KERNELS[0]}]}
    results = on_ranks(3, lambda comm: kiln.mpi.warm(comm, manifest, targets=["native" if comm.rank != 1 else "sm_90"]))
    for error in results:
        assert isinstance(error, kiln.RankError)
        assert error.rank == 1
        assert "rank 1 of 3: calls do not match: its targets are sm_90, and of rank 0 native" in str(error)
    with pytest.raises(kiln.CacheError):
        kiln.mpi.warm(Comm(0, 1, threading.Barrier(1), [None]), "{}")


PROGRAM = """
    import sys, time
    import numpy as np
    from mpi4py import MPI
    import kiln, kiln.mpi
    comm = MPI.COMM_WORLD
    cache = kiln.Cache(f"{sys.argv[1]}/{comm.rank}")
    functions = [kiln.vectorize("float64 over_mpi(float64 a) = a / 7")]
    kiln.mpi._LARGEST = int(sys.argv[2])
    report = kiln.mpi.warm(comm, functions, targets=["native"], cache=cache)
    assert comm.allreduce(cache.statistics()["compiles"]) == report["kernels"] == len(report["compiled"]), report
    missing = comm.size - 1
    start = time.monotonic()
    if comm.rank != missing:
        try:
            kiln.mpi.warm(comm, functions, targets=["native"], cache=cache, timeout=0.5)
        except kiln.RankError as error:
            assert error.rank == missing and f"rank {missing} of {comm.size} did not come within the time limit" in str(error), error
        else:
            raise SystemExit("no error")
        assert time.monotonic() - start < 8
    comm.Barrier()
    again = kiln.mpi.warm(comm, functions, targets=["native"], cache=cache)
    assert again["compiled"] == [], again
    x = np.linspace(0.1, 1, 1003, dtype=np.float32)
    begin, end = len(x) * comm.rank // comm.size, len(x) * (comm.rank + 1) // comm.size
    place = {"global_offset": begin, "global_size": len(x)}
    total = kiln.mpi.allreduce(comm, lambda: kiln.partial(kiln.math.add, x[begin:end], **place)).finish()
    assert total == kiln.partial(kiln.math.add, x).finish()
    for root in range(comm.size):
        on_root = kiln.mpi.reduce(comm, lambda: kiln.partial(kiln.math.add, x[begin:end], **place), root=root)
        assert (on_root is None) == (comm.rank != root) and (on_root is None or on_root.finish() == total)
    running = kiln.mpi.accumulate(comm, kiln.math.add, x[begin:end], **place)
    assert (running == kiln.accumulate_part(kiln.math.add, x)[begin:end]).all()
    try:
        kiln.mpi.allreduce(comm, lambda: kiln.partial(kiln.math.multiply if comm.rank == 1 else kiln.math.add, x[begin:end], **place))
    except kiln.RankError as error:
        assert error.rank == 1 and "the accumulators are of another definition" in str(error), error
    else:
        raise SystemExit("no error")
    print("fine")
"""


def run_ranks(count, *arguments):
    """Runs a Python program by mpirun."""
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    flags = ["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in version else []
    # Not of pytest: what it prints of unraisable exceptions at exit.
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONDEVMODE", "PYTHONWARNINGS")}
    run = subprocess.run(["mpirun", *flags, "-n", str(count), sys.executable, *arguments], capture_output=True, text=True, timeout=240,
                         env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("largest", [1 << 30, 1000])
def test_over_mpi(tmp_path, largest):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    assert run_ranks(3, program, tmp_path, str(largest)).count("fine") == 3


def test_the_example():
    program = pathlib.Path(__file__).parents[2] / "examples/python/ranks.py"
    assert f"expected {np.sqrt(5) * 49999 * 25000:.6e}" in run_ranks(4, program, "50000")
