"""Means, variances and places of extrema of kiln.Array, by NumPy's rules."""
import functools
import math

import numpy as np

from . import math as functions
from ._definitions import reduction
from .errors import ShapeError


def mean(x, axis=None, dtype=None, out=None, keepdims=False):
    """The mean: of bools and integers in float64, of halves computed in float32."""
    work, result = _dtypes("mean", x, dtype)
    total = functions.add.reduce(x, axis=axis, dtype=work, keepdims=keepdims)
    return _finished(functions.divide(total, _count(x, axis), out=total), result, out)


def var(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance: the mean of squared distances from the mean, in two passes. Real for complex numbers."""
    work, result = _dtypes("var", x, dtype)
    middle = mean(x, axis, work, keepdims=True)
    squares = _squared_distances(work.kind == "c")
    total = squares(x, middle, axis=axis, keepdims=keepdims)
    count = max(_count(x, axis) - ddof, 0)
    return _finished(functions.divide(total, count, out=total), np.empty(0, result).real.dtype, out)


def std(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation: the root of the variance."""
    variance = var(x, axis, dtype, ddof=ddof, keepdims=keepdims)
    return functions.sqrt(variance, out=variance if out is None else out)


def argmax(x, axis=None, out=None, *, keepdims=False):
    """The place of the largest element, the first of several, or that of the first NaN: an int64 that counts along the reduced axes."""
    return _place(">", x, axis, out, keepdims)


def argmin(x, axis=None, out=None, *, keepdims=False):
    """The place of the smallest element, by the rules of `argmax`."""
    return _place("<", x, axis, out, keepdims)


def cumsum(x, axis=None, dtype=None, out=None):
    """Running sums along an axis; of all elements in C order without one."""
    return _running(functions.add, x, axis, dtype, out)


def cumprod(x, axis=None, dtype=None, out=None):
    """Running products along an axis; of all elements in C order without one."""
    return _running(functions.multiply, x, axis, dtype, out)


def _running(function, x, axis, dtype, out):
    return function.accumulate(x.ravel() if axis is None else x, axis=0 if axis is None else axis, dtype=dtype, out=out)


def _is_inexact(dtype):
    return dtype.kind in "fc" or dtype.name == "bfloat16"


def _dtypes(what, x, dtype):
    """The dtypes of the computation and of the result."""
    result = np.dtype(dtype) if dtype is not None else x.dtype if _is_inexact(x.dtype) else np.dtype("float64")
    if not _is_inexact(result):
        raise TypeError(f"{what}: the dtype is {result}; give a floating or complex one")
    return np.dtype("float32") if result.itemsize == 2 else result, result


def _count(x, axis):
    """How many elements there are of each result."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(x.shape[each] for each in axes)


def _finished(result, dtype, out):
    if out is not None:
        return functions.positive(result, out=out, casting="unsafe")
    return result if result.dtype == dtype else result.astype(dtype)


@functools.cache
def _squared_distances(is_complex):
    pairs = (("complex64", "float32"), ("complex128", "float64")) if is_complex else (("float32", "float32"), ("float64", "float64"))
    return reduction([f"{real}({name} x, {name} mean)" for name, real in pairs], name="squared_distances", identity="0",
                     map="norm(x - mean)" if is_complex else "(x - mean) * (x - mean)", reduce="a + b")


def _place(compare, x, axis, out, keepdims):
    found = _comparison(compare, x.dtype.kind == "c")
    if 0 in x.shape and _count(x, axis) == 0:
        raise ShapeError(f"{found.__name__}: there is no element to choose in an array of shape {x.shape}")
    return found(x, axis=axis, out=out, keepdims=keepdims)


@functools.cache
def _comparison(compare, is_complex):
    """`i` decides between equal elements, so that parts may be combined in any order. Complex numbers are compared by their real parts, then by the imaginary ones."""
    real = "real(x)" if is_complex else "x"
    other = "real(y)" if is_complex else "y"
    rest = f"{real} != {other} ? {real} {compare} {other} : imag(x) {compare} imag(y) || (imag(x) == imag(y) && i < j)" if is_complex \
        else f"x {compare} y || (x == y && i < j)"
    first = ("template <class V> bool comes_first(V x, int64 i, V y, int64 j) { const bool nan = x != x, other = y != y; "
             f"if (nan || other) return nan && (!other || i < j); return {rest}; }}")
    return reduction("int64(T x)", name="argmax" if compare == ">" else "argmin", accumulator="T best; int64 at;", map="return {x, i};",
                     reduce="return comes_first(b.best, b.at, a.best, a.at) ? b : a;", post="return a.at;", reorderable=True, functions=first)
