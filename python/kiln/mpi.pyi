"""For MPI."""
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import Function, Partial, Stream, Ufunc
from .cache import Cache

def warm(comm: Any, kernels: Iterable[Function] | Mapping[str, Any] | str | os.PathLike[str], *, targets: Sequence[str] | None = None,
         timeout: float = 600.0, jobs: int | None = None, other_sizes: bool = True, cache: Cache | None = None) -> dict[str, Any]: ...

def allreduce(comm: Any, part: Callable[[], Partial], *, timeout: float = 600.0) -> Partial: ...

def reduce(comm: Any, part: Callable[[], Partial], *, root: int = 0, timeout: float = 600.0) -> Partial | None: ...

def accumulate(comm: Any, function: Ufunc, x: Any, *, axis: int = 0, global_offset: int = 0, global_size: int | None = None, timeout: float = 600.0,
               dtype: Any = None, stream: Stream | None = None, device: Any = None) -> Any: ...
