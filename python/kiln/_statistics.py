"""Means, variances and places of extrema of kiln.Array, by NumPy's rules."""
from . import _kiln
from . import math as functions


def mean(x, axis=None, dtype=None, out=None, keepdims=False):
    """The mean: of bools and integers in float64, of halves computed in float32."""
    return _into(out, _kiln.statistic("mean", x, 0, axis=axis, dtype=dtype, keepdims=keepdims))


def var(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance: the mean of squared distances from the mean, in two passes. Real for complex numbers."""
    return _into(out, _kiln.statistic("var", x, ddof, axis=axis, dtype=dtype, keepdims=keepdims))


def std(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation: the root of the variance."""
    return _into(out, _kiln.statistic("std", x, ddof, axis=axis, dtype=dtype, keepdims=keepdims))


def argmax(x, axis=None, out=None, *, keepdims=False):
    """The place of the largest element, the first of several, or that of the first NaN: an int64 that counts along the reduced axes."""
    return _into(out, _kiln.statistic("argmax", x, 0, axis=axis, keepdims=keepdims))


def argmin(x, axis=None, out=None, *, keepdims=False):
    """The place of the smallest element, by the rules of `argmax`."""
    return _into(out, _kiln.statistic("argmin", x, 0, axis=axis, keepdims=keepdims))


def cumsum(x, axis=None, dtype=None, out=None):
    """Running sums along an axis; of all elements in C order without one."""
    return _running(functions.add, x, axis, dtype, out)


def cumprod(x, axis=None, dtype=None, out=None):
    """Running products along an axis; of all elements in C order without one."""
    return _running(functions.multiply, x, axis, dtype, out)


def _into(out, result):
    return result if out is None else functions.positive(result, out=out, casting="unsafe")


def _running(function, x, axis, dtype, out):
    return function.accumulate(x.ravel() if axis is None else x, axis=0 if axis is None else axis, dtype=dtype, out=out)
