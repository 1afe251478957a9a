"""kiln's exceptions. Each is also one of Python's or NumPy's.

Attributes, None where an error has no such value: `position` (bytes into the text), `diagnostics` (a list), `log`, `source`, `target`,
`compiler`, `vendor_code`, `vendor_name`, `option`, `reason` ("axis", "casting", …), `rank`, `code`. `python -m kiln explain CODE`
says what a code means, and how to correct the call.
"""
import builtins

import numpy as np

from . import _kiln

__all__ = ["Error", "SignatureError", "ShapeError", "TypeError", "Stopped", "DeviceError", "CacheError", "IOError", "CompileError",
           "ArgumentError", "InternalError", "RankError", "AxisError", "IdentityError", "IndexError", "OverflowError"]


class Error(Exception):
    """The base of kiln's exceptions."""

    vendor_code = vendor_name = log = source = target = compiler = context = option = reason = code = None
    _position = _diagnostics = _rank = None

    @property
    def position(self):
        return None if self._position is None else int(self._position)

    @position.setter
    def position(self, value):
        self._position = value

    @property
    def rank(self):
        return None if self._rank is None else int(self._rank)

    @rank.setter
    def rank(self, value):
        self._rank = value

    @property
    def diagnostics(self):
        if isinstance(self._diagnostics, str):
            from ._support import diagnostics_in_python
            self._diagnostics = diagnostics_in_python(self._diagnostics)
        return self._diagnostics

    @diagnostics.setter
    def diagnostics(self, value):
        self._diagnostics = value


class SignatureError(Error, ValueError):
    """A signature or a layout that cannot be parsed. The message marks the place in the text."""


class ShapeError(Error, ValueError):
    """Shapes, axes or strides that do not fit."""


class AxisError(ShapeError, getattr(np, "exceptions", np).AxisError):
    """An axis that the array does not have."""


class IndexError(ShapeError, builtins.IndexError):
    """An index that is out of range."""


class TypeError(Error, builtins.TypeError):
    """Dtypes, casts or numbers of operands that do not fit."""


class OverflowError(TypeError, builtins.OverflowError):
    """An integer of Python that does not fit in the dtype of the loop."""


class IdentityError(TypeError, ValueError):
    """A reduction that needs an identity or an initial value, and has none."""


class Stopped(Error, RuntimeError):
    """A call that its timeout or its progress callback ended."""


class DeviceError(Error, RuntimeError):
    """An unknown device, or a failure of the vendor's runtime."""


class CacheError(Error, ValueError):
    """A cache, a manifest or a definition that cannot be used."""


class IOError(Error, OSError):
    """A file that cannot be read or written."""


class CompileError(Error, ValueError):
    """A kernel that does not compile. `diagnostics` has the places in the body."""


class ArgumentError(Error, ValueError):
    """An option that the function does not have, or a value that is none of its own."""


class InternalError(Error, SystemError):
    """A fault of kiln's own."""


class RankError(Error, RuntimeError):
    """A failure of a rank in a collective call, on every rank. `rank` is its number, or None."""


for _status, _class in enumerate([SignatureError, ShapeError, TypeError, Stopped, DeviceError, CacheError, IOError, CompileError,
                                  ArgumentError], start=1):
    _kiln.set_exception(_status, _class)
for _status, _class in enumerate([InternalError, RankError, OverflowError, IndexError, AxisError, IdentityError], start=11):
    _kiln.set_exception(_status, _class)
