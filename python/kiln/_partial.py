"""Reductions in parts."""
from . import _kiln

__all__ = ["Partial", "accumulate_part", "partial"]

Partial = _kiln.Partial


def partial(function, *inputs, axis=None, global_offset=0, global_size=None, **options):
    """Returns the accumulators of a part of an array, a kiln.Partial.

    The array is cut along the first of the reduced axes. `global_offset` is the index of its first element along it, and
    `global_size` the extent of the whole array. By default this part is the last. `axis` is a number or a tuple; None: axis 0 of a
    ufunc, all axes of a kiln.Reduction. Options are `where`, `dtype`, `casting`, `signature`, `stream`, `device` and `timeout`.

    The results have the same bits for any cuts, and any number of parts, threads and devices.

    >>> import kiln, numpy as np
    >>> x = np.float32([0.1, 1e8, 3, -1e8, 0.2])
    >>> a = kiln.partial(kiln.math.add, x[:2], global_size=5)
    >>> b = kiln.partial(kiln.math.add, x[2:], global_offset=2)
    >>> a.combine(b).finish() == kiln.partial(kiln.math.add, x).finish()
    np.True_
    """
    if axis is not None:
        options["axis"] = axis
    return _kiln.partial(function, inputs, global_offset, global_size, **options)


def accumulate_part(function, x, before=None, *, axis=0, global_offset=0, global_size=None, **options):
    """Returns the running results of a part of an array, which go on from all elements before it.

    `before` is the kiln.Partial of the elements from 0 to `global_offset`; a part that begins at 0 needs none. Options are `dtype`,
    `stream`, `device` and `timeout`. The results have the same bits for any cuts, and any number of parts, threads and devices.

    >>> import kiln, numpy as np
    >>> x = np.float32([0.1, 1e8, 3, -1e8, 0.2])
    >>> before = kiln.partial(kiln.math.add, x[:2], global_size=5)
    >>> (kiln.accumulate_part(kiln.math.add, x[2:], before, global_offset=2) == kiln.accumulate_part(kiln.math.add, x)[2:]).all()
    np.True_
    """
    return _kiln.partial_accumulate(function, x, before, global_offset, global_size, axis=axis, **options)
