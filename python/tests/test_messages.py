"""What errors say at first uses: the user's text, what is wrong with it, and what to write."""
import numpy as np
import pytest

import kiln
from conftest import same
from test_arrays import Foreign

SHIFT = "for (index i = 0; i < n; ++i) y(i) = x(i) + 1;"


def message(error, call):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# --- Definitions

@pytest.mark.parametrize("text, definition, parameters", [
    ("x*x+1", "float64 f(float64 x) = x*x+1", "float64 x"),
    ("sin(a) * b", "float64 f(float64 a, float64 b) = sin(a) * b", "float64 a, float64 b"),
    ("return pi * x;", "float64 f(float64 x) { return pi * x; }", "float64 x"),
    ("x == 1", "float64 f(float64 x) = x == 1", "float64 x"),
    ("y = 2 * x", "float64 f(float64 x) = 2 * x", "float64 x"),
])
def test_a_body_without_a_signature(text, definition, parameters):
    body = text.removeprefix("y = ")
    assert message(kiln.SignatureError, lambda: kiln.vectorize(text)) == (
        f"vectorize: {text!r} has no signature. A definition has one: {definition!r}, or the signatures stand beside the body: "
        f"vectorize(['float64({parameters})'], {body!r})")
    kiln.vectorize(definition)
    kiln.vectorize([f"float64({parameters})"], body)


def test_a_signature_without_a_body_decorates_functions_alone():
    a = np.arange(3.0)
    assert message(TypeError, lambda: kiln.vectorize("float64(float64 x)")(a)) == (
        "vectorize: there is no body beside 'float64(float64 x)', so that it decorates a function whose docstring is the body, and "
        'ndarray is none. With a body it is vectorize("float32 f(float32 x) = x*x+1")')
    assert message(TypeError, lambda: kiln.guvectorize(["void(float64[:] x, float64 y)"], "(n)->()")(a)) == (
        "guvectorize: there is no body beside 'void(float64[:] x, float64 y)', '(n)->()', so that it decorates a function whose docstring "
        'is the body, and ndarray is none. With a body it is guvectorize("(n)->() void f(float32[:] x, float32 y) { y = x(0); }")')
    assert message(TypeError, lambda: kiln.kernel("void(float64[:] x)")(a)) == (
        "kernel: there is no body beside 'void(float64[:] x)', so that it decorates a function whose docstring is the body, and ndarray is "
        'none. With a body it is kernel("void(float32[:] x)", "x[item] = 1;")')


def test_a_signature_with_a_name_beside_a_body():
    for call, text, place in [
            (lambda: kiln.vectorize("float64 f(float64 x)", "x"), "float64 f(float64 x)", 8),
            (lambda: kiln.reduction("float64 f(float64 x)", reduce="return a + b;"), "float64 f(float64 x)", 8),
            (lambda: kiln.guvectorize("void f(float64[:] x, float64 y)", "(n)->()", "y = 1;"), "void f(float64[:] x, float64 y)", 5),
            (lambda: kiln.kernel("void f(float64[:] x)", "x[item] = 1;"), "void f(float64[:] x)", 5)]:
        assert message(kiln.SignatureError, call) == (
            f'a signature beside its body has no name: leave "f" out here, and give it as name=\n{text}\n{" " * place}^')
    assert message(kiln.SignatureError, lambda: kiln.kernel("void fill(float32[:] x) { x[item] = 1; }")) == (
        "kernel: the signature and the body are two strings, and the name is an argument: "
        "kernel('void(float32[:] x)', 'x[item] = 1;', name='fill')")


def test_arguments_of_other_types_and_in_another_order():
    assert message(TypeError, lambda: kiln.vectorize(None)) == (
        "vectorize: a signature is a string, such as 'float64(float64 x)', and this is NoneType")
    assert message(TypeError, lambda: kiln.vectorize([np.float64], "x")) == (
        "vectorize: a signature is a string, such as 'float64(float64 x)', and this is type")
    assert message(TypeError, lambda: kiln.vectorize(["float64(float64 x)"], 3)) == "a body is a string of C++, and this is int"
    for signatures, layout in [("(n)->()", ["void(float64[:] x, float64 y)"]), ("(n)->()", "void(float64[:] x, float64 y)")]:
        assert message(TypeError, lambda: kiln.guvectorize(signatures, layout, "y = 1;")) == (
            f'guvectorize: the layout comes behind the signatures, and it is a string such as "(n)->()": {layout!r} is none')


def test_options_of_numba():
    for keywords, text in [
            ({"target": "cuda"}, "target: leave it out; the arrays, or device= of a call, decide where it runs"),
            ({"nopython": True}, "nopython: leave it out; bodies are C++"),
            ({"cache": True}, "cache: a kiln.Cache is expected, and this is bool; leave it out, as kernels are always cached"),
            ({"fastmath": True}, "vectorize() got an unexpected keyword argument 'fastmath': did you mean 'fast_math'?"),
            ({"kind": "gufunc"}, "vectorize() got an unexpected keyword argument 'kind'"),
            ({"colour": 1}, "vectorize() got an unexpected keyword argument 'colour'; it has ")]:
        found = message(TypeError, lambda: kiln.vectorize(["float64(float64 x)"], "x", **keywords))
        assert found.startswith(text) and (text.endswith(" ") or found == text)


def test_reductions_of_expressions():
    x = np.arange(4.0)
    squares = kiln.reduction("float64(float64 x)", map="x * x", reduce="a + b", post="sqrt(a)", identity=0)
    assert squares(x) == np.sqrt((x * x).sum())
    largest = kiln.reduction("float64(float64 x)", reduce="a >= b ? a : b", identity="-INFINITY")
    assert largest(x) == 3


def test_arguments_of_raw_kernels():
    f = kiln.RawKernel('extern "C" __global__ void f(double* x) { x[threadIdx.x] = 1; }', "f")
    assert message(TypeError, lambda: f((1,), (3,), np.zeros(3))) == "f: args is a tuple of the kernel's arguments, and this is ndarray"


def test_errors_of_definitions_name_the_argument():
    text = "f:1:4: error: '(' is never closed; add ')'"
    assert message(kiln.CompileError, lambda: kiln.vectorize(["float64(float64 x)"], "sin(x")) == text
    assert message(kiln.CompileError, lambda: kiln.vectorize("float64 f(float64 x) = sin(x")).startswith(text)
    assert message(kiln.CompileError, lambda: kiln.vectorize(["float64(float64 x)"], "g(x)", functions="float64 g(")) == (
        "f.functions:1:10: error: '(' is never closed; add ')'")
    assert message(kiln.CacheError, lambda: kiln.vectorize(["float64(float64 x)"], "x", headers=3)) == "headers: expected an object, found 3"
    assert message(kiln.SignatureError, lambda: kiln.ElementwiseKernel(["float64 x"], "float64 y", "y = x")) == (
        "in_params: expected a string, found a list")
    with pytest.raises(kiln.SignatureError) as caught:
        kiln.ElementwiseKernel("flot64 x", "float64 y", "y = x")
    assert str(caught.value).startswith('kernel: unknown dtype "flot64": did you mean "float64"?')
    assert caught.value.code == "signature" and caught.value.__notes__ == ["help: python -m kiln explain signature"]


# --- Strings of several lines

def test_strings_begin_with_a_line_break():
    x = np.arange(3.0)
    whole = kiln.guvectorize("""
        (n)->(n) void shift(float64[:] x, float64[:] y) {
          for (index i = 0; i < n; ++i) y(i) = x(i) + 1;
        }
    """)
    parts = kiln.guvectorize("""
        void(float64[:] x, float64[:] y)
    """, """
        (n)
          ->(n)
    """, SHIFT)
    for each in (whole, parts, kiln.vectorize(f"(n)->(n) void shift(float64[:] x, float64[:] y) {{ {SHIFT} }}")):
        np.testing.assert_array_equal(each(x), x + 1)
    assert whole.signature == "(n)->(n)" and parts.signature == "(n) ->(n)"

    @kiln.vectorize("""
        T(T, T)
        where T: float32, float64
    """)
    def product(a, b):
        "return a * b;"
    assert product(2.0, 3.0) == 6
    assert product.types == ["ff->f", "dd->d"]
    scalar = kiln.guvectorize("\n void(T x, T y)\n where T: float32, float64", "\n()->()", "\n y = 2 * x;\n")
    assert isinstance(scalar, kiln.Ufunc) and scalar(2.0) == 4


def test_places_in_strings_of_several_lines():
    with pytest.raises(kiln.SignatureError) as caught:
        kiln.guvectorize("""
  (n)->() void f(flot64[:] x, float64 y) {
    y = x(0);
  }""")
    assert str(caught.value) == ('unknown dtype "flot64": did you mean "float64"?\n'
                                 '          void f(flot64[:] x, float64 y) {\n'
                                 '                 ^')
    assert caught.value.position == 18
    assert message(kiln.SignatureError, lambda: kiln.guvectorize(["void(float64[:] x, float64 y)"], "\n (n)-()", "y = 1;")) == (
        "expected ',' or \"->\" after an input, found '-'\n (n)-()\n    ^")
    f = kiln.guvectorize("""
  (n)->() void f(float64[:] x, float64 y) {
    y = x(0);
    y = missing;
  }""")
    assert message(kiln.CompileError, lambda: f(np.ones(3))).startswith(
        "f:3:9: error: use of undeclared identifier 'missing'\n      y = missing;\n          ^\n")


# --- Numba's types

class Printed:
    """What prints as an object of Numba does."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


class Type(Printed):
    def __call__(self, *types):
        return Printed(f"({', '.join(map(repr, types))}{',' if len(types) == 1 else ''}) -> {self!r}")


FLOAT64, INT64, NONE = Type("float64"), Type("int64"), Type("none")
VECTOR, MATRIX = Type("Array(float64, 1, 'A', False, aligned)"), Type("Array(float64, 2, 'C', False, aligned)")


def test_types_of_numba_are_signatures():
    for signatures in ([FLOAT64(FLOAT64, INT64)], FLOAT64(FLOAT64, INT64)):
        @kiln.vectorize(signatures)
        def scaled(x, k):
            "return x * k;"
        assert scaled.types == ["dl->d"] and scaled(1.5, 2) == 3
    for signatures in ([NONE(VECTOR, VECTOR)], [(VECTOR, VECTOR)]):
        @kiln.guvectorize(signatures, "(n)->(n)")
        def shift(x, y):
            "for (index i = 0; i < n; ++i) y(i) = x(i) + 1;"
        assert shift([1.0, 2.0]).tolist() == [2, 3]

    @kiln.kernel(NONE(MATRIX, INT64))
    def fill(x, value):
        "x(item, 0) = value;"
    x = np.zeros((2, 3))
    fill.forall(2)(x, 7)
    assert x.tolist() == [[7, 0, 0]] * 2
    with pytest.raises(TypeError, match=r"a signature is a string, such as 'float64\(float64 x\)', and this is Type"):
        kiln.vectorize([FLOAT64], "x")


def test_types_of_numba_itself():
    numba = pytest.importorskip("numba")

    @kiln.vectorize([numba.float64(numba.float64, numba.int64)])
    def scaled(x, k):
        "return x * k;"
    assert scaled.types == ["dl->d"]

    @kiln.guvectorize([numba.void(numba.float64[:, ::1], numba.float64[:]), (numba.float32[:, :], numba.float32[:])], "(m,n)->(m)")
    def first(x, y):
        "for (index i = 0; i < m; ++i) y(i) = x(i, 0);"
    assert first.types == ["d->d", "f->f"]


def test_contiguous_arrays_of_numba():
    body = "for (index i = 0; i < m; ++i) y(i) = x(i, 0);"
    x = np.arange(6.0).reshape(2, 3)
    for each in [kiln.guvectorize(["void(float64[:, ::1] x, float64[::1] y)"], "(m,n)->(m)", body),
                 kiln.guvectorize(f"(m,n)->(m) void f(float64[:, ::1] x, float64[::1] y) {{ {body} }}")]:
        for given in (x, np.asfortranarray(x), x[:, ::-1]):
            np.testing.assert_array_equal(each(given), given[:, 0])
    fill = kiln.kernel("void(float64[:, ::1] x)", "x(item, 0) = 7;")
    fill.forall(2)(x)
    assert x[:, 0].tolist() == [7, 7]


@pytest.mark.parametrize("name, dtype", [("f8", "float64"), ("i4", "int32"), ("double", "float64"), ("intp", "int64"), ("b1", "bool")])
def test_other_names_of_dtypes(name, dtype):
    assert message(kiln.SignatureError, lambda: kiln.vectorize([f"{name}({name} x)"], "x")).startswith(
        f'unknown dtype "{name}": did you mean "{dtype}"?\n{name}({name} x)\n^')


# --- Words of Python in errors

def test_options_are_keywords():
    a = np.zeros((2, 3))
    k = kiln.kernel("void(float32[:] x)", "x[item] = 1;", name="k")
    not_reorderable = kiln.vectorize("float64 half(float64 a, float64 b) = a / 2 + b")
    for call, text in [
            (lambda: kiln.math.maximum.reduce(a[:0]),
             "nothing to reduce in inputs of shape (0, 3), and the operation has no identity; give initial=, or identity= in the definition"),
            (lambda: not_reorderable.reduce(a, axis=(0, 1)), "name one axis, or set reorderable= or identity= in the definition"),
            (lambda: k(np.zeros(3, np.float32)), "the launch is not said: give size=, or grid= and block="),
            (lambda: k[1, 1](np.zeros(3)), "raw kernels cast no arrays: give astype('float32')"),
            (lambda: kiln.vectorize(["float32(float32 x)"], "x")(a), "convert an argument with astype(), or force a loop with dtype= or signature="),
            (lambda: kiln.math.bitwise_and(a, a), "or force a loop with dtype= or signature= and casting='unsafe'"),
            (lambda: kiln.vectorize(["float64(float64 x)"], '#include "no.hpp"\nreturn x;')(a),
             "give its text in headers= or its folder in include_dirs="),
            (lambda: kiln.vectorize(["float64(float64 x)"], "printf(x); return x;")(a), 'print("{}", x) prints, with debug=True, or KILN_DEBUG=1'),
            (lambda: kiln.vectorize(["float64(float64 x)"], "return threadIdx.x;")(a), "a kernel of threads is one of kiln.kernel() or kiln.RawKernel()"),
    ]:
        with pytest.raises(kiln.Error) as caught:
            call()
        assert text in str(caught.value)


def test_diagnostics_and_warnings_name_keywords():
    with pytest.raises(kiln.CompileError) as caught:
        kiln.vectorize(["float64(float64 x)"], "printf(x); return x;")(1.0)
    assert caught.value.diagnostics[0]["text"].endswith('print("{}", x) prints, with debug=True, or KILN_DEBUG=1')
    assert set(caught.value.diagnostics[0]) == {"severity", "file", "line", "column", "text", "source_line"}
    f = kiln.vectorize(["float64(float64 x, constant int64 n)"], "x * n", constant_variants=1)
    for n in (2, 3):
        assert f(np.ones(1), n) == n
    assert [each["text"].rpartition(" or ")[2] for each in f.warnings] == ["raise constant_variants="]


def test_errors_have_the_option_that_they_name():
    with pytest.raises(kiln.TypeError) as caught:
        kiln.vectorize("float64 f(raw float64 a) = a[0]")(np.zeros(3), size=-1)
    assert caught.value.option == "size"
    with pytest.raises(kiln.ShapeError) as caught:
        kiln.math.add(np.zeros(2), np.zeros(3))
    assert caught.value.option is None


# --- Bodies in Python's words

@pytest.mark.parametrize("body, hint", [
    ("x ^ 2", "; ^ is exclusive or; write pow(x, 2), or x * x"),
    ("x**2", "; C++ has no power operator; write pow(x, 2), or x * x"),
    ("x % 2", "; % is of integers; write fmod(x, y)"),
    ("np.sin(x)", "; C++ has no module np; write sin(x)"),
    ("math.sin(x)", "; C++ has no module math; write sin(x)"),
    ("np.arctan2(x, 2)", "; C++ has no module np; write atan2(x, 2)"),
    ("2 * math.pi", "; C++ has no module math; write pi"),
    ("x if x > 0 else -x", "; C++ has no x if c else y; write c ? x : y"),
    ("(x if x > 0 else -x) * 2", "; C++ has no x if c else y; write c ? x : y"),
    ("return x // 2;", "; // begins a comment; write floor(x / y)"),
    ("while (True) return x; return x;", "use of undeclared identifier 'True'; did you mean 'true'?"),
    ("None", "; C++ has no None; write NAN for a number that is missing"),
    ("arcsin(x)", "; write asin(x)"),
    ("y = 2 * x; return y;", "; declare it where it is first assigned: auto y = …"),
    ("for i in range(3): x += i; return x;", "; write for (int i = 0; i < n; ++i)"),
])
def test_hints(body, hint):
    f = kiln.vectorize(["float64(float64 x)"], body)
    first = message(kiln.CompileError, lambda: f(np.ones(2))).splitlines()[0]
    assert first.startswith("f:1:") and first.endswith(hint)


def test_words_that_cpp_has_too():
    f = kiln.vectorize(["bool(float64 x)"], "x > 1 and not (x > 2) or x == 5")
    assert f([0.0, 1.5, 3.0, 5.0]).tolist() == [False, True, False, True]


# --- Fused functions

@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
@pytest.mark.parametrize("function", [
    lambda x, y: np.where(x == y, x, y), lambda x, y: np.where(x == y, x, 0), lambda x, y: np.where(x, 1, y),
    lambda x, y: np.where(x == y, 1, 0), lambda x, y: np.where(x == y, 1.5, 0), lambda x, y: np.where(True, x, y),
    lambda x, y: np.maximum(x, 2) + np.minimum(y, x), lambda x, y: np.clip(x, 1, 5), lambda x, y: np.clip(x, None, y),
    lambda x, y: x.clip(min=y), lambda x, y: np.round(x + y), lambda x, y: np.real(x) - y.imag, lambda x, y: x.conj() * np.conjugate(y),
])
def test_fused_functions_take_functions_of_numpy(function, dtype):
    x, y = np.array([0, 1, 2, 3, 6, 7]).astype(dtype), np.array([0, 2, 2, 1, 8, 3]).astype(dtype)
    if dtype == "complex64":
        x = x + np.complex64(1j)
    same(kiln.fuse(function)(x, y), function(x, y))


def test_fused_functions_round_and_divide_as_python_does():
    x = np.array([0.5, 1.5, -2.5, 3.2])
    same(kiln.fuse(lambda x: round(x))(x), np.round(x))
    quotient, rest = kiln.fuse(lambda x: divmod(x, 2))(x)
    same(quotient, x // 2)
    same(rest, x % 2)


TAKES = (". A fused function is called once with values that stand for elements, and takes operators, ufuncs of NumPy, kiln.math and "
         "kiln.vectorize, and numpy.where, clip, round, real, imag and angle")


@pytest.mark.parametrize("function, error, text", [
    (lambda x: np.mean(x), TypeError, "numpy.mean is no step of a fused function"),
    (lambda x: np.dot(x, x), TypeError, "numpy.dot is no step of a fused function"),
    (lambda x: np.matmul(x, x), TypeError, "matmul is no step of a fused function"),
    (lambda x: np.nan_to_num(x), TypeError, "numpy.nan_to_num is no step of a fused function"),
    (lambda x: np.round(x, 2), TypeError, "numpy.round(…, …) is no step of a fused function"),
    (lambda x: np.where(x), TypeError, "numpy.where(…) is no step of a fused function"),
    (lambda x: np.add.reduce(x), TypeError, "add with reduce is no step of a fused function"),
    (lambda x: np.add(x, x, out=x), TypeError, "add with out is no step of a fused function"),
    (lambda x: x.sum(), AttributeError, "a value has no attribute 'sum'"),
    (lambda x: x[0], TypeError, "a value has no elements at indices"),
    (lambda x: [each for each in x], TypeError, "a value has no elements to visit"),
    (lambda x: len(x), TypeError, "a value has no length"),
    (lambda x: float(x), TypeError, "a value is no number"),
    (lambda x: x @ x, TypeError, "a value is no matrix"),
    (lambda x: np.asarray(x), TypeError, "a value is no array"),
])
def test_what_is_no_step_of_a_fused_function(function, error, text):
    assert message(error, lambda: kiln.fuse(function)) == "fuse: " + text + TAKES


def test_what_is_no_function_to_fuse():
    for given, kind in [("x + y", "str"), (kiln.math.sin, "Ufunc")]:
        assert message(TypeError, lambda: kiln.fuse(given)).endswith(f"{kind}; kiln.vectorize makes one ufunc of C++")
    assert message(TypeError, lambda: kiln.fuse(lambda *x: x[0])) == (
        "fuse: <lambda> has the parameter *x, and inputs are parameters by position, each with a name")
    assert message(TypeError, lambda: kiln.fuse(lambda x=1: x)) == (
        "fuse: all parameters of <lambda> have defaults, and inputs are those without one")


def test_truth_in_a_fused_function():
    assert message(TypeError, lambda: kiln.fuse(lambda x: x if x > 0 else -x)) == (
        "fuse: a value has no truth while the function is traced; numpy.where(condition, x, y) chooses by elements")


# --- Arrays that never change

class Immutable(Foreign):
    """An array as those of JAX and PyArrow are, whose tensors have no flag for it."""

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__()


Immutable.__module__ = "pyarrow.lib"


def check_immutable(make, values, name):
    """`make` makes an array of zeros, and `values` reads it."""
    one, two = np.ones(3), np.ones((2, 3))
    wave = kiln.ElementwiseKernel("float64 a", "float64 b", "b = a + 8")
    total = kiln.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")
    shift = kiln.guvectorize(["void(float64[:] x, float64[:] y)"], "(n)->(n)", SHIFT)
    for write in [lambda x: kiln.math.add(one, 1.0, out=x), lambda x: kiln.math.add(one, 1.0, x), lambda x: kiln.math.add(one, 1.0, out=(x,)),
                  lambda x: kiln.math.add(x, 1.0, out=x), lambda x: kiln.math.add.reduce(two, axis=0, out=x),
                  lambda x: kiln.math.add.accumulate(one, out=x), lambda x: kiln.math.add.reduceat(one, [0, 1, 2], out=x),
                  lambda x: kiln.math.add(one, 1.0, out=x, where=one > 0), lambda x: shift(one, out=x), lambda x: wave(one, x),
                  lambda x: total(two, axis=0, out=x), lambda x: kiln.chunked(kiln.math.add)(one, 1.0, out=x)]:
        x = make()
        assert message(ValueError, lambda: write(x)).endswith(
            f": {name} is immutable, so that nothing is written to it; leave out= away, and take the result")
        assert values(x).tolist() == [0, 0, 0]
    raw = kiln.RawKernel('extern "C" __global__ void f(double* y) { y[threadIdx.x] = 9; }', "f")
    own = kiln.kernel("void(float64[:] y)", "y[item] = 9;")
    for launch in [lambda x: raw((1,), (3,), (x,)), lambda x: own.forall(3)(x)]:
        x = make()
        assert "argument 0 (y) is read-only, and the kernel may write to it" in message(kiln.TypeError, lambda: launch(x))
        assert values(x).tolist() == [0, 0, 0]
    reads = kiln.kernel("void(const float64[:] x, float64[:] y)", "y[item] = x[item];")
    out = np.ones(3)
    reads.forall(3)(make(), out)
    assert out.tolist() == [0, 0, 0]
    shared = kiln.from_dlpack(make())
    assert shared.read_only
    for write in [lambda: shared.__setitem__(0, 7), lambda: kiln.math.add(one, 1.0, out=shared), lambda: shared.copy_to_device(one)]:
        assert "read-only" in message((ValueError, TypeError), write)
    assert not np.asarray(shared).flags.writeable
    assert values(kiln.math.add(make(), 1.0)).tolist() == [1, 1, 1]


def test_immutable_arrays_are_not_written():
    check_immutable(lambda: Immutable(np.zeros(3)), lambda x: np.asarray(getattr(x, "array", x)), "Immutable")


def test_arrays_of_jax_are_not_written():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    check_immutable(lambda: jax.numpy.zeros(3) + 0, np.asarray, "jaxlib._jax.ArrayImpl")


def test_read_only_tensors_are_not_written_by_kernels():
    x = np.zeros(3)
    x.flags.writeable = False
    own = kiln.kernel("void(float64[:] y)", "y[item] = 9;")
    assert "argument 0 (y) is read-only" in message(kiln.TypeError, lambda: own.forall(3)(Foreign(x)))
    assert message(ValueError, lambda: kiln.math.add(1.0, 2.0, out=Foreign(x))) == "output 0: the array is read-only"
    assert x.tolist() == [0, 0, 0]
