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

__all__ = ["Kernels", "reduce"]


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


def reduce(function, *arrays, axis=None, dtype=None, keepdims=False, initial=None):
    """Reduces dask arrays by a ufunc or a kiln.Reduction of one output along one axis, by default axis 0. Lazy.

    The bits do not depend on the chunks: blocks become accumulators (kiln.partial), which a tree combines. The arrays have the same
    shape and chunks.

    >>> import dask.array as da, kiln.dask, numpy as np
    >>> x = da.from_array(np.float32([0.1, 1e8, 3, -1e8, 0.2]), chunks=2)
    >>> kiln.dask.reduce(kiln.math.add, x).compute() == kiln.dask.reduce(kiln.math.add, x.rechunk(3)).compute()
    np.True_
    """
    import itertools

    import dask
    import dask.array as da
    import numpy as np
    first = arrays[0]
    if any(each.chunks != first.chunks for each in arrays):
        raise ValueError("kiln.dask.reduce: the arrays have different shapes or chunks; call dask.array.broadcast_arrays and rechunk first")
    axis = 0 if axis is None else axis
    if not -first.ndim <= axis < first.ndim:
        raise ValueError(f"kiln.dask.reduce: axis {axis} does not exist in an array of {first.ndim} axes")
    axis %= first.ndim
    blocks = [each.to_delayed() for each in arrays]
    sizes = first.chunks[axis]
    offsets = list(itertools.accumulate(sizes, initial=0))
    options = {} if dtype is None else {"dtype": dtype}
    ending = {"keepdims": keepdims} | ({} if initial is None else {"initial": initial})
    part = dask.delayed(_part, pure=True)
    join = dask.delayed(_kiln.Partial.combine, pure=True)
    finish = dask.delayed(_finish, pure=True)
    empty = [np.zeros((1,) * first.ndim, each.dtype) for each in arrays]
    result_dtype = np.asarray(_finish(_part(function, 0, 1, axis, options, *empty), ending)).dtype
    results = np.empty([1 if d == axis else len(chunks) for d, chunks in enumerate(first.chunks)], object)
    for place in np.ndindex(results.shape):
        parts = [part(function, offsets[k], offsets[-1], axis, options, *(each[place[:axis] + (k,) + place[axis + 1:]] for each in blocks))
                 for k in range(len(sizes))]
        while len(parts) > 1:
            parts = [join(*parts[k:k + 2]) if k + 1 < len(parts) else parts[k] for k in range(0, len(parts), 2)]
        shape = [1 if d == axis else first.chunks[d][k] for d, k in enumerate(place)]
        if not keepdims:
            del shape[axis]
        results[place] = da.from_delayed(finish(parts[0], ending), shape, result_dtype)
    if not keepdims:
        results = results.reshape(results.shape[:axis] + results.shape[axis + 1:])
    return da.block(results.tolist())


def _part(function, offset, size, axis, options, *blocks):
    from ._partial import partial
    return partial(function, *blocks, axis=axis, global_offset=offset, global_size=size, **options)


def _finish(part, options):
    return part.finish(**options)
