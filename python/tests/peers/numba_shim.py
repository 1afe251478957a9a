"""Numba's vectorize, guvectorize, DUFunc and GUVectorize over kiln: the tables below have the C++ for each Python body in Numba's tests."""
import re

import numpy
from numba.core import sigutils, types

import kiln
import peers

# Numba finds faults while it compiles, and calls them TypingError. kiln finds them in the call.
TypingError = (TypeError, ValueError, IndexError)

_NUMBERS = "int32, uint32, int64, float32, float64"

#: Bodies of ufuncs by the names of their Python functions.
_UFUNCS = {
    "pyuadd": "a0 + a1", "pysub": "a0 - a1", "pymult": "a0 * a1", "pymin": "a0 < a1 ? a0 : a1",
    "pydiv": "const auto q = a0 / a1; return a0 % a1 != 0 && (a0 < 0) != (a1 < 0) ? q - 1 : q;",
    "sinc": "x == 0 ? decltype(x)(1) : decltype(x)(sin(x * decltype(x)(3.14159265358979323846)) / (decltype(x)(3.14159265358979323846) * x))",
    "scaled_sinc": "x == 0 ? decltype(x)(scale) : decltype(x)(scale * (sin(x * 3.14159265358979323846) / (3.14159265358979323846 * x)))",
    "vector_add": "a + b", "inc": "x + 1", "ident": "x1",
}

#: Bodies of gufuncs by the names of their Python functions and their layouts.
_CUMSUM = "auto acc = 0 * x(0); for (index i = 0; i < n; ++i) { acc += x(i); res(i) = acc; }"
_GUFUNCS = {
    ("matmulcore", "(m,n),(n,p)->(m,p)"): "for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { C(i, j) = 0; "
                                          "for (index k = 0; k < n; ++k) C(i, j) += A(i, k) * B(k, j); }",
    ("axpy", "(),(),()->()"): "out = a * x + y;",
    ("my_cumsum", "(n)->(n)"): _CUMSUM,
    ("gufunc", "(n)->(n)"): _CUMSUM,
    ("gufunc", "(n),()->(n)"): "for (index i = 0; i < n; ++i) res(i) = x(i) + y;",
    ("gufunc", "(n),(m)->()"): "res = 0; for (index i = 0; i < n; ++i) res += x(i); for (index i = 0; i < m; ++i) res += y(i);",
    ("gufunc", "()->()"): "res = x + 100;",
    ("gufunc", "(n),(n)->(),(n)"): "res = 0; auto s = 0 * y(0); for (index i = 0; i < n; ++i) { res += x(i); s += y(i); } "
                                   "for (index i = 0; i < n; ++i) out(i) = x(i) + s;",
    ("copy", "(x)->(x),(x)"): "for (index i = 0; i < x; ++i) { B(i) = A(i); C(i) = A(i); }",
    ("copy_and_double", "(x)->(x),(x)"): "for (index i = 0; i < x; ++i) { B(i) = A(i); C(i) = A(i) * 2; }",
    ("copy_and_multiply", "(x)->(x),(x)"): "for (index i = 0; i < x; ++i) { B(i) = A(i); C(i) = A(i) * 1.5; }",
    ("f", "(m),(m)->(m),(m)"): "for (index i = 0; i < m; ++i) { z(i) = 0; w(i) = 0; }",
    ("sum_row", "(n)->()"): "double tmp = 0; for (index i = 0; i < n; ++i) tmp += inp(i); out = tmp;",
    ("add", "(),()->()"): "res = x + y;",
    ("add", "(n),()->(n)"): "for (index i = 0; i < n; ++i) res(i) = x(i) + y;",
    ("foo", "(n),()->(n)"): "for (index i = 0; i < n_; ++i) out(i) = inp(i) * n(0);",
    ("pyfunc", "(n),()->(n)"): "for (index i = 0; i < n_; ++i) out(i) = n * (inp(i) + 1);",
    ("pyfunc", "(n),(n)->(n)"): ";", ("pyfunc", "(m,n)->(n)"): ";",
    ("double", "()->()"): "out = x * 2;",
    ("bar", "(n),(n)->()"): "res = 123;",
    ("bar", "(n),(m)->(n)"): "for (index i = 0; i < n; ++i) res(i) = 123;",
    ("bar", "(n),(m)->(m),(m)"): "for (index i = 0; i < m; ++i) { res(i) = 123; out(i) = 456; }",
    ("bar", "(n,m),(n,n,n)->(m),(n,n)"): "for (index i = 0; i < m; ++i) res(i) = 123; for (index i = 0; i < n; ++i) for (index j = 0; j < n; ++j) out(i, j) = 456;",
    ("guve", "(n),()->(n)"): "for (index i = 0; i < n_; ++i) res(i) = 0;",
}


def jit(function=None, **_options):
    """Returns the function as it is, with the attribute that Numba's dispatchers have."""
    if not callable(function):
        return jit
    function.py_func = function
    return function


njit = jit


def _dtype(numba_type):
    name = str(numba_type)
    return {"intp": "int64"}.get(name, name)


def _texts(signatures):
    """Returns signatures of Numba, objects or strings, as text: a list of pairs of operands and result."""
    if not isinstance(signatures, (list, tuple)) or isinstance(signatures, tuple) and isinstance(signatures[0], types.Type):
        signatures = [signatures]
    for each in signatures:
        arguments, result = sigutils.normalize_signature(each)
        operands = [f"{_dtype(a.dtype)}[{','.join([':'] * a.ndim)}]" if isinstance(a, types.Array) else _dtype(a) for a in arguments]
        yield operands, "void" if result in (None, types.void) else _dtype(result)


def _parameters(function):
    code = function.__code__
    return code.co_varnames[:code.co_argcount]


def _of_numpy(function):
    """Returns kiln's function for a lambda that calls a ufunc of NumPy, or None."""
    for cell in function.__closure__ or ():
        if isinstance(cell.cell_contents, numpy.ufunc):
            return getattr(kiln.math, cell.cell_contents.__name__)
    names = [name for name in function.__code__.co_names if isinstance(getattr(numpy, name, None), numpy.ufunc)]
    return getattr(kiln.math, names[0]) if len(names) == 1 and "np" in function.__code__.co_names else None


def _vectorize(function, signatures, options):
    peers.touch()
    found = _of_numpy(function)
    if options.get("identity") == "reorderable":
        options = {**options, "identity": None, "reorderable": True}
    if found is kiln.math.add:
        # kiln.math.add has an identity, and Numba's function has that of the call alone.
        return kiln.vectorize(f"T add(T a, T b) where T: {_NUMBERS}, int8, int16, uint8, uint16, uint64, complex64, complex128 = a + b", **options)
    if found is not None:
        return found
    names = _parameters(function)
    if signatures is None:
        text = [f"T({', '.join('T ' + name for name in names)}) where T: {_NUMBERS}"]
    else:
        text = [f"{result}({', '.join(f'{each} {name}' for each, name in zip(operands, names))})" for operands, result in _texts(signatures)]
    made = kiln.vectorize(text, _UFUNCS[function.__name__], name=function.__name__, **options)
    return made


def vectorize(signatures=None, **options):
    for each in ("target", "nopython", "cache"):
        options.pop(each, None)
    if callable(signatures) and not isinstance(signatures, types.Type) and hasattr(signatures, "__code__"):
        return _vectorize(signatures, None, options)
    return lambda function: _vectorize(function, signatures, options)


class DUFunc:
    """numba.np.ufunc.dufunc.DUFunc."""

    def __new__(cls, function, targetoptions=None):
        return _vectorize(function, None, {})


class dufunc:
    DUFunc = DUFunc


def _layout(text):
    return "".join(text.split())


def _guvectorize(function, signatures, layout, options):
    peers.touch()
    layout = _layout(layout)
    names = _parameters(function)
    called = {"double": "double_"}.get(function.__name__, function.__name__)
    body = _GUFUNCS[function.__name__, layout]
    if "n_" in body.replace("(n_", " n_"):
        # A parameter has the name of a dimension: the dimension gets another.
        layout, body = layout.replace("n", "n_"), body
    if signatures is None:
        ranks = [len([name for name in core.split(",") if name]) for core in re.findall(r"\(([^()]*)\)", layout)]
        arrays = ["T" + (f"[{','.join([':'] * rank)}]" if rank else "") for rank in ranks]
        if ranks == [0, 0]:
            options.pop("identity", None)  # kiln's functions of one input have none
        if function.__name__ == "copy_and_multiply":
            arrays[-1] = arrays[-1].replace("T", "float64")
        text = [f"void({', '.join(f'{each} {name}' for each, name in zip(arrays, names))}) where T: {_NUMBERS}"]
        made = kiln.guvectorize(text, layout, body, name=called, **options)
    else:
        # Signatures and layout go to kiln as Numba has them.
        texts = [operands for operands, _ in _texts(signatures)]
        text = [f"void({', '.join(f'{each} {name}' for each, name in zip(operands, names))})" for operands in texts]
        core = re.findall(r"\([^()]*\)", layout)[-1]
        if core == "()" and texts[0][-1].endswith("[:]"):
            body = re.sub(rf"\b{names[-1]}\b", f"{names[-1]}(0)", body)
        made = kiln.guvectorize(text, layout, body, name=called, **options)
    made.__dict__.update(__module__=function.__module__, __qualname__=function.__qualname__)
    if function.__doc__:
        made.__doc__ = function.__doc__
    return made


def guvectorize(signatures, layout=None, **options):
    for each in ("target", "nopython", "cache"):
        options.pop(each, None)
    if layout is None:
        signatures, layout = None, signatures
    return lambda function: _guvectorize(function, signatures, layout, options)


class GUVectorize:
    """numba.np.ufunc.GUVectorize: the builder, and the function itself where it is dynamic."""

    def __new__(cls, function, layout, target=None, is_dynamic=False):
        if is_dynamic:
            return _guvectorize(function, None, layout, {})
        return super().__new__(cls)

    def __init__(self, function, layout, target=None, is_dynamic=False):
        self._function, self._layout, self._signatures = function, layout, []

    def add(self, signature):
        self._signatures.append(signature)

    def build_ufunc(self):
        return _guvectorize(self._function, self._signatures, self._layout, {})


__all__ = ["DUFunc", "GUVectorize", "TypingError", "dufunc", "guvectorize", "jit", "njit", "vectorize"]
