"""kiln.fuse: a Python function over kiln's ufuncs as one ufunc, which reads and writes memory once."""
import functools
import inspect
import json
import re

import numpy as np

from . import _kiln
from . import math as functions

_DTYPES = "bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64, complex64, complex128"


class Expr:
    """A value of a fused function: what kiln.math's functions, NumPy's and kiln's own ufuncs and operators take and give."""

    __slots__ = ("_number", "_steps")
    __hash__ = None

    def __init__(self, steps, number):
        self._steps, self._number = steps, number

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if method != "__call__" or keywords:
            raise _no_step(f"{ufunc.__name__} with {method if method != '__call__' else ', '.join(keywords)}")
        if isinstance(ufunc, _kiln.Ufunc):
            return self._steps.apply(ufunc, inputs)
        try:
            function = functions._get(ufunc.__name__)
        except ValueError:
            raise _no_step(f"{ufunc.__name__}") from None
        return self._steps.apply(function, inputs)

    def __array_function__(self, function, types, args, keywords):
        step = _FUNCTIONS.get(function)
        if step is None:
            raise _no_step(f"numpy.{function.__name__}")
        try:
            return step(*args, **keywords)
        except _Unfit:
            given = ", ".join([*("…" for _ in args), *(f"{name}={value!r}" for name, value in keywords.items())])
            raise _no_step(f"numpy.{function.__name__}({given})") from None

    def clip(self, min=None, max=None):
        return _clip(self, min, max)

    def conj(self):
        return np.conjugate(self)

    conjugate = conj

    def round(self, decimals=0):
        return np.round(self, decimals)

    __round__ = round

    @property
    def real(self):
        return np.real(self)

    @property
    def imag(self):
        return np.imag(self)

    def __bool__(self):
        raise TypeError("fuse: a value has no truth while the function is traced; numpy.where(condition, x, y) chooses by elements")

    def __getattr__(self, name):
        raise AttributeError(f"fuse: a value has no attribute {name!r}. {_STEPS}")


_STEPS = ("A fused function is called once with values that stand for elements, and takes operators, ufuncs of NumPy, kiln.math and "
          "kiln.vectorize, and numpy.where, clip, round, real, imag and angle")


class _Unfit(Exception):
    """Arguments that a function of NumPy has, and a step has not."""


def _no_step(what):
    return TypeError(f"fuse: {what} is no step of a fused function. {_STEPS}")


def _refuse(what):
    def method(self, *args, **keywords):
        raise TypeError(f"fuse: a value {what}. {_STEPS}")
    return method


for _name, _what in {"__array__": "is no array", "__len__": "has no length", "__iter__": "has no elements to visit",
                     "__getitem__": "has no elements at indices", "__setitem__": "has no elements at indices",
                     "__float__": "is no number", "__int__": "is no number", "__complex__": "is no number", "__index__": "is no number",
                     "__matmul__": "is no matrix", "__rmatmul__": "is no matrix"}.items():
    setattr(Expr, _name, _refuse(_what))


def _steps_of(*inputs):
    return next(each._steps for each in inputs if isinstance(each, Expr))


def _where(condition, x=None, y=None, /):
    if x is None or y is None:
        raise _Unfit
    steps = _steps_of(condition, x, y)
    if not isinstance(condition, Expr):
        return steps.apply(choice(), (np.bool_(condition), x, y), (x, y))
    # Every number but 0 is true. A number takes the dtype of the other value, and not that of the condition.
    for _ in range(2):
        condition = steps.apply(functions._get("logical_not"), (condition,))
    return steps.apply(choice(), (condition, x, y), (x, y, condition))


@functools.cache
def choice():
    """Returns the ufunc `c ? a : b`."""
    return _kiln.parse(f"T choose(bool c, T a, T b) where T: {_DTYPES} = c ? a : b")


@functools.cache
def _rounding():
    return _kiln.parse(f"T round_half_even(T x) where T: {_DTYPES.partition(', ')[2]} "
                       "{ if constexpr (std::is_integral_v<T>) return x; else return rint(x); }")


def _clip(x, low=None, high=None, *, min=None, max=None):
    low, high = (given if bound is None else bound for given, bound in ((low, min), (high, max)))
    if low is None and high is None:
        return x
    if low is None or high is None:
        return _steps_of(x, low, high).apply(functions._get("minimum" if low is None else "maximum"), (x, high if low is None else low))
    return _steps_of(x, low, high).apply(functions._get("clip"), (x, low, high))


def _round(x, decimals=0):
    if decimals != 0:
        raise _Unfit
    return _steps_of(x).apply(_rounding(), (x,))


def _one(name):
    return lambda x: _steps_of(x).apply(functions._get(name), (x,))


#: What NumPy has as functions, and kiln as ufuncs.
_FUNCTIONS = {np.where: _where, np.clip: _clip, np.round: _round, np.around: _round, np.real: _one("real"), np.imag: _one("imag"),
              np.angle: _one("angle")}


class _Steps:
    """The steps that were traced. Values have numbers: the inputs, then the outputs of each step."""

    def __init__(self, inputs):
        self.list = []
        self.values = inputs
        self.inputs = inputs

    def add(self, function, numbers):
        self.list.append((function, tuple(numbers)))
        first = self.values
        self.values += function.nout
        results = tuple(Expr(self, first + i) for i in range(function.nout))
        return results[0] if len(results) == 1 else results

    def apply(self, function, inputs, like=None):
        """Adds a step. A number takes its dtype beside the first value of `like`, or of the inputs."""
        known = next(each for each in like or inputs if isinstance(each, Expr))
        numbers = []
        for each in inputs:
            if isinstance(each, Expr):
                if each._steps is not self:
                    raise TypeError("fuse: a value of another fused function")
                numbers.append(each._number)
            else:
                numbers.append(self.add(_constant(each), (known._number,))._number)
        return self.add(function, numbers)


def _constant(value):
    """Makes a ufunc that gives a number in the dtype that it takes beside its argument, as NEP 50 has it."""
    if isinstance(value, np.generic):
        value, strong = value.item(), value.dtype.name
    else:
        strong = None
    if isinstance(value, bool):
        text, loops = "true" if value else "false", "bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, " \
                                                    "float32, float64, complex64, complex128"
    elif isinstance(value, int):
        text, loops = repr(value), "int64, int8, uint8, int16, uint16, int32, uint32, uint64, float16, bfloat16, float32, float64, " \
                                   "complex64, complex128"
        if not -2**63 <= value < 2**63:
            raise OverflowError(f"fuse: Python integer {value} out of bounds for int64")
        if value == -2**63:
            text = "(-9223372036854775807 - 1)"
    elif isinstance(value, float):
        text = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}.get(repr(value), repr(value))
        loops = "float64, float16, bfloat16, float32, complex64, complex128"
    elif isinstance(value, complex):
        text, loops = f"complex128({value.real!r}, {value.imag!r})", None
    else:
        raise TypeError(f"fuse: a step takes values of the function, numbers and scalars, and this is {type(value).__name__}")
    if strong is not None:
        return _strong(strong, text)
    if loops is None:
        return _define(["complex128(float64 x)", "complex64(float16 x)", "complex64(float32 x)", "complex64(complex64 x)",
                        "complex128(complex128 x)"], text)
    return _define([f"T(T x) where T: {loops}"], f"T({text})")


def _strong(dtype, text):
    return _define([f"{dtype}(T x) where T: {_DTYPES}"], f"{dtype}({text})")


def _define(signatures, expression):
    return _kiln.define(json.dumps({"kind": "ufunc", "name": "constant_value", "signatures": signatures, "expression": expression}))


def fuse(function=None, *, name=None):
    """Makes one ufunc of a Python function, which is called once with values that stand for its arguments.

    >>> import kiln, numpy as np
    >>> @kiln.fuse
    ... def norm(x, y):
    ...     return np.sqrt(x * x + y * y) / 2
    >>> norm(np.float32([3, 6]), np.float32([4, 8]))
    array([2.5, 5. ], dtype=float32)

    The function may use operators, ufuncs of NumPy, kiln.math and kiln.vectorize, and numpy.where, clip, round, real, imag and angle. It
    returns a value or a tuple. Parameters without a default are the inputs; those with one keep it: `lambda x, k=k: k * x`.
    """
    if function is None:
        return lambda given: fuse(given, name=name)
    if not callable(function) or isinstance(function, (type, _kiln.Function)):
        raise TypeError(f"fuse: a function of Python is expected, and this is {type(function).__name__}; kiln.vectorize makes one ufunc of C++")
    parameters = list(inspect.signature(function).parameters.values())
    inputs = [each for each in parameters if each.default is each.empty]
    for each in inputs:
        if each.kind not in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD):
            raise TypeError(f"fuse: {function.__name__} has the parameter {each}, and inputs are parameters by position, each with a name")
    if parameters and not inputs:
        raise TypeError(f"fuse: all parameters of {function.__name__} have defaults, and inputs are those without one")
    steps = _Steps(len(inputs))
    results = function(*(Expr(steps, i) for i in range(len(inputs))))
    results = results if isinstance(results, tuple) else (results,)
    for each in results:
        if not isinstance(each, Expr):
            raise TypeError(f"fuse: {function.__name__} returns {type(each).__name__}; it returns values that it computes of its arguments")
    made = _kiln.fuse(name or re.sub(r"\W+", "", function.__name__).lstrip("0123456789") or "fused", len(inputs), steps.list, tuple(each._number for each in results))
    if function.__doc__:
        made.__doc__ = function.__doc__
    return made


def _binary(ufunc, reflected):
    def method(self, other):
        return self._steps.apply(functions._get(ufunc), (other, self) if reflected else (self, other))
    return method


for _python, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
                       "mod": "remainder", "divmod": "divmod", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
                       "lshift": "left_shift", "rshift": "right_shift"}.items():
    setattr(Expr, f"__{_python}__", _binary(_name, False))
    setattr(Expr, f"__r{_python}__", _binary(_name, True))
for _python, _name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}.items():
    setattr(Expr, f"__{_python}__", _binary(_name, False))
for _python, _name in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
    setattr(Expr, f"__{_python}__", lambda self, _name=_name: self._steps.apply(functions._get(_name), (self,)))
