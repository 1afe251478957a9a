"""Memory of the host for fast transfers: page-locked arrays, and files that are mapped."""
import os
import weakref

import numpy as np

from . import _kiln

#: The page-locked memory for devices of a kind, as the C interface numbers it.
_LOCKED = {"cuda": 3, "hip": 11}


def _locked_place():
    """Returns the place of page-locked memory for the best device, or None where that is no GPU of a vendor."""
    from ._devices import Device
    kind, _, index = Device("best").name.partition(":")
    return (_LOCKED[kind], int(index or 0)) if kind in _LOCKED else None


def pinned_array(shape, dtype=np.float64, order="C"):
    """Makes an array of NumPy in page-locked memory, which transfers to a GPU are fast from. Its elements are zero.

    Where the best device is no GPU, it is an ordinary array.

    >>> import kiln
    >>> kiln.pinned_array(3)
    array([0., 0., 0.])
    """
    place = _locked_place()
    if place is None:
        return np.zeros(shape, dtype, order)
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', and is {order!r}")
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    made = _kiln.new_array(extents[::-1] if order == "F" else extents, dtype, place)._host_view()
    return made.T if order == "F" else made


pinned = pinned_array


class register:
    """Locks the pages of an array of NumPy while it lives, or in a `with` block. Where the best device is no GPU it does nothing."""

    def __init__(self, array):
        if not isinstance(array, np.ndarray) or not (array.flags.c_contiguous or array.flags.f_contiguous):
            raise TypeError("register: a contiguous array of NumPy is expected")
        self.array = array
        # Bytes: which dtype the elements have does not matter, nor whether it is one of kiln's.
        registration = _kiln.lock_pages(array.reshape(-1, order="A").view(np.uint8))
        self._finalizer = weakref.finalize(self, _kiln.unlock_pages, registration)

    def close(self):
        """Makes the memory pageable again, after the device's work."""
        self._finalizer()

    def __enter__(self):
        return self.array

    def __exit__(self, *exception):
        self.close()


def open_npy(path, mode="r"):
    """Maps a .npy file: an array of NumPy whose elements are read when they are needed. kiln.chunked reads it chunk by chunk.

    Modes: "r", "r+" and "c", as numpy.memmap has them.
    """
    return np.load(path, mmap_mode=mode, allow_pickle=False)


def save_png(path, array, colormap=None, *, low=None, high=None):
    """Writes an array of anybody's as a PNG file, whole or not at all.

    An array of shape (rows, columns) is a picture by the colormap: "gray", "viridis", "magma", "turbo", "twilight" or "coolwarm",
    each with "_r" for its reverse. `low` and `high` are the numbers at its ends; by default the least and the greatest finite
    number. An array of shape (rows, columns, 3) or (rows, columns, 4) has colours: integers from 0 to 255, or floating-point
    numbers from 0 to 1. A NaN is transparent.

    >>> import os, tempfile, kiln, numpy as np
    >>> x = np.linspace(-3, 3, 300)
    >>> waves = kiln.vectorize("float64 waves(float64 x, float64 y) = sin(x * x + y * y)")(x, x[:, None])
    >>> kiln.save_png(os.path.join(tempfile.gettempdir(), "waves.png"), waves, "viridis")
    """
    _kiln.save_png(os.fsencode(path), array, colormap, low, high)
