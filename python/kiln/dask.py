"""For dask: workers that take compiled kernels from the client, so that none of them compiles.

>>> import kiln.dask
>>> f = kiln.vectorize("float64 f(float64 a) = a / 2")
>>> f(3.0)
np.float64(1.5)
>>> plugin = kiln.dask.Kernels()  # the kernels in this machine's cache
>>> # distributed.Client(…).register_plugin(plugin)
"""
import os

from distributed.diagnostics.plugin import WorkerPlugin

from . import _kiln
from .cache import list as list_kernels

__all__ = ["Kernels"]


class Kernels(WorkerPlugin):
    """Puts the kernels of a bundle into the cache of each worker, also of those that start later.

    `bundle` is the path of a file of `kiln.cache.export` or `kiln cache export`, or its bytes. Without one the kernels are those in the
    directory of `cache`, a kiln.Cache, or of the default cache. They travel once to each worker. A worker of another kind of CPU or GPU compiles its own kernels.
    """

    name = "kiln-kernels"
    idempotent = False

    def __init__(self, bundle=None, *, cache=None):
        if bundle is None:
            if not list_kernels(cache)["entries"]:
                raise ValueError("kiln.dask.Kernels: the cache's directory has no kernels: call the functions first, or compile a manifest")
            bundle = _kiln.cache_export(cache)
        elif not isinstance(bundle, bytes):
            with open(os.fspath(bundle), "rb") as file:
                bundle = file.read()
        self._bundle = bundle

    def setup(self, worker):
        """Reads the bundle into the worker's cache."""
        _kiln.cache_import(None, self._bundle)

    def __repr__(self):
        return f"<kiln.dask.Kernels of {len(self._bundle)} bytes>"
