"""The elementwise part of the Python array API standard, over kiln.math and kiln.Array.

>>> from kiln import xp
>>> x = xp.asarray([0.25, 4.0], device="cpu")
>>> xp.pow(x, 2)
kiln.Array([ 0.0625, 16.    ], dtype=float64, device='cpu')
>>> xp.isdtype(xp.float32, "real floating")
True

What the standard has beside it is left out: sorting, searching, sets, linear algebra. Functions take arrays of kiln alone, and
numbers of Python where the standard has them.
"""
import builtins as _builtins
import math as _math

import numpy as _np

from . import _fuse, _kiln, math as _functions
from ._array_methods import _device_name, _view
from ._arrays import asarray as _asarray, device_array as _device_array, to_device as _to_device
from ._kiln import Array as _Array

__array_api_version__ = "2025.12"

e, inf, nan, newaxis, pi = _math.e, _math.inf, _math.nan, None, _math.pi

_NAMES = {"bool": ("bool",), "signed integer": ("int8", "int16", "int32", "int64"),
          "unsigned integer": ("uint8", "uint16", "uint32", "uint64"), "real floating": ("float32", "float64"),
          "complex floating": ("complex64", "complex128")}
_NAMES["integral"] = _NAMES["signed integer"] + _NAMES["unsigned integer"]
_NAMES["numeric"] = _NAMES["integral"] + _NAMES["real floating"] + _NAMES["complex floating"]
_DTYPES = {_name: _np.dtype(_name) for _name in _NAMES["bool"] + _NAMES["numeric"]}
globals().update(_DTYPES)


def _check(*arrays):
    for array in arrays:
        if not isinstance(array, _Array):
            raise TypeError(f"kiln.xp: a kiln.Array is expected, and this is {type(array).__name__}: xp.asarray makes one")


def _device(array):
    return _device_name(array._place)


# --- Elementwise functions

def _unary(name, function):
    def call(x, /):
        _check(x)
        return _functions._get(function)(x)
    return _named(call, name, function)


def _binary(name, function):
    def call(x1, x2, /):
        if not isinstance(x1, _Array) and not isinstance(x2, _Array):
            _check(x1)
        for each in (x1, x2):
            if not isinstance(each, (_Array, _builtins.bool, int, float, complex)):
                _check(each)
        return _functions._get(function)(x1, x2)
    return _named(call, name, function)


def _named(call, name, function):
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The standard's `{name}`: kiln.math.{function} of arrays of kiln."
    return call


_UNARY = {name: name for name in (
    "ceil", "cos", "cosh", "exp", "expm1", "floor", "imag", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not",
    "negative", "positive", "real", "reciprocal", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc")}
_UNARY |= {name: "arc" + name[1:] for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh")}
_UNARY |= {"abs": "absolute", "bitwise_invert": "invert", "conj": "conjugate"}
_BINARY = {name: name for name in (
    "add", "bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal", "hypot",
    "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "nextafter",
    "not_equal", "remainder", "subtract")}
_BINARY |= {"atan2": "arctan2", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "pow": "power"}
for _name, _function in _UNARY.items():
    globals()[_name] = _unary(_name, _function)
for _name, _function in _BINARY.items():
    globals()[_name] = _binary(_name, _function)


def round(x, /):
    """The standard's `round`: to the nearest integer, halves to the even one. Integers stay what they are."""
    _check(x)
    return _functions._get("positive" if x.dtype.kind in "iu" else "rint")(x)


def clip(x, /, min=None, max=None):
    """The standard's `clip`: limits the elements. `min` and `max` take the dtype of `x`."""
    _check(x)
    bounds = [each.astype(x.dtype) if isinstance(each, _Array) and each.dtype != x.dtype else each for each in (min, max)]
    if min is None and max is None:
        return x.copy()
    if min is None:
        return _functions._get("minimum")(x, bounds[1])
    if max is None:
        return _functions._get("maximum")(x, bounds[0])
    return _functions._get("clip")(x, *bounds)


def where(condition, x1, x2, /):
    """The standard's `where`: elements of `x1` where `condition` holds, and of `x2` elsewhere."""
    _check(condition)
    if condition.dtype != _np.bool_:
        raise TypeError(f"kiln.xp.where: the condition has the dtype {condition.dtype}, and bool is expected")
    dtype = result_type(x1, x2)
    x1, x2 = (each if isinstance(each, _Array) else asarray(each, dtype=dtype, device=_device(condition)) for each in (x1, x2))
    return _fuse.choice()(condition, x1, x2)


# --- Making arrays

def _place(device):
    return "best" if device is None else str(device)


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """The standard's `asarray`. A kiln.Array and an array of another library share their memory where they can."""
    if isinstance(obj, _Array) or (hasattr(obj, "__dlpack__") and not isinstance(obj, _np.ndarray)):
        made = obj if isinstance(obj, _Array) else _kiln.from_dlpack(obj)
        moves = device is not None and str(device) != _device(made)
        casts = dtype is not None and _np.dtype(dtype) != made.dtype
        if copy is False and (moves or casts):
            raise ValueError("kiln.xp.asarray: copy=False, and another dtype or device needs a copy")
        if casts:
            made = made.astype(dtype)
        elif copy and not moves:
            made = made.copy()
        return made.to(str(device)) if moves else made
    if copy is False:
        raise ValueError("kiln.xp.asarray: copy=False, and only a kiln.Array and arrays with __dlpack__ share their memory")
    return _asarray(_np.asarray(_plain(obj), dtype), device=_place(device))


def _plain(obj):
    """Turns arrays within sequences to arrays of NumPy."""
    if isinstance(obj, (list, tuple)):
        return [_plain(each) for each in obj]
    return obj.copy_to_host() if isinstance(obj, _Array) else obj


def _extents(shape):
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def zeros(shape, *, dtype=None, device=None):
    """The standard's `zeros`."""
    return _device_array(_extents(shape), _np.float64 if dtype is None else dtype, device=_place(device))


empty = zeros


def full(shape, fill_value, *, dtype=None, device=None):
    """The standard's `full`."""
    made = zeros(shape, dtype=_np.asarray(fill_value).dtype if dtype is None else dtype, device=device)
    made[...] = _np.asarray(fill_value, made.dtype)
    return made


def ones(shape, *, dtype=None, device=None):
    """The standard's `ones`."""
    return full(shape, 1, dtype=_np.float64 if dtype is None else dtype, device=device)


def _place_like(x, dtype, device):
    _check(x)
    return {"dtype": x.dtype if dtype is None else dtype, "device": _device(x) if device is None else device}


def zeros_like(x, /, *, dtype=None, device=None):
    """The standard's `zeros_like`."""
    return zeros(x.shape, **_place_like(x, dtype, device))


empty_like = zeros_like


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """The standard's `full_like`."""
    return full(x.shape, fill_value, **_place_like(x, dtype, device))


def ones_like(x, /, *, dtype=None, device=None):
    """The standard's `ones_like`."""
    return full_like(x, 1, dtype=dtype, device=device)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """The standard's `arange`."""
    start, stop = (0, start) if stop is None else (start, stop)
    return _to_device(_np.arange(start, stop, step, dtype), device=_place(device))


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """The standard's `linspace`."""
    return _to_device(_np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype), device=_place(device))


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """The standard's `eye`."""
    return _to_device(_np.eye(n_rows, n_cols, k, _np.float64 if dtype is None else dtype), device=_place(device))


def from_dlpack(x, /, *, device=None, copy=None):
    """The standard's `from_dlpack`."""
    return asarray(_kiln.from_dlpack(x), device=device, copy=copy)


# --- Dtypes

def astype(x, dtype, /, *, copy=True, device=None):
    """The standard's `astype`."""
    _check(x)
    made = x.astype(dtype) if copy or _np.dtype(dtype) != x.dtype else x
    return made if device is None or str(device) == _device(made) else made.to(str(device))


def _dtype_of(each):
    return each.dtype if isinstance(each, _Array) else each


def can_cast(from_, to, /):
    """The standard's `can_cast`: whether promotion leads from one dtype to the other."""
    return _np.can_cast(_dtype_of(from_), to)


def result_type(*arrays_and_dtypes):
    """The standard's `result_type`. Numbers of Python are weak."""
    return _np.result_type(*map(_dtype_of, arrays_and_dtypes))


def isdtype(dtype, kind):
    """The standard's `isdtype`: `kind` is a dtype, the name of a kind, or a tuple of them."""
    if isinstance(kind, tuple):
        return _builtins.any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in _NAMES:
            raise ValueError(f"kiln.xp.isdtype: there is no kind {kind!r}: {', '.join(sorted(_NAMES))}")
        return _np.dtype(dtype).name in _NAMES[kind]
    return _np.dtype(dtype) == _np.dtype(kind)


class _Limits:
    def __init__(self, **values):
        self.__dict__.update(values)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


class finfo(_Limits):
    """The standard's `finfo`: limits of a floating-point dtype."""

    def __init__(self, type, /):
        found = _np.finfo(_dtype_of(type))
        super().__init__(bits=found.bits, eps=float(found.eps), max=float(found.max), min=float(found.min),
                         smallest_normal=float(found.smallest_normal), dtype=found.dtype)


class iinfo(_Limits):
    """The standard's `iinfo`: limits of an integer dtype."""

    def __init__(self, type, /):
        found = _np.iinfo(_dtype_of(type))
        super().__init__(bits=found.bits, max=int(found.max), min=int(found.min), dtype=found.dtype)


# --- Shapes: views

def broadcast_shapes(*shapes):
    """The standard's `broadcast_shapes`."""
    return _np.broadcast_shapes(*shapes)


def broadcast_to(x, /, shape):
    """The standard's `broadcast_to`: a view that is read-only."""
    _check(x)
    shape = tuple(shape)
    if _np.broadcast_shapes(x.shape, shape) != shape:
        raise ValueError(f"kiln.xp.broadcast_to: the shape {x.shape} does not broadcast to {shape}")
    added = len(shape) - x.ndim
    strides = [0] * added + [0 if have != want else stride for have, want, stride in zip(x.shape, shape[added:], x.strides)]
    return _kiln.view(x, x.ptr, x.dtype, shape, tuple(strides), x._place, True)


def broadcast_arrays(*arrays):
    """The standard's `broadcast_arrays`."""
    _check(*arrays)
    shape = _np.broadcast_shapes(*(each.shape for each in arrays))
    return tuple(broadcast_to(each, shape) for each in arrays)


def reshape(x, /, shape, *, copy=None):
    """The standard's `reshape`."""
    _check(x)
    made = (x.copy() if copy else x).reshape(_extents(shape))
    if copy is False and made.ptr != x.ptr:
        raise ValueError("kiln.xp.reshape: copy=False, and these strides need a copy")
    return made


def permute_dims(x, /, axes):
    """The standard's `permute_dims`."""
    _check(x)
    return x.transpose(tuple(axes))


def matrix_transpose(x, /):
    """The standard's `matrix_transpose`."""
    _check(x)
    return x.mT


def expand_dims(x, /, axis):
    """The standard's `expand_dims`."""
    _check(x)
    axes = _axes(axis, x.ndim + len(_extents(axis)))
    return x[tuple(None if each in axes else slice(None) for each in range(x.ndim + len(axes)))]


def squeeze(x, /, axis):
    """The standard's `squeeze`."""
    _check(x)
    axes = _axes(axis, x.ndim)
    for each in axes:
        if x.shape[each] != 1:
            raise ValueError(f"kiln.xp.squeeze: axis {each} has {x.shape[each]} elements, and only an axis of one can go")
    kept = [each for each in range(x.ndim) if each not in axes]
    return _view(x, x.ptr, [x.shape[each] for each in kept], [x.strides[each] for each in kept])


def _axes(axis, ndim):
    found = []
    for each in _extents(axis):
        if not -ndim <= each < ndim:
            raise IndexError(f"axis {each} is out of bounds for an array of {ndim} axes")
        found.append(each % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"repeated axis in {axis}")
    return found


# --- Reductions

def _reduction(name, function, typed=False):
    def plain(x, /, *, axis=None, keepdims=False):
        _check(x)
        return _functions._get(function).reduce(x, axis=axis, keepdims=keepdims)

    def with_dtype(x, /, *, axis=None, dtype=None, keepdims=False):
        _check(x)
        return _functions._get(function).reduce(x, axis=axis, dtype=dtype, keepdims=keepdims)
    made = with_dtype if typed else plain
    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"The standard's `{name}`, by kiln.math.{function}.reduce."
    return made


sum, prod = _reduction("sum", "add", typed=True), _reduction("prod", "multiply", typed=True)
max, min = _reduction("max", "maximum"), _reduction("min", "minimum")
any, all = _reduction("any", "logical_or"), _reduction("all", "logical_and")


def _cumulation(name, function, first):
    def call(x, /, *, axis=None, dtype=None, include_initial=False):
        _check(x)
        if axis is None and x.ndim != 1:
            raise ValueError(f"kiln.xp.{name}: an array of {x.ndim} axes needs axis=")
        axis, = _axes(0 if axis is None else axis, x.ndim)
        made = _functions._get(function).accumulate(x, axis=axis, dtype=dtype)
        if not include_initial:
            return made
        extents = list(made.shape)
        extents[axis] += 1
        longer = full(extents, first, dtype=made.dtype, device=_device(x))
        longer[(slice(None),) * axis + (slice(1, None),)] = made
        return longer
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The standard's `{name}`, by kiln.math.{function}.accumulate."
    return call


cumulative_sum, cumulative_prod = _cumulation("cumulative_sum", "add", 0), _cumulation("cumulative_prod", "multiply", 1)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """The standard's `count_nonzero`: how many elements are not zero."""
    _check(x)
    return _functions._get("add").reduce(_functions._get("not_equal")(x, 0), axis=axis, dtype=_np.int64, keepdims=keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    """The standard's `mean`, as kiln.Array.mean has it."""
    _check(x)
    return x.mean(axis=axis, keepdims=keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The standard's `var`, as kiln.Array.var has it."""
    _check(x)
    return x.var(axis=axis, ddof=correction, keepdims=keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The standard's `std`, as kiln.Array.std has it."""
    _check(x)
    return x.std(axis=axis, ddof=correction, keepdims=keepdims)


def argmax(x, /, *, axis=None, keepdims=False):
    """The standard's `argmax`, as kiln.Array.argmax has it."""
    _check(x)
    return x.argmax(axis=axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """The standard's `argmin`, as kiln.Array.argmin has it."""
    _check(x)
    return x.argmin(axis=axis, keepdims=keepdims)


# --- What there is

class _Info:
    """The standard's inspection of a namespace."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        from ._devices import Device
        return Device("best").name

    def devices(self):
        from ._devices import devices
        return tuple(each.name for each in devices())

    def default_dtypes(self, *, device=None):
        return {"real floating": _DTYPES["float64"], "complex floating": _DTYPES["complex128"], "integral": _DTYPES["int64"],
                "indexing": _DTYPES["int64"]}

    def dtypes(self, *, device=None, kind=None):
        if kind is None:
            return dict(_DTYPES)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        return {name: dtype for name, dtype in _DTYPES.items() if isdtype(dtype, kinds)}


def __array_namespace_info__():
    """The standard's inspection: `devices()`, `dtypes()` and the defaults."""
    return _Info()


__all__ = sorted([*_DTYPES, *_UNARY, *_BINARY, "round", "clip", "where", "e", "inf", "nan", "newaxis", "pi", "asarray", "zeros", "empty", "full", "ones",
                  "zeros_like", "empty_like", "full_like", "ones_like", "arange", "linspace", "eye", "from_dlpack", "astype", "can_cast",
                  "result_type", "isdtype", "finfo", "iinfo", "broadcast_shapes", "broadcast_to", "broadcast_arrays", "reshape",
                  "permute_dims", "matrix_transpose", "expand_dims", "squeeze", "sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "argmax", "argmin",
                  "cumulative_sum", "cumulative_prod", "count_nonzero",
                  "__array_namespace_info__"])


def __dir__():
    return __all__
