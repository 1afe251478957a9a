"""kiln: kernels in C++ strings as NumPy ufuncs, on NVIDIA, AMD and the CPU.

>>> import kiln, numpy as np
>>> disc = kiln.vectorize("float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)")
>>> disc(1, np.float32([3, 5]), 2)
array([1.       , 4.1231055], dtype=float32)
"""
def _name_packages():
    """Tells libkiln which folders of packages may have NVIDIA's and AMD's compilers, before it first looks for them."""
    import os
    import sys
    if "KILN_PYTHON_PACKAGES" not in os.environ:
        found = [folder for folder in map(os.path.abspath, filter(None, sys.path))
                 if any(os.path.isdir(os.path.join(folder, package)) for package in ("nvidia", "_rocm_sdk_core"))]
        if found:
            os.environ["KILN_PYTHON_PACKAGES"] = os.pathsep.join(found)


_name_packages()

from . import _kiln  # noqa: E402
from . import _support  # noqa: F401
from .errors import (ArgumentError, AxisError, CacheError, CompileError, DeviceError, Error, IdentityError, IndexError,  # noqa: A004,F401
                     InternalError, IOError, OverflowError, RankError, ShapeError, SignatureError, Stopped, TypeError)
from ._kiln import Array, Event, Function, Gufunc, Kernel, Reduction, Stream, Transform, Ufunc, from_dlpack
from ._definitions import define, guvectorize, kernel, reduction, vectorize

_version = _kiln.version()
__version__ = f"{_version // 1000000}.{_version // 1000 % 1000}.{_version % 1000}"

# Modules and names that a program may not need are imported when they are asked for.
_LAZY = {
    "math": None, "fft": None, "xp": None, "cache": None, "errors": None,
    "fuse": "_fuse",
    "ElementwiseKernel": "_cupy", "ReductionKernel": "_cupy", "RawKernel": "_cupy", "RawModule": "_cupy",
    "chunked": "_chunked",
    "accumulate_part": "_partial", "partial": "_partial", "Partial": "_partial",
    "inspect": "_inspect", "profile": "_profile", "debug": "_definitions",
    "device_array": "_arrays", "device_array_like": "_arrays", "to_device": "_arrays", "asarray": "_arrays", "pinned": "_host_memory",
    "pinned_array": "_host_memory", "register": "_host_memory", "open_npy": "_host_memory", "save_png": "_host_memory",
    "Device": "_devices", "devices": "_devices", "compilers": "_devices", "set_device": "_devices", "synchronize": "_devices",
    "set_log": "_devices", "set_print": "_devices",
    "Cache": "cache", "load_ipython_extension": "_ipython",
}

# Classes with the names of Python's own are left out: `from kiln import *` keeps those.
__all__ = ["Array", "ArgumentError", "AxisError", "CacheError", "CompileError", "DeviceError", "Error", "Event", "Function", "Gufunc",
           "InternalError", "Kernel", "RankError", "Reduction", "ShapeError", "SignatureError", "Stopped", "Stream", "Transform", "Ufunc",
           "define", "from_dlpack", "guvectorize", "kernel", "reduction", "vectorize", *_LAZY]


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module 'kiln' has no attribute '{name}'")
    import importlib
    module = importlib.import_module("." + (_LAZY[name] or name), __name__)
    value = getattr(module, name) if _LAZY[name] else module
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_LAZY))


from . import _array_methods  # noqa: E402,F401
