"""For MPI."""
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import Function, Partial
from .cache import Cache

def warm(comm: Any, kernels: Iterable[Function] | Mapping[str, Any] | str | os.PathLike[str], *, targets: Sequence[str] | None = None,
         timeout: float = 600.0, jobs: int | None = None, other_sizes: bool = True, cache: Cache | None = None) -> dict[str, Any]: ...

def allreduce(comm: Any, part: Callable[[], Partial], *, timeout: float = 600.0) -> Partial: ...
