"""For Ray: workers that take compiled kernels from the driver."""
from . import _Path
from .cache import Cache

__all__ = ["Kernels"]

class Kernels:
    def __init__(self, bundle: _Path | bytes | None = None, *, cache: Cache | None = None) -> None: ...
    def __call__(self) -> None: ...
    def __repr__(self) -> str: ...
