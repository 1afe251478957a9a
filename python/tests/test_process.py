"""What concerns the process: import, threads, fork, signals, references, the end of the interpreter."""
import gc
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import kiln

HERE = os.path.dirname(os.path.dirname(kiln.__file__))


def run(code, *options, **environment):
    # A shell's job in the background ignores SIGINT, and so would its children.
    return subprocess.run([sys.executable, *options, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                          env={**os.environ, "PYTHONPATH": HERE, **environment})


def test_import_opens_no_library_but_kilns_own():
    done = run("""
        import numpy, re
        before = set(re.findall(r"/\\S+\\.so\\S*", open("/proc/self/maps").read()))
        import kiln
        after = set(re.findall(r"/\\S+\\.so\\S*", open("/proc/self/maps").read()))
        print("\\n".join(sorted(each for each in after - before if "/lib-dynload/" not in each)))
    """)
    assert done.returncode == 0, done.stderr
    names = {os.path.basename(line) for line in done.stdout.split()}
    kilns = {name for name in names if name.startswith(("libkiln.so", "_kiln"))}
    system = {name for name in names if re.match(r"(libstdc\+\+|libgcc_s|libm|libdl|libpthread|librt|libc|ld-linux|libtbb)\b", name)}
    assert kilns and names == kilns | system, names


def test_packages_with_compilers_are_named_to_the_library(tmp_path):
    """Before it first looks for them. What the user has set stays."""
    (tmp_path / "nvidia").mkdir()
    (tmp_path / "other").mkdir()
    package = os.path.dirname(os.path.dirname(kiln.__file__))
    code = "import os, kiln; print(os.environ.get('KILN_PYTHON_PACKAGES'))"

    def named(*folders, **environment):
        clean = {name: value for name, value in os.environ.items() if name != "KILN_PYTHON_PACKAGES"}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env={**clean, "PYTHONPATH": os.pathsep.join(map(str, (package, *folders))), **environment})
        return done.stdout.strip().split(":")
    assert str(tmp_path) in named(tmp_path / "other", tmp_path) and str(tmp_path / "other") not in named(tmp_path / "other", tmp_path)
    assert str(tmp_path) not in named()
    assert named(tmp_path, KILN_PYTHON_PACKAGES="/elsewhere") == ["/elsewhere"]


def test_one_symbol_is_exported():
    path = kiln._kiln.__file__
    listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("nm is not installed")
    assert [line.split()[-1] for line in listed.stdout.splitlines()] == ["PyInit__kiln"]


def test_undefined_symbols_are_of_the_c_interface():
    listed = subprocess.run(["nm", "-D", "--undefined-only", kiln._kiln.__file__], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("nm is not installed")
    assert not [line for line in listed.stdout.splitlines() if "4kiln" in line]


def test_threads():
    f = kiln.vectorize("T f(T a, T b) where T: int32, int64, float32, float64 = a + b")
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for i in range(200):
            a = rng.integers(0, 9, int(rng.integers(1, 20000))).astype(["int32", "int64", "float32", "float64"][i % 4])
            if not np.array_equal(f(a, a), a + a):
                failures.append(seed)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures


def _child(queue, pickled):
    f = pickle.loads(pickled)
    queue.put(f(np.arange(20000.0)).sum())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method):
    f = kiln.vectorize("float64 f(float64 a) = a + 1")
    f(np.arange(20000.0))
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_child, args=(queue, pickle.dumps(f)))
    process.start()
    assert queue.get(timeout=60) == (np.arange(20000.0) + 1).sum()
    process.join(30)
    assert process.exitcode == 0


def test_ctrl_c_ends_a_long_call():
    done = run("""
        import os, signal, threading, time
        import numpy as np, kiln
        f = kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 2000000; ++i) a = a * 0.999999 + 1e-9; return a; }")
        f(np.zeros(0))
        f.compile()
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            f(np.ones(1 << 20))
        except KeyboardInterrupt:
            print("ended", time.monotonic() - start < 60)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            print("again")
    """)
    assert done.stdout.split() == ["ended", "True", "again"], (done.stdout, done.stderr)


def test_ctrl_c_just_before_a_call_ends_it():
    """Between the signal and the call nothing of Python runs that would raise it."""
    done = run("""
        import ctypes, signal, time
        import numpy as np, kiln
        f = kiln.vectorize("float64 f(float64 a, int32 b) { for (int64 i = 0; i < 20000000 + b; ++i) a = a * 0.999999 + 1e-9; return a; }")
        f.compile()
        trip = ctypes.CDLL(None)["raise"]
        start = time.monotonic()
        try:
            list(map(f, [np.ones(1 << 20)], map(trip, [signal.SIGINT])))
        except KeyboardInterrupt:
            print("ended", time.monotonic() - start < 60)
    """)
    assert done.stdout.split() == ["ended", "True"], (done.stdout, done.stderr)


def test_ctrl_c_leaves_later_calls_alone():
    done = run("""
        import os, signal, threading
        import numpy as np, kiln
        slow = kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 20000000; ++i) a = a * 0.999999 + 1e-9; return a; }")
        slow.compile()
        a = np.ones(1 << 20)
        for _ in range(3):
            timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            try:
                slow(a)
            except KeyboardInterrupt:
                timer.join()
                print((kiln.math.add(a, a) == 2).all(), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    """)
    assert done.stdout.split() == ["True"] * 6, (done.stdout, done.stderr)


#: Calls of half a minute and more, in parts of at most a second.
LONG = {
    "a reduction": """
        g = kiln.reduction("float64(float64 x)", map="for (int64 i = 0; i < 10000; ++i) x = x * 0.999999 + 1e-9; return x;",
                           reduce="return a + b;", identity=0)
        a = np.ones(1 << 24)
        call = lambda: g(a)""",
    "a generalized ufunc": """
        g = kiln.guvectorize("(n)->(n) void g(float64[:] a, float64[:] b) { for (index i = 0; i < n; ++i) { float64 x = a(i);"
                             "for (int64 k = 0; k < 200000; ++k) x = x * 0.999999 + 1e-9; b(i) = x; } }")
        a = np.ones((1 << 18, 4))
        call = lambda: g(a)""",
    "a raw kernel": """
        g = kiln.kernel("void(float64[:] a)", "float64 x = a[item]; for (int64 k = 0; k < 200000; ++k) x = x * 0.999999 + 1e-9; a[item] = x;")
        a = np.ones(1 << 20)
        call = lambda: g.forall(a.size)(a)""",
    "a call in chunks": """
        f = kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 200000; ++i) a = a * 0.999999 + 1e-9; return a; }")
        a = np.ones(1 << 20)
        call = lambda: kiln.chunked(f, chunk_bytes=1 << 16)(a)""",
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_calls_of_every_kind(name):
    done = run("import os, signal, threading, time, numpy as np, kiln\n" + textwrap.dedent(LONG[name]) + textwrap.dedent("""
        came = []
        def interrupt():
            came.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(3.0, interrupt).start()
        try:
            call()
            print("it ran to its end")
        except KeyboardInterrupt:
            print("ended", time.monotonic() - came[0] < 15)
    """))
    assert done.stdout == "ended True\n", (done.stdout, done.stderr)


#: Waits for a stream whose work takes a minute and more.
WAITS = {
    "a stream": "stream.synchronize()",
    "an event": "event = kiln.Event('cpu'); event.record(stream); event.synchronize()",
}


@pytest.mark.parametrize("name", WAITS)
def test_ctrl_c_ends_waits(name):
    """The work goes on, so that the process is not left to its end."""
    done = run("import os, signal, threading, time, numpy as np, kiln\n" + textwrap.dedent(f"""
        f = kiln.vectorize("float64 f(float64 a) {{ for (int64 i = 0; i < 200000; ++i) a = a * 0.999999 + 1e-9; return a; }}")
        stream = kiln.Stream("cpu")
        out = np.zeros(3000000)
        f.compile()
        f(np.ones(3000000), out=out, stream=stream)
        came = []
        def interrupt():
            came.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(1.0, interrupt).start()
        try:
            {WAITS[name]}
            print("it ran to its end")
        except KeyboardInterrupt:
            print("ended", time.monotonic() - came[0] < 15)
        # Signals whose handlers raise nothing leave the wait alone.
        alarms = []
        signal.signal(signal.SIGALRM, lambda *_: alarms.append(1))
        short = kiln.Stream("cpu")
        part = np.zeros(3000)
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        until = time.monotonic() + 60
        while len(alarms) < 3 and time.monotonic() < until:
            part[:] = 0
            f(np.ones(3000), out=part, stream=short)
            short.synchronize()
            assert (part != 0).all()
        print(len(alarms) >= 3, flush=True)
        os._exit(0)
    """))
    assert done.stdout.split() == ["ended", "True", "True"], (done.stdout, done.stderr)


def test_waits_in_other_threads_and_for_devices():
    f = kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 20000; ++i) a = a * 0.999999 + 1e-9; return a; }")
    stream, event, out, seen = kiln.Stream("cpu"), kiln.Event("cpu"), np.zeros(3000), []

    def work():
        f(np.ones(3000), out=out, stream=stream)
        event.record(stream)
        event.synchronize()
        seen.append(event.done and out.all())
        stream.synchronize()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    kiln.synchronize("cpu")
    assert seen == [True]


def test_a_stream_is_deleted_before_its_work():
    """Its work gives up references, which needs the GIL."""
    f = kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 100000; ++i) a = a * 0.999999 + 1e-9; return a; }")
    stream, out = kiln.Stream("cpu"), np.zeros(3000)
    for _ in range(3):
        f(np.ones(3000), out=out, stream=stream)
    del stream
    assert out.all()


def test_timeouts():
    f = kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 20000000; ++i) a = a * 0.999999 + 1e-9; return a; }")
    with pytest.raises(kiln.Stopped):
        f(np.ones(1 << 16), timeout=0.05)


def test_the_interpreter_ends_with_work_queued():
    done = run("""
        import numpy as np, kiln
        stream = kiln.Stream("cpu")
        f = kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 1000; ++i) a = a * 0.999999 + 1e-9; return a; }")
        out = np.empty(100000)
        for _ in range(5):
            f(np.ones(100000), out=out, stream=stream)
    """, "-X", "dev")
    assert done.returncode == 0, done.stderr


def test_a_function_is_deleted_while_it_runs():
    f = [kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 5000; ++i) a = a * 0.999999 + 1e-9; return a; }")]
    thread = threading.Thread(target=lambda: f[0](np.ones(100000)))
    thread.start()
    f.clear()
    gc.collect()
    thread.join()


SUBINTERPRETER = """
try:
    import _interpreters as sub
except ImportError:
    import _xxsubinterpreters as sub

def run(code):
    other = sub.create()
    try:
        failure = sub.exec(other, code) if hasattr(sub, "exec") else sub.run_string(other, code)
    except Exception as error:
        failure = error
    sub.destroy(other)
    return failure

IMPORT = '''
try:
    import kiln
except ImportError as error:
    import sys
    print("refused:", error, file=sys.stderr)
else:
    raise SystemExit("imported")
'''
"""


def test_second_interpreters_are_refused():
    done = run(SUBINTERPRETER + "import kiln\nprint(run(IMPORT), kiln.math.add(1, 2))")
    assert done.returncode == 0 and done.stdout == "None 3\n" and "refused: " in done.stderr, (done.stdout, done.stderr)


def test_a_subinterpreter_is_refused_before_the_main_one_imports():
    """And takes nothing from it."""
    done = run(SUBINTERPRETER + "print(run(IMPORT), run(IMPORT))\nimport kiln\nprint(kiln.math.add(1, 2))")
    assert done.returncode == 0 and done.stdout == "None None\n3\n" and done.stderr.count("refused: ") == 2, (done.stdout, done.stderr)
    if sys.version_info < (3, 12):
        assert "kiln is imported by the main interpreter of a process alone" in done.stderr


def test_the_module_is_loaded_once():
    done = run("""
        import sys, kiln
        del sys.modules["kiln._kiln"]
        try:
            import kiln._kiln
        except ImportError as error:
            print(error)
        print(kiln.math.add(1, 2))
    """)
    assert done.stdout == "kiln._kiln is loaded once in a process\n3\n", (done.stdout, done.stderr)


def test_the_interpreter_ends_while_threads_call():
    """Daemon threads, in short calls and in a long one."""
    done = run("""
        import threading, time
        import numpy as np, kiln
        slow = kiln.vectorize("float64 f(float64 a) { for (int64 i = 0; i < 20000000; ++i) a = a * 0.999999 + 1e-9; return a; }")
        slow.compile()
        a, big = np.ones(20000), np.ones(1 << 20)
        def short():
            while True:
                kiln.math.add(a, a)
        for work in (short, short, lambda: slow(big)):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
        print("end", flush=True)
    """)
    assert done.returncode == 0 and done.stdout == "end\n", (done.returncode, done.stdout, done.stderr)


def test_callbacks_at_the_end_of_the_interpreter():
    """The log's callback is there until the end, and none is called after it."""
    done = run("""
        import atexit, sys, numpy as np, kiln
        kiln.set_log(lambda line: None)
        kiln.set_print(lambda text: None)
        f = kiln.vectorize('float64 f(float64 a) { printf("%f ", a); return a; }')
        stream = kiln.Stream("cpu")
        atexit.register(lambda: f(np.ones(1000), out=np.empty(1000), stream=stream))
    """, "-X", "dev")
    assert done.returncode == 0, (done.stdout, done.stderr)


@pytest.mark.skipif(not hasattr(sys, "_is_gil_enabled"), reason="Python before 3.13")
def test_the_extension_needs_no_gil():
    """Also not on a build without one, where the import would take it again."""
    import sysconfig
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled()


def test_threads_that_share_everything():
    """Functions, their first calls, their attributes, lists that are changed meanwhile. Of use without a GIL above all."""
    axes, failures, barrier = [0, 1], [], threading.Barrier(4)
    x = np.arange(60.0).reshape(3, 4, 5)

    def work(seed):
        barrier.wait()
        for i in range(60):
            f = made[i % len(made)]
            a = np.arange(7).astype(["int32", "int64", "float32", "float64"][(seed + i) % 4])
            if not np.array_equal(f(a, a), a + a) or f.__doc__ is None or len(f.types) != 4:
                failures.append((seed, i))
            axes.append(2)
            try:
                kiln.math.add.reduce(x, axis=axes)
            except ValueError:
                pass
            del axes[2:]
    made = [kiln.vectorize("T f(T a, T b) where T: int32, int64, float32, float64 = a + b") for _ in range(5)]
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures


def test_the_tool_runs():
    done = subprocess.run([sys.executable, "-m", "kiln", "devices"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": HERE})
    assert done.returncode == 0 and "cpu" in done.stdout, done.stderr


LEAKS = {
    "a call": lambda: kiln.math.add(np.ones(3), 1),
    "a call of scalars": lambda: kiln.math.add(1.5, 2.0),
    "a call with out": lambda: kiln.math.add(np.ones(3), 1, out=np.empty(3)),
    "a call with where": lambda: kiln.math.add(np.ones(3), 1, where=np.ones(3, bool)),
    "a large result": lambda: kiln.math.add(np.ones(3000), 1, dtype=np.float64),
    "several outputs": lambda: kiln.math.divmod(np.ones(3), 2.0),
    "reduce": lambda: kiln.math.add.reduce(np.ones((3, 3))),
    "reduce with options": lambda: kiln.math.add.reduce(np.ones((3, 3)), axis=(0, 1), keepdims=True, initial=1),
    "accumulate": lambda: kiln.math.add.accumulate(np.ones(300)),
    "outer": lambda: kiln.math.add.outer(np.ones(3), np.ones(3)),
    "at": lambda: kiln.math.add.at(np.ones(3), [0, 1], 1),
    "a big-endian array": lambda: kiln.math.add(np.ones(3, ">f8"), 1, out=np.empty(3, ">f8")),
    "DLPack": lambda: np.from_dlpack(kiln.from_dlpack(np.ones(300)) + 1),
    "a definition": lambda: kiln.vectorize("float64 f(float64 a) = a"),
    "a gufunc": lambda: _dot(np.ones((30, 30)), np.ones(30)),
    "axes": lambda: _dot(np.ones((30, 30)), np.ones((30, 30)), axes=[(0,), (0,), ()]),
    "an error": lambda: pytest.raises(ValueError, kiln.math.add, np.ones(3), np.ones(4)),
    "an unknown keyword": lambda: pytest.raises(TypeError, kiln.math.add, 1, 2, wher=3),
    "a subclass": lambda: kiln.math.add(np.ma.array([1.0, 2.0]), 1),
    "a stream": lambda: _on_stream(),
    "views": lambda: kiln.to_device(np.ones(10), device="cpu")[::2].copy_to_host(),
    "pickles": lambda: pickle.loads(pickle.dumps(_dot)),
}
_dot = kiln.guvectorize("(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c) { c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }")


def _on_stream():
    stream = kiln.Stream("cpu")
    kiln.math.add(np.ones(1000), 1, out=np.empty(1000), stream=stream)
    stream.synchronize()


def _memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _growth(work):
    """What 2000 calls leave behind: blocks, and bytes of the process."""
    blocks, before = sys.getallocatedblocks(), _memory()
    for _ in range(2000):
        work()
    gc.collect()
    return sys.getallocatedblocks() - blocks, _memory() - before


@pytest.mark.parametrize("name", LEAKS)
def test_references_are_released(name):
    work = LEAKS[name]
    for _ in range(50):
        work()
    gc.collect()
    # Free lists fill for some rounds, the more without a GIL. A leak grows in each.
    for _ in range(4):
        blocks, size = _growth(work)
        if blocks < 300 and size < 4 << 20:
            break
    assert blocks < 300 and size < 4 << 20


def test_operands_keep_their_references():
    a, b = np.ones(3), np.ones(3)
    kiln.math.add(a, b)
    counts = sys.getrefcount(a), sys.getrefcount(b), sys.getrefcount(None)
    for _ in range(100):
        kiln.math.add(a, b)
        kiln.math.add(a, b, out=b)
        kiln.math.add.reduce(a)
    assert (sys.getrefcount(a), sys.getrefcount(b)) == counts[:2]
    assert abs(sys.getrefcount(None) - counts[2]) < 50
