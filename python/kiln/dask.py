"""For dask: workers that take compiled kernels from the client, so that none of them compiles.

>>> import kiln.dask
>>> f = kiln.vectorize("float64 f(float64 a) = a / 2")
>>> f(3.0)
np.float64(1.5)
>>> plugin = kiln.dask.Kernels()  # the kernels in this machine's cache
>>> # distributed.Client(…).register_plugin(plugin)
"""
from distributed.diagnostics.plugin import WorkerPlugin

from . import _kiln
from .cache import _bundle

__all__ = ["Kernels"]


class Kernels(WorkerPlugin):
    """Puts the kernels of a bundle into the cache of each worker, also of those that start later.

    `bundle` is the path of a file of `kiln.cache.export` or `kiln cache export`, or its bytes. Without one the kernels are those in the
    directory of `cache`, a kiln.Cache, or of the default cache. They travel once to each worker. A worker of another kind of CPU or GPU compiles its own kernels.
    """

    name = "kiln-kernels"
    idempotent = False

    def __init__(self, bundle=None, *, cache=None):
        self._bundle = _bundle(bundle, cache, "kiln.dask.Kernels")

    def setup(self, worker):
        """Reads the bundle into the worker's cache."""
        _kiln.cache_import(None, self._bundle)

    def __repr__(self):
        return f"<kiln.dask.Kernels of {len(self._bundle)} bytes>"
