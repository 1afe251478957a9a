"""A module `cupy` over kiln, as a plugin of pytest: CuPy's kernels by kiln's, CuPy's ufuncs by kiln.math, and arrays of NumPy as CuPy's arrays.

What is of CUDA alone, such as textures, memory pools and NVCC, is not here. `cupy.testing` is CuPy's own.
"""
import inspect
import os
import re
import sys
import types

import numpy

import kiln
import peers
from peers import numpy_shim


class ndarray(numpy.ndarray):
    """CuPy's array: NumPy's, whose operators and functions compute by kiln."""

    _constant = None

    def __new__(cls, shape, dtype=float, memptr=None):
        made = super().__new__(cls, shape, dtype)
        # An array on a __constant__ variable, whose memory is the variable's in CuPy.
        made._constant = memptr
        return made

    def __setitem__(self, index, value):
        super().__setitem__(index, value)
        if self._constant is not None:
            self._constant.set(self.view(numpy.ndarray))

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        function = numpy_shim.replacement(ufunc.__name__) if isinstance(ufunc, numpy.ufunc) else ufunc
        plain = [each.view(numpy.ndarray) if isinstance(each, ndarray) else each for each in inputs]
        if keywords.get("out") is not None:
            keywords["out"] = tuple(each.view(numpy.ndarray) if isinstance(each, ndarray) else each for each in keywords["out"])
        if function is None or any(getattr(each, "dtype", numpy.dtype(int)).kind in "OSUMm" for each in plain):
            function = ufunc
        else:
            peers.touch()
        if isinstance(keywords.get("where"), ndarray):
            keywords["where"] = keywords["where"].view(numpy.ndarray)
        return _wrapped(getattr(function, method)(*plain, **keywords))

    def get(self, stream=None, order="C", out=None):
        return self.view(numpy.ndarray)

    def __dlpack__(self, **keywords):
        peers.touch()
        return kiln.from_dlpack(self.view(numpy.ndarray)).__dlpack__(**keywords)

    @property
    def device(self):
        return _Device(0)

    @property
    def data(self):
        return types.SimpleNamespace(ptr=self.ctypes.data)


def _wrapped(value):
    if isinstance(value, tuple):
        return tuple(map(_wrapped, value))
    return numpy.asarray(value).view(ndarray) if isinstance(value, (numpy.ndarray, numpy.generic)) else value


class _Device:
    compute_capability = "0"

    def __init__(self, device=0):
        self.id = device

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def use(self):
        pass

    def synchronize(self):
        pass


def _kernel(kind):
    """Returns one of kiln's classes in CuPy's notation with arrays of the shim."""
    class Kernel(kind):
        def __call__(self, *args, **keywords):
            peers.touch()
            return _wrapped(super().__call__(*args, **keywords))
    Kernel.__name__ = Kernel.__qualname__ = kind.__name__
    return Kernel


class RawModule(kiln.RawModule):
    def __init__(self, **keywords):
        peers.touch()
        super().__init__(**keywords)

    def get_function(self, name):
        found = super().get_function(name)
        found.__class__ = RawKernel
        return found


class RawKernel(kiln.RawKernel):
    def __init__(self, *args, **keywords):
        peers.touch()
        super().__init__(*args, **keywords)

    def __call__(self, grid, block, args, **keywords):
        super().__call__(grid, block, [each.view(numpy.ndarray) if isinstance(each, ndarray) else each for each in args], **keywords)


def _create_reduction_func(name, ops, routine, identity=None, preamble="", sort_reduce=False):
    """CuPy's internal function, by a ReductionKernel for each loop."""
    kernels = {}
    before, reduce, post = routine[:3]
    for op in ops:
        source, result = op.split("->")
        kernels[numpy.dtype(source)] = ReductionKernel(f"{numpy.dtype(source).name} in0", f"{numpy.dtype(result).name} out0", before, reduce, post,
                                                       "" if identity is None else str(identity), name, preamble=preamble)

    def call(array, axis=None, dtype=None, out=None, keepdims=False):
        array = asarray(array)
        return kernels[array.dtype](array, axis=axis, keepdims=keepdims)
    return call


def _loops(layout, expression, output):
    """Returns a body that runs over the output's dimensions."""
    names = [each.strip().rstrip("?") for each in layout.partition("->")[2].strip().strip("()").split(",")]
    text = f"{output}({', '.join('i_' + each for each in names)}) = {expression.format(index=', '.join('i_' + each for each in names))};"
    for each in reversed(names):
        text = f"for (index i_{each} = 0; i_{each} < {each}; ++i_{each}) {{ {text} }}"
    return text


def _GUFunc(function, signature, **options):
    """CuPy's internal class, whose bodies are Python: those that the tests have, in C++."""
    peers.touch()
    returned = re.search(r"return (.*)", inspect.getsource(function))
    returned = returned.group(1).strip() if returned else ""
    layout = signature
    inputs = re.findall(r"\(([^)]*)\)", layout.partition("->")[0])
    output = layout.partition("->")[2].strip()

    def operand(core, name):
        rank = len([each for each in core.split(",") if each.strip()])
        return f"T{'[' + ','.join([':'] * rank) + ']' if rank else ''} {name}"
    if returned == "x":
        body = _loops(layout, "x({index})", "z")
    elif returned == "x + y":
        body = _loops(layout, "x({index}) + y({index})", "z")
    elif returned.startswith("x.sum("):
        body = "z = 0; for (index k = 0; k < i; ++k) z += x(k);"
    elif "ones(" in returned or not returned:
        body = _loops(layout, "1", "z")
    else:
        raise NotImplementedError(returned)
    if options.get("signatures") is not None:
        raise NotImplementedError("signatures that choose among functions of Python")
    text = ", ".join([*(operand(core, name) for core, name in zip(inputs, "xy")), operand(output.strip("()"), "z")])
    made = kiln.guvectorize([f"void({text}) where T: {_NUMBERS}"], layout, body, name="gufunc")

    def call(*args, **keywords):
        return _wrapped(made(*args, **keywords))
    return call


_NUMBERS = "int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, float32, float64, complex64, complex128"


def asarray(value, *args, **keywords):
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__cupy_get_ndarray__"):
        value = value.__cupy_get_ndarray__()
    return numpy.asarray(value, *args, **keywords).view(ndarray)


_MAKERS = ("array", "asarray", "empty", "zeros", "ones", "full", "arange", "empty_like", "zeros_like", "ones_like", "copy", "nonzero", "linspace",
           "broadcast_to", "concatenate", "ascontiguousarray", "asfortranarray", "eye", "diag")


def asnumpy(value, *args, **keywords):
    return numpy.array(value, copy=False, subok=False) if isinstance(value, ndarray) else numpy.asarray(value)


class _Cupy(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "testing":
            import importlib
            return importlib.import_module("cupy.testing")
        if name in _MAKERS:
            maker = getattr(numpy, name)
            return lambda *args, **keywords: _wrapped(maker(*args, **keywords))
        found = numpy_shim.replacement(name)
        if found is not None:
            peers.touch()
            return _Ufunc(found)
        return getattr(numpy, name)


class _Ufunc:
    """A ufunc of kiln whose results are arrays of the shim."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *args, **keywords):
        return _wrapped(self._function(*args, **keywords))

    def __getattr__(self, name):
        found = getattr(self._function, name)
        return (lambda *args, **keywords: _wrapped(found(*args, **keywords))) if callable(found) else found


class _Anything(types.ModuleType):
    """A module of CUDA: its names exist, and using one raises NotImplementedError."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        class Absent:
            def __init__(self, *_args, **_keywords):
                raise NotImplementedError(f"{self._of}.{name} is CUDA's")
        Absent._of, Absent.__name__ = self.__name__, name
        setattr(self, name, Absent)
        return Absent


def _module(name, kind=types.ModuleType, **members):
    made = sys.modules[name] = kind(name)
    made.__dict__.update(members)
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, made)
    return made


class _Random:
    def __getattr__(self, name):
        maker = getattr(numpy.random, name)

        def make(*args, dtype=None, **keywords):
            value = maker(*args, **keywords)
            return _wrapped(value if dtype is None else numpy.asarray(value, dtype))
        return make


# What kiln raises of a source that does not compile: its compilers, its reader of sources, and its search for headers.
_COMPILE_ERRORS = (kiln.CompileError, kiln.CacheError, kiln.IOError)


def _from_dlpack(value, **keywords):
    """Reads an array by kiln's importer, and gives it to NumPy by kiln's exporter."""
    peers.touch()
    return _wrapped(numpy.from_dlpack(kiln.from_dlpack(value), **keywords))


ElementwiseKernel, ReductionKernel = _kernel(kiln.ElementwiseKernel), _kernel(kiln.ReductionKernel)

cupy = _module("cupy", _Cupy, ndarray=ndarray, ElementwiseKernel=ElementwiseKernel, ReductionKernel=ReductionKernel, RawKernel=RawKernel,
               RawModule=RawModule, asnumpy=asnumpy, asarray=asarray, random=_Random(), from_dlpack=_from_dlpack,
               VisibleDeprecationWarning=numpy.exceptions.VisibleDeprecationWarning)
cupy.__path__ = [os.path.join(os.environ.get("KILN_PEERS_SUPPORT", "."), "cupy")]
_module("cupy.exceptions", AxisError=numpy.exceptions.AxisError, ComplexWarning=numpy.exceptions.ComplexWarning)
_runtime = dict(is_hip=False, getDevice=lambda: 0, runtimeGetVersion=lambda: 12040, driverGetVersion=lambda: 12040)
_cuda = _module("cupy.cuda", _Anything, Device=_Device, get_local_runtime_version=lambda: 12040, get_nvcc_path=lambda: "nvcc-is-not-here")
_cuda.__path__ = []
_module("cupy.cuda.runtime", _Anything, **_runtime)
_module("cupy.cuda.device", _Anything, get_compute_capability=lambda: "0")
_module("cupy.cuda._compiler_cache", _Anything, DiskKernelCacheBackend=type("DiskKernelCacheBackend", (), {"__init__": lambda self, path=None: None}))
_module("cupy.cuda.driver", _Anything, CUDADriverError=kiln.Error, _is_cuda_python=lambda: False, get_build_version=lambda: 12040)
for _name in ("texture", "memory"):
    _module("cupy.cuda." + _name, _Anything)
_module("cupy.cuda.compiler", _Anything, CompileException=_COMPILE_ERRORS, JitifyException=_COMPILE_ERRORS,
        _run_cc=lambda *_, **__: "release 12.4")
_util = _module("cupy._util", _Anything, PerformanceWarning=UserWarning, clear_memo=lambda: None)
_core = _module("cupy._core", _Anything, create_reduction_func=_create_reduction_func, get_reduction_accelerators=list,
                set_reduction_accelerators=lambda _: None, ndarray=ndarray, elementwise_copy=lambda source, target: numpy.copyto(target, source))
_core.__path__ = []
_module("cupy._core._accelerator", _Anything, get_reduction_accelerators=list, set_reduction_accelerators=lambda _: None,
        get_routine_accelerators=list, set_routine_accelerators=lambda _: None)
_module("cupy._core.internal", prod=lambda sequence: int(numpy.prod(list(sequence))))
_module("cupy._core._gufuncs", _Anything, _GUFunc=_GUFunc)
_module("cupy_backends")
_module("cupy_backends.cuda")
_module("cupy_backends.cuda.libs")
_module("cupy_backends.cuda.libs.nvrtc", _Anything)
for _name in ("cupyx", "cupyx.scipy"):
    _module(_name).__path__ = []
_module("cupyx.scipy.sparse", issparse=lambda _: False)
