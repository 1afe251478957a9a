"""Objects that threads share. Without the GIL they run at once; with it they take turns."""
import gc
import os
import sys
import sysconfig
import threading

import numpy as np
import pytest

import kiln
from test_process import run

THREADS = 6


def at_once(work, threads=THREADS):
    """Runs work(number) in threads that begin together, and returns what each gave. Raises the first exception."""
    barrier, results = threading.Barrier(threads), [None] * threads
    failures = []

    def body(number):
        try:
            barrier.wait(60)
            results[number] = work(number)
        except BaseException as error:
            failures.append(error)
    started = [threading.Thread(target=body, args=(number,)) for number in range(threads)]
    for each in started:
        each.start()
    for each in started:
        each.join()
    if failures:
        raise failures[0]
    return results


def test_the_gil_stays_off():
    """An extension that does not say that it needs none would switch it on."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this interpreter has a GIL")
    code = "import sys, numpy; before = sys._is_gil_enabled(); import kiln; kiln.math.add([1.5], 1); print(before, sys._is_gil_enabled())"
    done = run(code, "-W", "error", PYTHON_GIL="")
    assert done.stdout.split() == ["False", "False"], (done.stdout, done.stderr)


def test_the_first_calls_of_a_function():
    """Each dtype is learnt by whoever comes first."""
    for round_ in range(20):
        f = kiln.vectorize(f"T f{round_ % 2}(T a, T b) = a + b")

        def work(number):
            for i in range(8):
                dtype = ["int8", "int32", "int64", "float32", "float64", "uint16", "complex64", "uint8"][(number + i) % 8]
                a = np.arange(1, 40).astype(dtype)
                got = f(a, a)
                assert got.dtype == a.dtype and np.array_equal(got, a + a)
                assert f(a[:3], 1).dtype == a.dtype
        at_once(work)


def test_the_same_definition_and_the_first_uses_of_names():
    done = run("""
        import sys; sys.path.insert(0, %r)
        from test_threads import at_once
        import numpy as np, kiln
        def work(number):
            a = np.arange(5.0)
            names = ["add", "sqrt", "hypot", "maximum", "exp", "floor_divide", "isfinite", "negative"]
            for name in names[number:] + names[:number]:
                f = getattr(kiln.math, name)
                f(*([a] * f.nin))
            g = kiln.vectorize("float64 same(float64 a) = a * 3")
            h = kiln.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[0]", "el")
            kiln.xp.sum(kiln.xp.asarray(a, device="cpu")), kiln.devices(), kiln.fft.fft(a)
            return g(a).sum() + h(a, a).sum()
        import kiln.xp, kiln.fft
        print(set(map(float, at_once(work))))
    """ % os.path.dirname(__file__))
    assert done.stdout.strip() == "{40.0}", (done.stdout, done.stderr)


def test_arrays_of_several_threads():
    a = np.arange(24.0).reshape(4, 6)
    x = kiln.to_device(a, device="cpu")

    def work(number):
        for i in range(60):
            assert (x + number)[i % 4, 2].item() == a[i % 4, 2] + number
            assert np.array_equal(np.asarray(x[[0, 1], [number, i % 6]]), a[[0, 1], [number, i % 6]])
            assert np.array_equal(np.from_dlpack(x), a) and x.T.shape == (6, 4) and x.sum().item() == a.sum()
            assert np.array_equal(np.asarray(kiln.from_dlpack(a)), a) and x.__dlpack_device__() == (1, 0)
            own = kiln.to_device(a, device="cpu")
            own[number % 4] = -1
            assert own.copy_to_host()[number % 4].sum() == -6
    at_once(work)


def test_a_stream_of_several_threads():
    stream, event = kiln.Stream("cpu"), kiln.Event("cpu")
    f = kiln.vectorize("float64 f(float64 a, float64 b) = a + b")
    outs = [np.zeros(20000) for _ in range(THREADS)]

    def work(number):
        for _ in range(30):
            f(np.ones(20000), outs[number], out=outs[number], stream=stream)
            event.record(stream)
            if number % 2:
                stream.synchronize()
            else:
                event.synchronize()
            assert event.done in (True, False)
    at_once(work)
    stream.synchronize()
    assert all((each == 30).all() for each in outs)


def test_functions_that_go_while_others_call_them():
    shared = [kiln.vectorize("float64 f(float64 a) = a + 1")]
    a = np.arange(30000.0)

    def work(number):
        for i in range(80):
            if number == 0:
                shared[0] = kiln.vectorize(f"float64 f(float64 a) = a + {i % 2 + 1}")
                shared[0].note = i
                gc.collect(0)
            else:
                f = shared[0]
                assert (f(a) - a)[7] in (1, 2) and isinstance(repr(f), str) and f.types and vars(f) is not None
    at_once(work)


def test_settings_change_while_others_call():
    f = kiln.vectorize("float64 f(float64 a) = a * 2")
    a = np.arange(20000.0)
    lines = []

    def work(number):
        for i in range(40):
            if number == 0:
                with kiln.profile() as profile:
                    f(a)
                assert profile is not None
            elif number == 1:
                assert i or kiln.cache.stats()
                kiln.vectorize(f"float64 f(float64 a) = a + {i % 3}")(a)
            elif number == 2:
                kiln.set_log(lines.append if i % 2 else None)
            else:
                assert f(a)[3] == 6 and kiln.math.add.reduce(a) == a.sum() and f.reduce is not None
    try:
        at_once(work)
    finally:
        kiln.set_log(None)


def test_callbacks_and_exceptions_of_each_thread():
    """An exception is its thread's own."""
    f = kiln.vectorize("float64 f(float64 a) = a + 1")
    g = kiln.chunked(f, chunk_bytes=1 << 14)
    a = np.arange(20000.0)

    def work(number):
        for _ in range(20):
            with pytest.raises(TypeError if number % 2 else ValueError):
                f(object()) if number % 2 else f(a, out=np.empty(3))
            seen = []
            kiln.chunked(f, chunk_bytes=1 << 14, progress=lambda *args: seen.append(number))(a)
            assert seen and set(seen) == {number}
            assert g(a)[5] == 6
    at_once(work)


def test_one_array_is_written_by_all():
    """Elements of different threads do not meet."""
    out = np.zeros((THREADS, 30000))

    def work(number):
        for _ in range(50):
            kiln.math.add(out[number], number, out=out[number])
            kiln.math.add.at(out[number], [0, 0], 1)
    at_once(work)
    expected = np.zeros_like(out) + 50 * np.arange(THREADS)[:, None]
    expected[:, 0] += 100
    assert np.array_equal(out, expected) and sys.getrefcount(out) < 100
