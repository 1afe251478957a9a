"""For dask: workers that take compiled kernels from the client."""
from typing import Any

from . import _Path
from .cache import Cache

__all__ = ["Kernels"]

class Kernels:
    name: str
    idempotent: bool
    def __init__(self, bundle: _Path | bytes | None = None, *, cache: Cache | None = None) -> None: ...
    def setup(self, worker: Any) -> None: ...
    def __repr__(self) -> str: ...

def reduce(function: Any, *arrays: Any, axis: int | None = None, dtype: Any = None, keepdims: bool = False, initial: Any = ...) -> Any: ...
