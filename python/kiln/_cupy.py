"""CuPy's notation: ElementwiseKernel, ReductionKernel, RawKernel and RawModule, with CuPy's arguments."""
import contextlib
import json
import re
import threading

import numpy as np

from . import _kiln, _support
from ._definitions import _define_members, _text
from .errors import ArgumentError, CompileError


def _define(definition):
    return _define_members({name: value for name, value in definition.items() if value not in (None, (), "")})


class _Kernel:
    """A kernel in CuPy's notation over a function of kiln."""

    def __init__(self, function):
        self._function = function
        self.name = function.__name__

    @property
    def kernel(self):
        """The function of kiln."""
        return self._function

    def __repr__(self):
        return f"<kiln.{type(self).__name__} '{self.name}'>"

    def __reduce__(self):
        state = {name: value for name, value in self.__dict__.items() if name not in ("_function", "name")}
        return _restore, (type(self), self._function), state

    def __dask_tokenize__(self):
        return ("kiln", self._function.digest)


def _restore(kind, function):
    made = kind.__new__(kind)
    _Kernel.__init__(made, function)
    return made


class ElementwiseKernel(_Kernel):
    """A kernel for each element.

    >>> import kiln, numpy as np
    >>> squared_diff = kiln.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    >>> squared_diff(np.float32([1, 2]), 3.0)
    array([4., 1.], dtype=float32)
    """

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True, preamble="", no_return=False,
                 return_tuple=False, doc=None, loop_prep="", after_loop="", options=()):
        super().__init__(_define({"kind": "cupy.elementwise", "in_params": in_params, "out_params": out_params, "operation": operation,
                                  "name": name, "preamble": preamble, "loop_prep": loop_prep, "after_loop": after_loop,
                                  "options": list(options)}))
        self.in_params, self.out_params, self.operation = in_params, out_params, operation
        self.return_tuple, self.no_return = return_tuple, no_return
        self._raw_outputs = "raw " in out_params
        parameters = [each.split() for each in in_params.split(",") if each.strip()]
        self._inputs = len(parameters)
        self._fixed = [(i, words[-2]) for i, words in enumerate(parameters) if "raw" not in words and words[-2] in _support.CHARACTERS]
        if doc:
            self.__doc__ = doc

    def __call__(self, *args, size=None, block_size=None, stream=None):
        if block_size is not None and block_size <= 0:
            raise ValueError(f"{self.name}: block_size is 1 or more, and it is {block_size}")
        if len(args) > self._inputs and any(type(args[i]) in (bool, int, float, complex) for i, _ in self._fixed if i < len(args)):
            # A number takes the dtype of its parameter, also where the outputs are the only arrays.
            fixed = dict(self._fixed)
            args = tuple(np.dtype(fixed[i]).type(each) if i in fixed and type(each) in (bool, int, float, complex) else each
                         for i, each in enumerate(args))
        if size is not None and self._raw_outputs and len(args) == self._inputs:
            args += self._new_outputs(args, size)
        keywords = {"size": size, "stream": stream}
        try:
            result = self._function(*args, **{name: value for name, value in keywords.items() if value is not None})
        except TypeError as error:
            # CuPy has a ValueError for a size that is missing or that arrays decide.
            if getattr(error, "option", None) == "size":
                raise ArgumentError(str(error)) from None
            if self._raw_outputs and "is raw; give" in str(error):
                raise ArgumentError(f"{self.name}: the size is undecided, as all outputs are raw: give size=, or the outputs") from None
            raise
        if self.__dict__.get("no_return"):
            return None
        return (result,) if self.__dict__.get("return_tuple") and not isinstance(result, tuple) else result

    def _new_outputs(self, args, size):
        """Makes outputs of `size` elements, as CuPy does where an output is raw. Their types are names, or those of inputs."""
        types = {each.split()[-2]: getattr(value, "dtype", None) for each, value in zip(self.in_params.split(","), args)}
        names = [each.split()[-2] for each in self.out_params.split(",")]
        dtypes = [types.get(name) if len(name) == 1 else np.dtype(name) for name in names]
        if any(each is None for each in dtypes) or not any(isinstance(each, np.ndarray) for each in args):
            return ()
        return tuple(np.zeros(size, dtype) for dtype in dtypes)


class ReductionKernel(_Kernel):
    """A reduction.

    >>> import kiln, numpy as np
    >>> l2norm = kiln.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    >>> l2norm(np.float32([[3, 4], [6, 8]]), axis=1)
    array([ 5., 10.], dtype=float32)
    """

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="reduce_kernel", reduce_type=None,
                 reduce_dims=True, preamble="", options=()):
        super().__init__(_define({"kind": "cupy.reduction", "in_params": in_params, "out_params": out_params, "map_expr": map_expr,
                                  "reduce_expr": reduce_expr, "post_map_expr": post_map_expr,
                                  "identity": None if identity is None else _text(identity), "name": name, "reduce_type": reduce_type,
                                  "preamble": preamble, "options": list(options)}))

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        keywords = {"out": out, "stream": stream}
        return self._function(*args, axis=axis, keepdims=keepdims, **{name: value for name, value in keywords.items() if value is not None})


class RawKernel(_Kernel):
    """A kernel of a source in CUDA's language.

    >>> import kiln, numpy as np
    >>> add = kiln.RawKernel('''
    ... extern "C" __global__ void add(const float* a, const float* b, float* c) {
    ...   int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...   c[i] = a[i] + b[i];
    ... }''', "add")
    >>> a, c = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    >>> add((1,), (4,), (a, a, c))
    >>> c
    array([0., 2., 4., 6.], dtype=float32)
    """

    def __init__(self, code, name, options=(), backend="nvrtc", translate_cucomplex=False, *, enable_cooperative_groups=False, jitify=False):
        super().__init__(_define({"kind": "cupy.raw", "code": code, "name": name, "options": list(options)}))
        self.code, self.options, self.backend = code, tuple(options), backend

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        if not isinstance(args, (tuple, list)):
            raise TypeError(f"{self.name}: args is a tuple of the kernel's arguments, and this is {type(args).__name__}")
        keywords = {} if stream is None else {"stream": stream}
        self._function(*args, grid=grid, block=block, shared_mem=shared_mem, **keywords)

    def compile(self, log_stream=None):
        """Compiles the kernel for this machine, and writes the compiler's warnings to `log_stream`."""
        self._function.compile()
        if log_stream is not None:
            for each in self._function.warnings:
                log_stream.write(_shown(each) + "\n")


def _shown(diagnostic):
    """A diagnostic as compilers write it: "add.functions:3:7: warning: …"."""
    place = ":".join(str(diagnostic[each]) for each in ("file", "line", "column") if diagnostic.get(each))
    return f"{place + ': ' if place else ''}{diagnostic.get('severity', 'warning')}: {diagnostic['text']}"


class Constant:
    """A `__constant__` variable of a RawModule, whose values the host gives. All kernels of the module see them."""

    def __init__(self, module, name):
        self._module, self.name = module, name

    def __repr__(self):
        return f"<kiln constant '{self.name}'>"

    def set(self, values):
        """Gives the variable the elements of an array, in C order; the rest of it keeps what it had. Launches from now on see them."""
        self._module._set_constant(self.name, values)


class RawModule:
    """A source in CUDA's language with several kernels."""

    def __init__(self, *, code=None, path=None, options=(), backend="nvrtc", translate_cucomplex=False, enable_cooperative_groups=False,
                 name_expressions=None, jitify=False):
        if (code is None) == (path is None):
            raise TypeError("RawModule: exactly one of `code` and `path` is given")
        if code is None:
            with open(path, encoding="utf-8") as file:
                code = file.read()
        self.code, self.options = code, tuple(options)
        self.name_expressions = tuple(name_expressions or ())
        self._kernels, self._constants = {}, {}
        self._lock = threading.Lock()

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_kernels", "_lock")}

    def __setstate__(self, state):
        self.__dict__.update(state, _kernels={}, _lock=threading.Lock())

    def get_function(self, name):
        """Returns the RawKernel of a name, or of one of `name_expressions`. Compiles it, as CuPy does, if its declaration tells all types."""
        with self._lock:
            found = self._kernels.get(name)
            if found is None:
                found = RawKernel(self.code, name, self.options)
                for constant, values in self._constants.items():
                    found.kernel._set_constant(constant, values)
                with contextlib.suppress(TypeError):
                    found.compile()
                self._kernels[name] = found
            return found

    def get_global(self, name):
        """Returns a `__constant__` variable, whose `set(array)` gives it its values. CuPy gives a pointer to the variable.

        >>> import kiln, numpy as np
        >>> module = kiln.RawModule(code='''
        ... __constant__ float weights[4];
        ... extern "C" __global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; }''')
        >>> module.get_global("weights").set(np.array([1, 2, 3, 4], np.float32))
        >>> x = np.ones(4, np.float32)
        >>> module.get_function("weigh")((1,), (4,), (x,))
        >>> x
        array([1., 2., 3., 4.], dtype=float32)
        """
        if not re.search(rf"\b{re.escape(name.rpartition('::')[2])}\b", self.code):
            raise TypeError(f"RawModule: the code has no variable {name!r}")
        return Constant(self, name)

    def _set_constant(self, name, values):
        values = np.array(values.to("cpu") if hasattr(values, "to") else values)
        with self._lock:
            for each in self._kernels.values():
                each.kernel._set_constant(name, values)
            self._constants[name] = values

    def compile(self, log_stream=None):
        """Compiles the kernels that are no templates and those of `name_expressions`, and writes the compiler's warnings to `log_stream`."""
        for name in self.name_expressions or self._names():
            self.get_function(name).compile(log_stream)

    def _names(self):
        """Returns the names of the kernels, which it compiles."""
        definition = {"kind": "cupy.raw", "code": self.code, "options": list(self.options)}
        request = {"command": "compile", "targets": ["native"], "manifest": {"kiln_manifest": 2, "kernels": [definition]}}
        names = []
        for each in json.loads(_kiln.command(json.dumps(request), None))["kernels"]:
            if each["state"] == "failed":
                raise CompileError(each["error"])
            names.append(each["kernel"])
        return names
