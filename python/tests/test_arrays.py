"""kiln.Array, DLPack, streams."""
import ctypes
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import kiln
from conftest import ALL, same, values


@pytest.mark.parametrize("dtype", ALL)
def test_round_trips(dtype):
    a = values(dtype, (3, 4))
    x = kiln.to_device(a, device="cpu")
    assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes) == (a.shape, a.dtype, 2, 12, a.nbytes)
    same(x.copy_to_host(), a)
    out = np.empty_like(a)
    assert x.copy_to_host(out) is out
    same(out, a)
    same(np.from_dlpack(x), a)
    same(np.asarray(x), a)
    same(np.asarray(kiln.from_dlpack(a)), a)


def test_results_are_of_the_kind_that_was_given():
    x = kiln.to_device(np.arange(6.0).reshape(2, 3), device="cpu")
    for got in [kiln.math.add(x, 1), x + 1, 1 + x, x + np.ones(3), np.ones(3) + x, np.add(x, 1)]:
        assert type(got) is kiln.Array
        same(got.copy_to_host(), x.copy_to_host() + 1)
    assert type(kiln.math.add.reduce(x)) is kiln.Array
    same(x.sum(axis=1).copy_to_host(), x.copy_to_host().sum(axis=1))
    same(kiln.math.multiply.outer(x, x).copy_to_host(), np.multiply.outer(np.asarray(x), np.asarray(x)))
    x += 1
    same(x.copy_to_host(), np.arange(6.0).reshape(2, 3) + 1)
    out = np.empty((2, 3))
    assert kiln.math.add(x, 1, out=out) is out
    same(out, np.asarray(x) + 1)


def test_operators_are_numpys():
    a, b = np.arange(1, 5), np.array([3, 1, 2, 2])
    x, y = kiln.to_device(a, device="cpu"), kiln.to_device(b, device="cpu")
    for name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "lt", "le", "gt", "ge",
                 "eq", "ne"]:
        same(np.asarray(getattr(x, f"__{name}__")(y)), getattr(a, f"__{name}__")(b))
    same(np.asarray(-x), -a)
    same(np.asarray(~x), ~a)
    assert float(kiln.to_device(np.float64(2.5), device="cpu")) == 2.5
    with pytest.raises(TypeError):
        x + "text"


@pytest.mark.parametrize("key", [0, -1, slice(None), slice(None, None, -1), (slice(1, None), 2), (Ellipsis, 1), (None, 1), (0, 1, 2),
                                 (slice(0, 0),), (slice(None, None, 2), slice(3, 0, -2))])
def test_basic_indices(key):
    a = np.arange(60.0).reshape(3, 4, 5)
    x = kiln.to_device(a, device="cpu")
    np.testing.assert_array_equal(np.asarray(x[key]), a[key])
    x[key] = 7
    a[key] = 7
    same(np.asarray(x), a)


def _random_index(rng, shape):
    """Returns an index with at least one array, as NumPy has it."""
    common = [(), (1,), (4,), (2, 3)][rng.integers(4)]
    key, axis = [], 0
    while axis < len(shape) and (axis == 0 or rng.random() < 0.75):
        extent, kind = shape[axis], rng.integers(6)
        if kind == 0:
            key.append(int(rng.integers(-extent, extent)))
        elif kind == 1:
            key.append([slice(None), slice(1, None), slice(None, None, -1)][rng.integers(3)])
        elif kind == 2 and common in [(), (1,), (4,)]:
            count = int(rng.integers(1, len(shape) - axis + 1))
            size = int(np.prod(shape[axis:axis + count]))
            mask = np.zeros(size, bool)
            mask[rng.choice(size, min(size, common[0] if common else 1), replace=False)] = True
            key.append(mask.reshape(shape[axis:axis + count]))
            axis += count - 1
        else:
            own = common[rng.integers(0, len(common) + 1):]
            at = rng.integers(-extent, extent, own)
            key.append(at.astype(["int64", "int32", "int8"][rng.integers(3)]) if rng.random() < 0.7 else at.tolist())
        axis += 1
        if rng.random() < 0.1:
            key.append(None)
    if axis < len(shape) and rng.random() < 0.2:
        key.insert(int(rng.integers(0, len(key) + 1)), Ellipsis)
    return tuple(key)


def _numpy_key(key):
    return tuple(np.asarray(each) if isinstance(each, list) else each for each in key)


@pytest.mark.parametrize("seed", range(8))
def test_indices_by_arrays(seed):
    """The result, its place among the other axes, and what an assignment writes are NumPy's."""
    rng = np.random.default_rng(seed)
    seen = 0
    while seen < 40:
        shape = [(5,), (4, 3), (3, 4, 2), (2, 3, 2, 4)][rng.integers(4)]
        a = np.arange(float(np.prod(shape))).reshape(shape)
        if rng.random() < 0.3:
            a = np.ascontiguousarray(a.T).T
        key = _random_index(rng, shape)
        try:
            wanted = a[key]
        except IndexError:
            with pytest.raises((IndexError, ValueError)):
                kiln.to_device(a, device="cpu")[key]
            continue
        seen += 1
        x = kiln.to_device(a, device="cpu")
        got = x[key]
        assert type(got) is kiln.Array and got.shape == np.shape(wanted), (key, got.shape, np.shape(wanted))
        np.testing.assert_array_equal(np.asarray(got), wanted, err_msg=str(key))
        # Indices that repeat write one of their values: each element gets one that depends on its place alone.
        b = a.copy()
        b[key] = -wanted
        x[key] = [-wanted, kiln.to_device(np.asarray(-wanted), device="cpu")][rng.integers(2)]
        np.testing.assert_array_equal(np.asarray(x), b, err_msg=str(key))
        b[key] = 5
        x[key] = 5
        np.testing.assert_array_equal(np.asarray(x), b, err_msg=str(key))


def test_an_index_of_each_kind():
    a = np.arange(24).reshape(2, 3, 4)
    x = kiln.to_device(a, device="cpu")
    rows, columns = np.array([1, 0, -1]), np.array([2, 2, 0])
    for key in [[1, 0], rows, (rows, columns), (rows[:, None], columns), a % 5 == 0, (slice(None), rows), (0, columns), (rows, 0, 1),
                (rows, slice(1, None), rows), (..., rows), (a[..., 0] % 2 == 0,), ([],), kiln.to_device(rows, device="cpu"),
                (np.uint8([1]), Foreign(columns))]:
        np.testing.assert_array_equal(np.asarray(x[key]), a[key if not isinstance(key, tuple) else
                                                            tuple(each.array if isinstance(each, Foreign) else each for each in key)])
    # A copy, not a view; an assignment in place works on the array.
    x[rows] += 100
    a[rows] += 100
    np.testing.assert_array_equal(np.asarray(x), a)
    assert np.shares_memory(np.asarray(x[1]), np.asarray(x)) and not np.shares_memory(np.asarray(x[rows]), np.asarray(x))
    # The newest axis stays where the arrays stand.
    x[:, rows] = np.arange(12).reshape(3, 4)
    a[:, rows] = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(np.asarray(x), a)


def test_wrong_indices_are_named():
    x = kiln.to_device(np.zeros((2, 3)), device="cpu")
    for key, kind, text in [
            (([0], [3]), IndexError, r"a\[indices\], axis 1: index 3 at position 0 is out of range for an axis of extent 3"),
            ([0, -3], IndexError, r"a\[indices\]: index -3 at position 1 is out of range for an axis of extent 2"),
            (([0, 1], [0, 1, 2]), IndexError, r"the indices of shapes \(2,\), \(3,\) do not broadcast"),
            (([0], [0], [0]), IndexError, "too many indices for array: array is 2-dimensional, but 3 were indexed"),
            ([0.5], IndexError, "must be of integer .* float64"),
            (np.zeros((3,), bool), IndexError, r"the mask has shape \(3,\), the array \(2, 3\)"),
            (True, IndexError, "not indexed by one bool"),
            ("name", IndexError, "indexed by integers, slices"),
            ((0, object()), IndexError, "indexed by integers, slices")]:
        with pytest.raises(kind, match=text):
            x[key]
        with pytest.raises(kind, match=text):
            x[key] = 0
    with pytest.raises(ValueError, match="broadcast"):
        x[[0, 1], [0, 1]] = np.zeros(3)
    assert not np.asarray(x).any()


def test_shapes():
    a = np.arange(24.0).reshape(2, 3, 4)
    x = kiln.to_device(a, device="cpu")
    same(np.asarray(x.reshape(6, -1)), a.reshape(6, -1))
    same(np.asarray(x.T), a.T)
    same(np.asarray(x.T.reshape(24)), a.T.reshape(24))
    same(np.asarray(x.transpose(1, 0, 2)), a.transpose(1, 0, 2))
    same(np.asarray(x.astype("int32")), a.astype("int32"))
    assert [row.shape for row in x] == [(3, 4), (3, 4)] and len(x) == 2
    assert x.tolist() == a.tolist() and x[0, 0, 1].item() == 1
    with pytest.raises(IndexError):
        x[5]
    with pytest.raises(ValueError):
        x.reshape(7)
    assert "kiln.Array(" in repr(x) and "device='cpu'" in repr(x) and "<table>" in x._repr_html_()
    same(np.asarray(pickle.loads(pickle.dumps(x))), a)


class Foreign:
    """An array of another library, by DLPack alone."""

    def __init__(self, array, versions=True):
        self.array, self.versions = array, versions

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        if not self.versions and "max_version" in keywords:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**keywords)


class Library:
    """What `__array_namespace__` of Native gives."""

    @staticmethod
    def from_dlpack(x):
        return Native(np.from_dlpack(x))


class Native(Foreign):
    def __array_namespace__(self, api_version=None):
        return Library


@pytest.mark.parametrize("versions", [True, False])
def test_arrays_of_other_libraries(versions):
    a = np.arange(6.0).reshape(2, 3)[:, ::-1]
    got = kiln.math.add(Foreign(a, versions), 1)
    assert type(got) is kiln.Array
    same(np.asarray(got), a + 1)
    native = kiln.math.add(Native(a, versions), Native(a, versions))
    assert type(native) is Native
    same(native.array, a + a)
    out = np.zeros((2, 3))
    kiln.math.add(a, 1, out=Foreign(out, versions))
    same(out, a + 1)


def test_lying_tensors_are_errors():
    class NoCapsule(Foreign):
        def __dlpack__(self, **keywords):
            return 7
    class NoPair(Foreign):
        def __dlpack_device__(self):
            return "cpu"
    class Raises(Foreign):
        def __dlpack__(self, **keywords):
            raise RuntimeError("not today")
    class Used(Foreign):
        def __dlpack__(self, **keywords):
            capsule = self.array.__dlpack__(**keywords)
            np.from_dlpack(Foreign2(capsule))
            return capsule
    class Foreign2:
        def __init__(self, capsule):
            self.capsule = capsule
        def __dlpack__(self, **keywords):
            return self.capsule
        def __dlpack_device__(self):
            return (1, 0)
    a = np.ones(3)
    for kind, error in [(NoCapsule, TypeError), (NoPair, TypeError), (Raises, RuntimeError), (Used, TypeError)]:
        with pytest.raises(error):
            kiln.math.add(kind(a), 1)


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("index", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Hostile:
    """A producer whose tensor has any members."""

    def __init__(self, **members):
        self.data = (ctypes.c_double * 4)(1, 2, 3, 4)
        self.shape = (ctypes.c_int64 * 1)(4)
        tensor = {"data": ctypes.addressof(self.data), "type": 1, "ndim": 1, "code": 2, "bits": 64, "lanes": 1,
                  "shape": ctypes.addressof(self.shape), **members}
        self.managed = Managed(Tensor(**tensor), None, None)

    def __dlpack_device__(self):
        return (self.managed.tensor.type, 0)

    def __dlpack__(self, **keywords):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)


def test_hostile_tensors():
    assert np.asarray(kiln.math.add(Hostile(), 1)).tolist() == [2, 3, 4, 5]
    three, negative = (ctypes.c_int64 * 1)(3), (ctypes.c_int64 * 1)(-4)
    assert np.asarray(kiln.math.add(Hostile(offset=8, shape=ctypes.addressof(three)), 1)).tolist() == [3, 4, 5]
    for members in [{"ndim": -1}, {"ndim": 1000}, {"lanes": 4}, {"bits": 48}, {"code": 17}, {"shape": None}, {"data": None}, {"type": 99},
                    {"shape": ctypes.addressof(negative)}, {"data": 3}]:
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            kiln.math.add(Hostile(**members), 1)


def test_read_only_arrays():
    a = np.arange(3.0)
    a.flags.writeable = False
    x = kiln.from_dlpack(a)
    assert x.read_only
    with pytest.raises((ValueError, TypeError)):
        kiln.math.add(x, 1, out=x)
    with pytest.raises(BufferError):
        x.__dlpack__()
    assert np.asarray(x + 1).tolist() == [1, 2, 3]


def test_streams_on_the_cpu():
    stream = kiln.Stream("cpu")
    a = np.arange(100_000.0)
    out = np.empty_like(a)
    kiln.math.add(a, 1, out=out, stream=stream)
    event = kiln.Event("cpu")
    event.record(stream)
    del a
    event.synchronize()
    stream.synchronize()
    assert event.done and out[-1] == 100_000
    got = kiln.math.add(out, 1, stream=stream)
    stream.synchronize()
    assert got[0] == 2
    with pytest.raises(TypeError, match="kiln.Stream"):
        kiln.math.add(out, 1, stream=3)


def test_devices():
    names = [str(each) for each in kiln.devices()]
    assert "cpu" in names
    cpu = kiln.Device("cpu")
    assert cpu.kind == "cpu" and cpu.info["device"] == "cpu" and cpu == "cpu"
    cpu.synchronize()
    kiln.set_device("cpu")
    assert kiln.math.add(1, 2) == 3
    kiln.set_device(None)
    with pytest.raises(kiln.Error):
        kiln.Device("toaster")
    assert kiln.math.add(np.ones(2), 1, device="cpu").tolist() == [2, 2]
    assert any(each["name"] == "Clang" for each in kiln.compilers())


def test_chunks(tmp_path):
    a = np.arange(1_000_000, dtype=np.float32)
    seen = []
    add = kiln.chunked(kiln.math.add, chunk_bytes=1 << 20, progress=lambda *state: seen.append(state))
    same(add(a, 1), a + 1)
    assert seen and seen[-1][0] == seen[-1][1] > 1
    same(kiln.chunked(kiln.math.maximum, chunk_bytes=1 << 20).reduce(a), np.maximum.reduce(a))
    np.save(tmp_path / "a.npy", a)
    same(np.asarray(add(kiln.open_npy(tmp_path / "a.npy"), 1)), a + 1)

    def fails(*state):
        raise KeyError("from the callback")
    with pytest.raises(KeyError, match="from the callback"):
        kiln.chunked(kiln.math.add, chunk_bytes=1 << 20, progress=fails)(a, 1)
    with pytest.raises(kiln.Stopped):
        kiln.chunked(kiln.math.add, chunk_bytes=1 << 20, progress=lambda *state: False)(a, 1)


def test_progress_bar(capsys):
    a = np.arange(1_000_000, dtype=np.float32)
    kiln.chunked(kiln.math.add, chunk_bytes=1 << 20, progress=True)(a, 1)
    assert "100%" in capsys.readouterr().err


def test_host_memory():
    a = kiln.pinned_array((2, 3), "float32")
    assert a.shape == (2, 3) and a.dtype == np.float32 and not a.any()
    with kiln.register(np.zeros(1000)) as x:
        assert kiln.math.add(x, 1).all()
    with pytest.raises(TypeError):
        kiln.register([1, 2])
    with pytest.raises(TypeError):
        kiln.register(np.array([None, 1]))


LOCKED = """
    import ctypes, numpy as np, kiln
    live = ctypes.CDLL(FAKE).kiln_fake_live_host_memory
    a = kiln.pinned_array((2, 3), "float32")
    f = kiln.pinned_array((2, 3), order="F")
    one = kiln.pinned_array(1)
    assert a.flags.c_contiguous and a.flags.writeable and not a.any() and f.flags.f_contiguous and f.shape == (2, 3) and one.shape == (1,)
    assert live() == 3, live()
    one[0] = 5
    x = np.zeros(1000, ">f4")
    locked = kiln.register(x)
    with kiln.register(np.zeros((3, 1000), order="F")) as y:
        assert live() == 5, live()
    assert live() == 4
    with kiln.register(np.zeros(0)) as y:
        assert live() == 4
    locked.close()
    locked.close()
    assert live() == 3
    again = kiln.register(x)
    del again
    assert live() == 3
    for wrong in ([1, 2], np.zeros((4, 4))[:, ::2]):
        try:
            kiln.register(wrong)
        except TypeError as error:
            assert "contiguous array of NumPy" in str(error)
        else:
            raise SystemExit("no error")
    try:
        kiln.pinned_array(3, order="K")
    except ValueError as error:
        print(error)
"""


def test_page_locked_memory():
    """On a driver that counts what is page-locked."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        library = next(line.split()[-1] for line in maps if "libkiln.so" in line)
    fake = os.path.join(os.path.dirname(library), "libfakecuda.so")
    if not os.path.exists(fake):
        pytest.skip("the build has no libfakecuda.so")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(LOCKED).replace("FAKE", repr(fake))], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "KILN_CUDA": fake, "KILN_DEVICE": "cuda", "PYTHONPATH": os.path.dirname(os.path.dirname(kiln.__file__))})
    assert done.returncode == 0 and done.stdout == "order must be 'C' or 'F', and is 'K'\n", (done.stdout, done.stderr)


def test_small_arrays_of_the_host_are_viewed():
    x = kiln.to_device(np.zeros(3), device="cpu")
    np.asarray(x)[1] = 5
    same(x.copy_to_host(), np.array([0.0, 5, 0]))
    copied = x.copy_to_host()
    copied[0] = 7
    assert np.asarray(x)[0] == 0


def test_profiles():
    with kiln.profile() as p:
        kiln.math.add(np.ones(4), 1)
    assert len(p.calls) == 1


def test_fft():
    a = np.random.rand(4, 8)
    try:
        got = kiln.fft.fft(a)
    except kiln.DeviceError:
        pytest.skip("FFTW is not installed")
    np.testing.assert_allclose(got, np.fft.fft(a))
    np.testing.assert_allclose(kiln.fft.rfft(a, n=6, axis=0, norm="ortho"), np.fft.rfft(a, n=6, axis=0, norm="ortho"))
    np.testing.assert_allclose(kiln.fft.irfftn(kiln.fft.rfftn(a), s=a.shape), a)
    np.testing.assert_allclose(kiln.fft.fft2(a), np.fft.fft2(a))
    np.testing.assert_allclose(kiln.fft.fftn(a, axes=(0,)), np.fft.fftn(a, axes=(0,)))
    with pytest.raises(ValueError, match="norm"):
        kiln.fft.fft(a, norm="loud")


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class Exchanging:
    """A producer with the exchange API of DLPack 1.3. It counts tensors that were given and deleted."""

    given = deleted = 0
    fails = False

    def __init__(self, array):
        self.array = array
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(each // array.itemsize for each in array.strides))


_FROM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
_DELETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_kept = {}


@_DELETE
def _delete(address):
    Exchanging.deleted += 1
    del _kept[address]


@_FROM
def _give(x, out):
    if Exchanging.fails:
        return -1
    code = {"f": 2, "i": 0}[x.array.dtype.kind]
    made = Versioned(1, 3, None, ctypes.cast(_delete, ctypes.c_void_p).value, 0 if x.array.flags.writeable else 1,
                     Tensor(x.array.ctypes.data, 1, 0, x.array.ndim, code, x.array.itemsize * 8, 1, ctypes.addressof(x.shape),
                            ctypes.addressof(x.strides), 0))
    Exchanging.given += 1
    _kept[ctypes.addressof(made)] = made, x
    out[0] = ctypes.addressof(made)
    return 0


_table = (ctypes.c_void_p * 7)(1 | 3 << 32, None, None, ctypes.cast(_give, ctypes.c_void_p).value, None, None, None)


def _capsule():
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(_table), b"dlpack_exchange_api", None)


def test_the_exchange_api():
    Exchanging.__dlpack_c_exchange_api__ = _capsule()
    a = np.arange(6.0).reshape(2, 3)[:, ::-1]
    for _ in range(3):
        same(np.asarray(kiln.math.add(Exchanging(a), 1)), a + 1)
    out = np.zeros((2, 3))
    kiln.math.add(a, a, out=Exchanging(out))
    same(out, a + a)
    assert Exchanging.given == Exchanging.deleted == 4
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        kiln.math.add(out, 1, out=Exchanging(a))
    Exchanging.fails = True
    with pytest.raises(BufferError, match="gives no tensor"):
        kiln.math.add(Exchanging(a), 1)
    Exchanging.fails = False
    assert Exchanging.given == Exchanging.deleted


def test_the_exchange_api_of_arrays():
    """tvm_ffi takes and gives tensors by the table of kiln.Array's class."""
    tvm_ffi = pytest.importorskip("tvm_ffi")
    x = kiln.to_device(np.arange(5.0), device="cpu")
    echo = tvm_ffi.get_global_func("testing.echo")
    got = echo(x)
    assert isinstance(got, (kiln.Array, tvm_ffi.Tensor))
    same(np.from_dlpack(got), np.arange(5.0))
    assert got.data_ptr() == x.ptr if isinstance(got, tvm_ffi.Tensor) else got.ptr == x.ptr


def test_the_exchange_table():
    """The functions of the table, as a consumer in C calls them."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = (ctypes.c_void_p * 8).from_address(get(kiln.Array.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
    give = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))(table[3])
    take = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))(table[4])
    x = kiln.to_device(np.arange(6.0).reshape(2, 3), device="cpu")
    managed, again = ctypes.c_void_p(), ctypes.py_object()
    assert give(x, ctypes.byref(managed)) == 0
    tensor = Versioned.from_address(managed.value).tensor
    assert (tensor.ndim, tensor.code, tensor.bits, tensor.data) == (2, 2, 64, x.ptr)
    assert take(managed, ctypes.byref(again)) == 0
    same(np.asarray(again.value), np.asarray(x))
    assert again.value.ptr == x.ptr
    with pytest.raises(TypeError, match="kiln.Array"):
        give(3, ctypes.byref(managed))


@pytest.mark.parametrize("device", [(1, 2**30), (9, 0)])
def test_dlpack_to_a_device_that_is_not_here_is_a_buffer_error(device):
    with pytest.raises(BufferError, match="cannot be copied to the DLPack device"):
        kiln.asarray([1.0], device="cpu").__dlpack__(dl_device=device)
