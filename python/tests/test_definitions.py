"""Functions that are made of C++: all kinds and forms, errors, pickles."""
import copy
import io
import json
import pickle
import re

import numpy as np
import pytest

import kiln
from conftest import same

DOT = "(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c) { c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }"


def test_one_string():
    f = kiln.vectorize("T f(T a, T b) where T: float32, float64 = a * b + 1")
    same(f(np.float32([1, 2]), 3), np.float32([4, 7]))
    assert f.types == ["ff->f", "dd->d"]
    g = kiln.vectorize("float64 g(float64 a) = a * FACTOR", defines=["FACTOR=3"])
    assert g(2.0) == 6


def test_lists_of_signatures():
    f = kiln.vectorize(["int32(int32 a, int32 b)", "float64(float64, float64)"], "return a - b;", name="minus")
    assert f.__name__ == "minus" and f.types == ["ii->i", "dd->d"] and f.ntypes == 2
    assert f(np.int32([5]), np.int32([3])).dtype == np.int32


def test_decorators():
    @kiln.vectorize(["float32(float32, float32)"])
    def mix(a, b):
        """
        float32 half = (a + b) / 2;
        return half;
        """
    assert mix.__name__ == "mix" and "half" in mix.__doc__
    assert mix(np.float32(1), np.float32(3)) == 2
    with pytest.raises(TypeError, match="docstring"):
        @kiln.vectorize(["float32(float32)"])
        def empty(a):
            return a
    with pytest.raises(TypeError, match="C\\+\\+"):
        @kiln.vectorize
        def python(a):
            return a


def test_options_are_checked():
    with pytest.raises(TypeError, match="did you mean 'identity'"):
        kiln.vectorize(["float64(float64 a)"], "a", identty=0)
    with pytest.raises(TypeError, match="did you mean"):
        kiln.vectorize("float64 f(float64 a) = a", preambel="")


def test_guvectorize():
    dot = kiln.guvectorize(DOT)
    assert dot.signature == "(n),(n)->()" and isinstance(dot, kiln.Gufunc)
    a, b = np.random.rand(4, 5), np.random.rand(5)
    np.testing.assert_allclose(dot(a, b), (a * b).sum(-1))
    assert type(dot(b, b)) is np.float64
    np.testing.assert_allclose(dot(a.T, a.T, axis=0), (a * a).sum(1))
    np.testing.assert_allclose(dot(a, a, axes=[(0,), (0,), ()]), (a * a).sum(0))
    assert dot(a, b, keepdims=True).shape == (4, 1)
    out = np.empty(4)
    assert dot(a, b, out=out) is out
    with pytest.raises(ValueError):
        dot(a, np.ones(4))

    @kiln.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])", "void(float32[:,:], float32[:,:], float32[:,:])"],
                      "(m,n),(n,p)->(m,p)")
    def matmul(A, B, C):
        """
        for (index i = 0; i < m; ++i)
          for (index j = 0; j < p; ++j) {
            C(i, j) = 0;
            for (index k = 0; k < n; ++k) C(i, j) += A(i, k) * B(k, j);
          }
        """
    x, y = np.random.rand(3, 2, 4), np.random.rand(4, 5)
    np.testing.assert_allclose(matmul(x, y), x @ y)
    big = matmul(np.ones((64, 8, 8)), np.ones((8, 8)))
    assert big.flags.writeable and (big == 8).all()
    assert matmul.types == ["dd->d", "ff->f"]


def test_reduction():
    argmax = kiln.reduction("int64(T x)", name="argmax", accumulator="T best; int64 at;", map="return {x, i};",
                            reduce="return b.best > a.best ? b : a;", post="return a.at;", reorderable=True)
    a = np.random.rand(5, 7)
    same(argmax(a, axis=1), np.argmax(a, axis=1))
    assert argmax(a) == np.argmax(a)
    assert argmax(a, axis=1, keepdims=True).shape == (5, 1)


def test_kernels():
    k = kiln.kernel("void(const T[:] x, T[:] y, T s) where T: float32, float64", "y[item] = x[item] * s;", name="scale")
    x, y = np.arange(100.0), np.zeros(100)
    k.forall(100)(x, y, 2.0)
    same(y, x * 2)

    @kiln.kernel("void(float32[:], int64)")
    def fill(y, n):
        """
        int64 i = int64(blockIdx.x) * blockDim.x + threadIdx.x;
        if (i < n) y[i] = i;
        """
    z = np.zeros(10, np.float32)
    fill[3, 4](z, 10)
    assert z.tolist() == list(range(10))
    fill[(3,), (4, 1, 1)](z, 10)
    with pytest.raises(ValueError, match="kernel\\[grid, block\\]"):
        fill[3]
    with pytest.raises(TypeError):
        fill[3, 4]([1.0, 2.0], 2)
    frozen = np.zeros(10, np.float32)
    frozen.flags.writeable = False
    with pytest.raises((ValueError, TypeError)):
        fill[3, 4](frozen, 10)
    swapped = np.zeros(10, ">f4")
    fill[3, 4](swapped, 10)
    assert swapped.tolist() == list(range(10))


def test_cupys_notation():
    e = kiln.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[n - i - 1]", "reversed")
    a = np.arange(4.0)
    same(e(a, a), a + a[::-1])
    same(e(a, a), a + a[::-1])
    r = kiln.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    np.testing.assert_allclose(r(np.array([3.0, 4.0])), 5)
    assert r(np.ones((2, 3)), axis=1, keepdims=True).shape == (2, 1)
    m = kiln.RawModule(code="template <class T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }", name_expressions=["twice<float>"])
    x = np.ones(3, np.float32)
    m.get_function("twice<float>")((1,), (3,), (x,))
    assert x.tolist() == [2, 2, 2]
    again = pickle.loads(pickle.dumps(e))
    same(again(a, a), a + a[::-1])


def test_raw_operands_do_not_take_part_in_shapes():
    f = kiln.vectorize("float32 look(int32 k, raw float32 table) = table[k]")
    table = np.arange(10, dtype=np.float32)
    for _ in range(2):
        assert f(np.int32([3, 1]), table).tolist() == [3, 1]


def test_fuse():
    @kiln.fuse
    def wave(x, y):
        """Adds waves."""
        return np.sin(x) * 2 + kiln.math.cos(y) - 1, x < y
    assert wave.nin == 2 and wave.nout == 2 and wave.__doc__ == "Adds waves."
    for dtype in ("float32", "float64"):
        x, y = np.linspace(0, 1, 5, dtype=dtype), np.linspace(1, 0, 5, dtype=dtype)
        got = wave(x, y)
        assert got[0].dtype == x.dtype
        np.testing.assert_allclose(got[0], np.sin(x) * 2 + np.cos(y) - 1, rtol=1e-5, atol=1e-6)
        same(got[1], x < y)
    half = kiln.fuse(lambda n: n * 0.5 + 1)
    assert half(np.arange(3)).tolist() == [1, 1.5, 2]
    same(half(np.arange(3, dtype=np.int8)), np.arange(3, dtype=np.int8) * 0.5 + 1)
    same(half(np.float32([1])), np.float32([1]) * 0.5 + 1)
    # Parameters with a default are no inputs: that is how a lambda keeps what a loop changes.
    assert [kiln.fuse(lambda a, k=k: a * k)(2.0) for k in range(3)] == [0, 2, 4]
    shifted = kiln.fuse(lambda a, *, by=10: a + by)
    assert shifted.nin == 1 and shifted(1) == 11
    with pytest.raises(TypeError, match="truth"):
        kiln.fuse(lambda a: a if a > 0 else -a)
    again = pickle.loads(pickle.dumps(half))
    assert again(np.arange(3)).tolist() == [1, 1.5, 2]


def test_errors_show_the_place():
    with pytest.raises(kiln.SignatureError) as caught:
        kiln.vectorize("float64 f(flot64 a) = a")
    assert str(caught.value) == 'unknown dtype "flot64": did you mean "float64"?\nfloat64 f(flot64 a) = a\n          ^'
    assert caught.value.position == 10
    assert isinstance(caught.value, ValueError)
    f = kiln.vectorize("float64 f(float64 a) = a + missing")
    with pytest.raises(kiln.CompileError) as caught:
        f(1.0)
    assert "missing" in str(caught.value) and "^" in str(caught.value)
    assert caught.value.diagnostics and "missing" in json.dumps(caught.value.diagnostics)
    assert "missing" in caught.value.source
    with pytest.raises(kiln.TypeError) as caught:
        kiln.vectorize("float32 f(float32 a) = a")(np.ones(2))
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, kiln.Error)
    with pytest.raises(kiln.DeviceError):
        kiln.device_array(3, device="cuda:77")
    with pytest.raises(kiln.CacheError, match="did you mean"):
        kiln.define({"kind": "ufunc", "signaturs": []})


def test_pickles_copies_and_tokens():
    f = kiln.vectorize("float64 f(float64 a) = a + 41")
    dot = kiln.guvectorize(DOT)
    for each in (f, dot, kiln.math.add):
        again = pickle.loads(pickle.dumps(each))
        assert again.digest == each.digest and again.__name__ == each.__name__
        assert copy.copy(each) is each and copy.deepcopy(each) is each
        assert each.__dask_tokenize__() == again.__dask_tokenize__()
    assert pickle.loads(pickle.dumps(f))(1.0) == 42
    assert pickle.loads(pickle.dumps(kiln.math.add)) is kiln.math.add
    assert kiln.define(f.definition).digest == f.digest


def test_inspect_and_resolve():
    f = kiln.vectorize("float64 f(float64 a) = a * 7.5")
    plan = f.resolve(np.zeros(4))
    assert plan["shape"] == [4]
    found = kiln.inspect(f, np.zeros(4))
    assert "7.5" in found.source and found.assembly and "loop" in found.plan
    assert "<table>" in found._repr_html_()
    assert isinstance(found.text("code"), bytes)
    assert found.assembly == found.text("asm")
    assert f.compile() >= 1


def test_functions_have_attributes_and_weak_references():
    import weakref
    f = kiln.vectorize("float64 f(float64 a) = a")
    f.note = 3
    assert f.note == 3
    reference = weakref.ref(f)
    del f
    assert reference() is None
    with pytest.raises(TypeError, match="is made by"):
        kiln.Ufunc()


def test_caches(tmp_path):
    cache = kiln.Cache(tmp_path)
    f = kiln.vectorize(["float64(float64 a)"], "a * 3.25", cache=cache)
    assert f(2.0) == 6.5
    assert cache.statistics()["compiles"] == 1
    bundle = cache.export()
    (tmp_path / "kernels.bundle").write_bytes(bundle)
    user = kiln.Cache(read_only=[tmp_path / "kernels.bundle"])
    g = kiln.vectorize(["float64(float64 a)"], "a * 3.25", cache=user)
    assert g(2.0) == 6.5
    assert user.statistics()["compiles"] == 0 and user.statistics()["read_only_hits"] == 1
    assert kiln.cache.list(cache)


def test_elementwise_kernels_are_cupys():
    copied = kiln.ElementwiseKernel("raw T x", "raw T y", "y[i] = x[i]", "copied")
    np.testing.assert_array_equal(copied(np.arange(3.0), size=2), [0, 1])
    with pytest.raises(ValueError, match="size"):
        copied(np.arange(3.0))
    with pytest.raises(ValueError, match="block_size is 1 or more"):
        copied(np.arange(3.0), size=2, block_size=0)
    typed = kiln.ElementwiseKernel("float32 x", "float32 y", "y = x / 2", "typed")
    for made in (typed, pickle.loads(pickle.dumps(typed))):
        out = np.zeros(2, np.float32)
        made(7, out)
        np.testing.assert_array_equal(out, [3.5, 3.5])
        assert made.in_params == "float32 x"
        with pytest.raises(ValueError, match="size"):
            made(7, out, size=2)


def test_layouts_without_core_dimensions_are_ufuncs():
    @kiln.guvectorize(["int64, int64, int64", "float64, float64, float64"], "(),()->()", identity=0)
    def add(x, y, res):
        "res = x + y;"
    assert type(add) is kiln.Ufunc and add.signature is None and add.types == ["ll->l", "dd->d"]
    assert add.reduce([1, 2, 3]) == 6 and add.identity == 0
    np.testing.assert_array_equal(add.outer([0, 1], [1, 2]), [[1, 2], [2, 3]])
    both = kiln.guvectorize(["void(float64 x, float64 q, float64 r)"], "()->(),()", "q = floor(x); r = x - q;", name="both")
    assert both(2.5) == (2.0, 0.5)


@pytest.mark.parametrize("signatures, layout, text", [
    (["void(int32[:] a, int32 b, int32[:] c)"], "(n),(n)->(n)", 'input 1 has the core dimensions (n) in the layout (n),(n)->(n): write "int32[:]"'),
    (["void(flot32[:] a, int32[:] b)"], "(n)->(n)", 'unknown dtype "flot32": did you mean "float32"?'),
    (["void(int32[:] a, int32[:] b)"], "(n)-(n)", "->"),
])
def test_signatures_and_layouts_that_cannot_be_read_are_signature_errors(signatures, layout, text):
    with pytest.raises(kiln.SignatureError) as found:
        kiln.guvectorize(signatures, layout, ";")
    assert text in str(found.value) and not str(found.value).startswith("definition")


def test_a_dimension_broadcasts_in_the_operand_that_has_the_mark():
    f = kiln.guvectorize(["void(T[:,:] a, T[:,:] b, T[:,:] r)"], "(i|1,j|1),(i|1,j)->(i,j)",
                         "for (index k = 0; k < i; ++k) for (index l = 0; l < j; ++l) r(k, l) = a(k, l) + b(k, l);")
    for a, b in [((2, 1), (2, 3)), ((1, 1), (2, 1)), ((2, 3), (1, 3)), ((1, 1), (1, 1)), ((5, 1, 1), (5, 2, 3))]:
        x, y = np.random.default_rng(1).random(a), np.random.default_rng(2).random(b)
        np.testing.assert_array_equal(f(x, y), x + y)
    with pytest.raises(kiln.ShapeError, match=r'only where the layout has "j\|1" does 1 broadcast, and input 1 \(b\) has it not'):
        f(np.zeros((2, 3)), np.zeros((2, 1)))


def test_a_scalar_input_may_be_a_view_of_one_element():
    f = kiln.guvectorize(["void(int32[:] x, int32[:] w, int32[:] y)"], "(n),()->(n)", "for (index i = 0; i < n; ++i) y(i) = x(i) * w[0];")
    x = np.arange(30, dtype=np.int32).reshape(10, 3)
    np.testing.assert_array_equal(f(x, 2), x * 2)
    np.testing.assert_array_equal(f(x, x[:, 1]), x * x[:, 1:2])


def test_errors_have_a_reason():
    a = np.zeros((2, 3))
    for call, error, reason in [
            (lambda: kiln.math.add.reduce(a, axis=2), kiln.AxisError, "axis"),
            (lambda: kiln.math.add(a, np.zeros(4)), kiln.ShapeError, "broadcast"),
            (lambda: kiln.math.add(a, a, out=np.zeros((2, 3), np.int8)), kiln.TypeError, "casting"),
            (lambda: kiln.math.bitwise_and(a, a), kiln.TypeError, "loop"),
            (lambda: kiln.math.add(np.zeros(2, np.int8), 300), kiln.OverflowError, "overflow"),
            (lambda: kiln.math.add.reduceat(a, [5]), kiln.IndexError, "index"),
            (lambda: kiln.math.maximum.reduce(a, where=a > 0), kiln.IdentityError, "identity"),
            (lambda: kiln.vectorize(["float64(flot64 a)"], "a"), kiln.SignatureError, None)]:
        with pytest.raises(error) as raised:
            call()
        assert raised.value.reason == reason
        assert type(raised.value) is error


CONSTANTS = """
namespace filters { __constant__ float weights[4]; }
__constant__ int shift;
__constant__ int fixed = 3;
extern "C" __global__ void weigh(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * filters::weights[threadIdx.x] + shift + fixed; }
extern "C" __global__ void last(float* y) { y[0] = filters::weights[3]; }
"""


def test_constants_of_a_module_have_the_values_that_the_host_gives():
    m, other = kiln.RawModule(code=CONSTANTS), kiln.RawModule(code=CONSTANTS)
    x, y, z = np.array([1, 2, 3, 4], np.float32), np.zeros(4, np.float32), np.zeros(1, np.float32)
    weights = m.get_global("filters::weights")
    weights.set(np.array([[1, 9], [10, 9], [100, 9], [1000, 9]], np.float32)[:, 0])
    m.get_function("weigh")((1,), (4,), (x, y))
    np.testing.assert_array_equal(y, x * [1, 10, 100, 1000] + 3)
    m.get_global("shift").set(np.int32(7))
    m.get_function("last")((1,), (1,), (z,))
    m.get_function("weigh")((1,), (4,), (x, y))
    np.testing.assert_array_equal(y, x * [1, 10, 100, 1000] + 10)
    assert z[0] == 1000
    # The values are copied, and those of a module are its own.
    other.get_function("last")((1,), (1,), (z,))
    assert z[0] == 0
    again = pickle.loads(pickle.dumps(m))
    again.get_function("last")((1,), (1,), (z,))
    assert z[0] == 1000
    with pytest.raises(kiln.TypeError, match='weigh: "fixed" is no variable whose values the host gives'):
        m.get_global("fixed").set(np.int32(1))
    with pytest.raises(TypeError, match="the code has no variable 'offset'"):
        m.get_global("offset")
    weights.set(np.zeros(5, np.float32))
    with pytest.raises(kiln.ShapeError, match='"filters::weights" has 16 bytes, and its values 20'):
        m.get_function("weigh")((1,), (4,), (x, y))


def test_a_module_compiles_all_its_kernels_and_writes_warnings():
    code = """
    extern "C" __global__ void wide(long long* y) { y[0] = 1 << 40; }
    template <class T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }
    extern "C" __global__ void clean(float* y) { y[0] = 1; }"""
    log = io.StringIO()
    kiln.RawModule(code=code, name_expressions=["twice<float>", "wide"]).compile(log_stream=log)
    assert re.search(r"^wide.functions:2:\d+: warning: shift count >= width of type$", log.getvalue(), re.MULTILINE)
    assert log.getvalue().count("\n") == 1
    log = io.StringIO()
    kiln.RawModule(code=code.replace("template <class T> ", "").replace("T*", "float*")).compile(log)
    assert "shift count" in log.getvalue()
    with pytest.raises(kiln.CompileError, match="undefined_name"):
        kiln.RawModule(code='extern "C" __global__ void broken(float* y) { y[0] = undefined_name; }').compile()


def test_a_module_reports_errors_of_compilation_with_the_function():
    m = kiln.RawModule(code='extern "C" __global__ void broken(float* y) { y[0] = undefined_name; }')
    for _ in range(2):
        with pytest.raises(kiln.CompileError, match="undefined_name"):
            m.get_function("broken")
    # The argument decides a type that the text does not tell.
    m = kiln.RawModule(code="struct s { float a; }; __global__ void of(s* x) { x[0].a = 1; }")
    x = np.zeros(1, np.float32)
    m.get_function("of")((1,), (1,), (x,))
    assert x[0] == 1


def test_a_cache_in_memory_exports_what_it_compiled(tmp_path):
    memory, folder = kiln.Cache(), kiln.Cache(tmp_path / "kernels")
    definition = dict(signatures=["float64(float64 a)"], body="a * 31", name="exported")
    kiln.vectorize(**definition, cache=memory)(2.0)
    folder.load(memory.export())
    assert kiln.vectorize(**definition, cache=folder)(2.0) == 62
    assert folder.statistics()["compiles"] == 0 and folder.statistics()["disk_hits"] == 1
    assert [each["tier"] for each in kiln.cache.list(memory)["entries"]] == ["memory"]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64", "bool"])
def test_numpys_scalars_are_numbers_of_raw_kernels(dtype):
    fill = kiln.RawKernel('extern "C" __global__ void fill(float* y, int n) { y[threadIdx.x] = n; }', "fill")
    own = kiln.kernel("void(float32[:] y, int32 n)", "y[item] = n;")
    y = np.zeros(3, np.float32)
    for n in (np.dtype(dtype).type(1), np.dtype(dtype).type(0)):
        fill((1,), (3,), (y, n))
        assert y.tolist() == [n] * 3
        y[:] = 7
        own[1, 3](y, n)
        assert y.tolist() == [n] * 3
    with pytest.raises(kiln.TypeError, match=r"argument 0 \(y\) is a scalar, and the parameter an array"):
        fill((1,), (3,), (np.float32(1), 1))


def test_functions_with_the_same_bits():
    x = np.linspace(-5, 5, 1001)
    f = kiln.vectorize("float64 same_exp(float64 a) = exp(a)", same_bits=True)
    assert '"same_bits": true' in f.definition
    np.testing.assert_array_max_ulp(f(x), np.exp(x), 2)
    with pytest.raises(kiln.CacheError, match="both same_bits= and contract=,"):
        kiln.vectorize("float64 same_both(float64 a) = exp(a)", same_bits=True, contract=True)
