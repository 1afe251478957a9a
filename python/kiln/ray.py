"""For Ray: workers that take compiled kernels from the driver, so that none of them compiles.

>>> import kiln.ray
>>> f = kiln.vectorize("float64 f(float64 a) = a / 2")
>>> f(3.0)
np.float64(1.5)
>>> hook = kiln.ray.Kernels()  # the kernels in this machine's cache
>>> # ray.init(runtime_env={"worker_process_setup_hook": hook})
"""
from . import _kiln
from .cache import _bundle

__all__ = ["Kernels"]


class Kernels:
    """Puts the kernels of a bundle into the cache of each worker when it starts: Ray calls it as its `worker_process_setup_hook`.

    `bundle` is the path of a file of `kiln.cache.export` or `kiln cache export`, or its bytes. Without one the kernels are those in the
    directory of `cache`, a kiln.Cache, or of the default cache. A worker of another kind of CPU or GPU compiles its own kernels.
    """

    # Ray names what it sends.
    __name__ = "kiln.ray.Kernels"

    def __init__(self, bundle=None, *, cache=None):
        self._bundle = _bundle(bundle, cache, "kiln.ray.Kernels")

    def __call__(self):
        """Reads the bundle into the worker's cache."""
        _kiln.cache_import(None, self._bundle)

    def __repr__(self):
        return f"<kiln.ray.Kernels of {len(self._bundle)} bytes>"
