"""kiln: kernels in C++ strings as NumPy ufuncs, on NVIDIA, AMD and the CPU."""
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike
from typing_extensions import TypedDict, Unpack

from . import cache as cache
from . import errors as errors
from . import fft as fft
from . import math as math
from . import xp as xp
from ._kiln import Array as Array
from ._kiln import Event as Event
from ._kiln import Function as Function
from ._kiln import Gufunc as Gufunc
from ._kiln import Kernel as Kernel
from ._kiln import Reduction as Reduction
from ._kiln import Stream as Stream
from ._kiln import Transform as Transform
from ._kiln import Ufunc as Ufunc
from ._kiln import from_dlpack as from_dlpack
from .cache import Cache as Cache
from .errors import ArgumentError as ArgumentError
from .errors import AxisError as AxisError
from .errors import CacheError as CacheError
from .errors import CompileError as CompileError
from .errors import DeviceError as DeviceError
from .errors import Error as Error
from .errors import IdentityError as IdentityError
from .errors import IndexError as IndexError
from .errors import InternalError as InternalError
from .errors import IOError as IOError
from .errors import OverflowError as OverflowError
from .errors import RankError as RankError
from .errors import ShapeError as ShapeError
from .errors import SignatureError as SignatureError
from .errors import Stopped as Stopped
from .errors import TypeError as TypeError

__version__: str

_Signatures = str | Sequence[str]
_DeviceLike = str | Device
_Path = str | os.PathLike[str]

class _Debug(TypedDict, total=False):
    on: bool
    nan: bool
    race: bool

class _Options(TypedDict, total=False):
    """What definitions of all kinds have: docs/manifest.md."""
    preamble: str
    functions: str
    headers: Mapping[str, str]
    include_dirs: str | Sequence[str]
    link: str | Sequence[str | Mapping[str, str]]
    defines: str | Sequence[str]
    contract: bool
    fast_math: bool
    same_bits: bool
    time_limit_ms: int
    constant_variants: int
    debug: bool | _Debug

class _UfuncOptions(_Options, total=False):
    identity: str | complex
    reorderable: bool
    widens_integers: bool
    bools_are_numbers: bool

class _GufuncOptions(_Options, total=False):
    each: str
    group: int | Literal["block"]
    shared: str
    sizes: str
    # Of a layout without core dimensions, which is a ufunc.
    identity: str | complex
    reorderable: bool
    widens_integers: bool
    bools_are_numbers: bool

class _ReductionOptions(_Options, total=False):
    identity: str | complex
    reorderable: bool

_Decorated = Callable[..., Any]

@overload
def vectorize(signatures: str, body: None = None, *, name: str | None = None, cache: Cache | None = None,
              **options: Unpack[_UfuncOptions]) -> Any: ...
@overload
def vectorize(signatures: _Signatures, body: str, *, name: str | None = None, cache: Cache | None = None,
              **options: Unpack[_UfuncOptions]) -> Ufunc: ...
@overload
def vectorize(signatures: Sequence[str], body: None = None, *, name: str | None = None, cache: Cache | None = None,
              **options: Unpack[_UfuncOptions]) -> Callable[[_Decorated], Ufunc]: ...
@overload
def guvectorize(signatures: str, layout: None = None, body: None = None, *, name: None = None, cache: Cache | None = None,
                **options: Unpack[_GufuncOptions]) -> Gufunc: ...
@overload
def guvectorize(signatures: _Signatures, layout: str, body: str, *, name: str | None = None, cache: Cache | None = None,
                **options: Unpack[_GufuncOptions]) -> Gufunc: ...
@overload
def guvectorize(signatures: _Signatures, layout: str, body: None = None, *, name: str | None = None, cache: Cache | None = None,
                **options: Unpack[_GufuncOptions]) -> Callable[[_Decorated], Gufunc]: ...
def reduction(signatures: _Signatures, *, reduce: str, accumulator: str | None = None, map: str | None = None, post: str | None = None,
              name: str | None = None, cache: Cache | None = None, **options: Unpack[_ReductionOptions]) -> Reduction: ...
@overload
def kernel(signature: str, body: str, *, name: str | None = None, cache: Cache | None = None, **options: Unpack[_Options]) -> Kernel: ...
@overload
def kernel(signature: str, body: None = None, *, name: str | None = None, cache: Cache | None = None,
           **options: Unpack[_Options]) -> Callable[[_Decorated], Kernel]: ...
def define(definition: str | Mapping[str, Any], *, cache: Cache | None = None) -> Any: ...
def debug(function: Any, *, nan: bool = False, race: bool = False) -> Any: ...
@overload
def fuse(function: Callable[..., Any], *, name: str | None = None) -> Ufunc: ...
@overload
def fuse(function: None = None, *, name: str | None = None) -> Callable[[Callable[..., Any]], Ufunc]: ...

class ElementwiseKernel:
    name: str
    in_params: str
    out_params: str
    operation: str
    @property
    def kernel(self) -> Ufunc: ...
    def __init__(self, in_params: str, out_params: str, operation: str, name: str = "kernel", reduce_dims: bool = True, preamble: str = "",
                 no_return: bool = False, return_tuple: bool = False, doc: str | None = None, loop_prep: str = "", after_loop: str = "",
                 options: Sequence[str] = ()) -> None: ...
    def __call__(self, *args: Any, size: int | None = None, block_size: int | None = None, stream: Stream | None = None) -> Any: ...

class ReductionKernel:
    name: str
    @property
    def kernel(self) -> Reduction: ...
    def __init__(self, in_params: str, out_params: str, map_expr: str, reduce_expr: str, post_map_expr: str, identity: Any,
                 name: str = "reduce_kernel", reduce_type: str | None = None, reduce_dims: bool = True, preamble: str = "",
                 options: Sequence[str] = ()) -> None: ...
    def __call__(self, *args: Any, out: Any = None, axis: int | tuple[int, ...] | None = None, keepdims: bool = False,
                 stream: Stream | None = None) -> Any: ...

class RawKernel:
    name: str
    code: str
    @property
    def kernel(self) -> Kernel: ...
    def __init__(self, code: str, name: str, options: Sequence[str] = (), backend: str = "nvrtc", translate_cucomplex: bool = False, *,
                 enable_cooperative_groups: bool = False, jitify: bool = False) -> None: ...
    def __call__(self, grid: tuple[int, ...], block: tuple[int, ...], args: Sequence[Any], *, shared_mem: int = 0,
                 stream: Stream | None = None) -> None: ...
    def compile(self, log_stream: Any = None) -> None: ...

class RawModule:
    code: str
    def __init__(self, *, code: str | None = None, path: _Path | None = None, options: Sequence[str] = (), backend: str = "nvrtc",
                 translate_cucomplex: bool = False, enable_cooperative_groups: bool = False, name_expressions: Iterable[str] | None = None,
                 jitify: bool = False) -> None: ...
    def get_function(self, name: str) -> RawKernel: ...
    def compile(self, log_stream: Any = None) -> None: ...

class _Chunked:
    def __call__(self, *args: Any, **keywords: Any) -> Any: ...
    def reduce(self, *args: Any, **keywords: Any) -> Any: ...
    def accumulate(self, *args: Any, **keywords: Any) -> Any: ...

def chunked(function: Function, *, chunk_bytes: int | None = None, devices: Sequence[_DeviceLike] | None = None,
            progress: bool | Callable[[int, int, int, int, float], Any] | None = None) -> _Chunked: ...

class Partial:
    begin: int
    end: int
    global_size: int
    function: Function
    def combine(self, next: Partial, /) -> Partial: ...
    def finish(self, *, initial: Any = ..., keepdims: bool = False) -> Any: ...
    def bytes(self) -> bytes: ...

def partial(function: Ufunc | Reduction, *inputs: Any, axis: int | Sequence[int] | None = None, global_offset: int = 0,
            global_size: int | None = None, where: Any = ..., dtype: DTypeLike | None = ..., casting: str = ..., signature: Any = ...,
            stream: Stream | None = ..., device: Any = ..., timeout: float | None = ...) -> Partial: ...

def accumulate_part(function: Ufunc, x: Any, before: Partial | None = None, *, axis: int = 0, global_offset: int = 0,
                    global_size: int | None = None, dtype: DTypeLike | None = ..., stream: Stream | None = ..., device: Any = ...,
                    timeout: float | None = ...) -> Any: ...

class _Inspection:
    plan: dict[str, Any]
    source: str
    assembly: str
    ptx: str
    sass: str
    llvm_ir: str
    resources: dict[str, Any]
    entry: dict[str, Any]
    def text(self, form: Literal["source", "ptx", "sass", "amdgcn", "asm", "llvm-ir", "code"]) -> Any: ...

def inspect(function: Any, *args: Any, **keywords: Any) -> _Inspection: ...

class _Profile:
    report: dict[str, Any] | None
    @property
    def calls(self) -> list[dict[str, Any]]: ...
    def __enter__(self) -> _Profile: ...
    def __exit__(self, *exception: object) -> None: ...

def profile(*, all_threads: bool = False, ranges: bool = False, limit: int | None = None, trace: _Path | None = None) -> _Profile: ...

class Device:
    name: str
    kind: str
    index: int
    target: str
    memory_bytes: int
    info: dict[str, Any]
    def __init__(self, name: str = "best") -> None: ...
    def synchronize(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def devices() -> list[Device]: ...
def compilers() -> list[dict[str, Any]]: ...
def set_device(device: _DeviceLike | None = None) -> None: ...
def synchronize(device: _DeviceLike = "best") -> None: ...
def set_log(callback: Callable[[str], object] | None) -> None: ...
def set_print(callback: Callable[[str], object] | None) -> None: ...
def device_array(shape: int | Sequence[int], dtype: DTypeLike = ..., *, device: _DeviceLike = "best") -> Array: ...
def device_array_like(ary: Any, *, device: _DeviceLike = "best") -> Array: ...
def to_device(obj: Any, stream: Stream | None = None, copy: bool = True, to: Array | None = None, *, device: _DeviceLike = "best") -> Array: ...
def asarray(obj: Any, dtype: DTypeLike | None = None, *, device: _DeviceLike = "best") -> Array: ...
def pinned_array(shape: int | Sequence[int], dtype: DTypeLike = ..., order: Literal["C", "F"] = "C") -> np.ndarray[Any, Any]: ...
def pinned(shape: int | Sequence[int], dtype: DTypeLike = ..., order: Literal["C", "F"] = "C") -> np.ndarray[Any, Any]: ...
def open_npy(path: _Path, mode: Literal["r", "r+", "c"] = "r") -> np.ndarray[Any, Any]: ...
def save_png(path: _Path, array: Any, colormap: str | None = None, *, low: float | None = None, high: float | None = None) -> None: ...

class register:
    array: np.ndarray[Any, Any]
    def __init__(self, array: np.ndarray[Any, Any]) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> np.ndarray[Any, Any]: ...
    def __exit__(self, *exception: object) -> None: ...

def load_ipython_extension(shell: Any) -> None: ...
