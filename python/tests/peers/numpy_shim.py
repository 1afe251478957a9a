"""NumPy with its ufuncs replaced by those of kiln: the module that NumPy's own tests see as `np`.

Everything that is no ufunc is NumPy's, and so are ufuncs that kiln has no loop for, such as those of strings. Long double is double, as it
is on Windows, because kiln has none.
"""
import sys
import types

import numpy
import numpy._core.umath as _numpy_umath

import kiln
import peers
from peers import umath_tests

#: Names of NumPy whose ufunc is a gufunc in umath_tests.
_GUFUNCS = ("matmul", "vecdot", "matvec", "vecmat")

_LONG = {"longdouble": numpy.float64, "clongdouble": numpy.complex128, "float128": numpy.float64, "complex256": numpy.complex128}
_TYPECODES = {name: codes.translate({ord(code): None for code in "gG"}) for name, codes in numpy.typecodes.items()}


def replacement(name):
    """Returns kiln's function for a ufunc of NumPy, or None."""
    if name == "_arg":
        return kiln.math.angle
    if name in _GUFUNCS:
        return getattr(umath_tests.functions, f"numpy_{name}")
    if not isinstance(getattr(numpy, name, getattr(_numpy_umath, name, None)), numpy.ufunc):
        return None
    return getattr(kiln.math, name, None)


class _UfuncType(type):
    def __instancecheck__(cls, value):
        return isinstance(value, (kiln.Ufunc, kiln.Gufunc, numpy.ufunc))

    def __getattr__(cls, name):
        return getattr(kiln.Ufunc, name)


class ufunc(metaclass=_UfuncType):
    """The class of ufuncs for isinstance: kiln's and NumPy's."""


class _Umath:
    """numpy._core.umath with the ufuncs of kiln."""

    def __getattribute__(self, name):
        if name == "__dict__":
            return {each: replacement(each) or value for each, value in vars(_numpy_umath).items()}
        found = replacement(name)
        if found is not None:
            peers.touch()
            return found
        return getattr(_numpy_umath, name) if hasattr(_numpy_umath, name) else getattr(numpy._core._multiarray_umath, name)


class _Core:
    """numpy._core with that umath."""

    umath = _multiarray_umath = _Umath()
    _umath_tests = umath_tests.functions
    sctypes = {kind: [each for each in listed if each not in (numpy.longdouble, numpy.clongdouble)]
               for kind, listed in numpy._core.sctypes.items()}

    def __getattr__(self, name):
        return getattr(numpy._core, name)


class _Shim(types.ModuleType):
    def __getattr__(self, name):
        found = replacement(name)
        if found is not None:
            peers.touch()
            return found
        if name in _LONG:
            return _LONG[name]
        return getattr(numpy, name)


_core = _Core()
umath = _core.umath
sctypes = _core.sctypes
typecodes = _TYPECODES
sys.modules[__name__].__class__ = _Shim
