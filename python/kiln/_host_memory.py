"""Memory of the host for fast transfers: page-locked arrays, and files that are mapped."""
import ctypes
import weakref

import numpy as np


class _Driver:
    """The functions of CUDA's driver for page-locked memory, or None where there is no device."""

    _found = None

    @classmethod
    def get(cls):
        if cls._found is None:
            cls._found = cls._open() or False
        return cls._found or None

    @staticmethod
    def _open():
        import os
        try:
            cuda = ctypes.CDLL(os.environ.get("KILN_CUDA") or "libcuda.so.1")
        except OSError:
            return None
        context = ctypes.c_void_p()
        if cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0):
            return None
        cuda.cuMemHostAlloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
        cuda.cuMemHostRegister_v2.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
        cuda.cuMemFreeHost.argtypes = cuda.cuMemHostUnregister.argtypes = [ctypes.c_void_p]
        cuda.cuCtxPushCurrent_v2.argtypes = [ctypes.c_void_p]
        cuda.context = context
        return cuda


def _with_context(driver, call):
    """Calls a function of the driver in the device's context. Raises MemoryError where it fails."""
    if driver.cuCtxPushCurrent_v2(driver.context):
        raise MemoryError("failed to make CUDA's context current")
    try:
        code = call()
    finally:
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
    if code:
        raise MemoryError(f"the driver cannot lock that many pages: error {code}")


_PORTABLE = 1


def pinned_array(shape, dtype=np.float64, order="C"):
    """Makes an array of NumPy in page-locked memory, which transfers to an NVIDIA GPU are fast from. Its elements are zero.

    Without such a device it is an ordinary array.

    >>> import kiln
    >>> kiln.pinned_array(3)
    array([0., 0., 0.])
    """
    driver = _Driver.get()
    if driver is None:
        return np.zeros(shape, dtype, order)
    dtype = np.dtype(dtype)
    extents = (shape,) if np.isscalar(shape) else tuple(shape)
    count = int(np.prod(extents, dtype=np.int64))
    address = ctypes.c_void_p()
    size = max(count * dtype.itemsize, 1)
    _with_context(driver, lambda: driver.cuMemHostAlloc(ctypes.byref(address), size, _PORTABLE))
    buffer = (ctypes.c_byte * size).from_address(address.value)
    weakref.finalize(buffer, driver.cuMemFreeHost, address.value)
    made = np.frombuffer(buffer, dtype, count).reshape(extents, order=order)
    made[...] = 0
    return made


pinned = pinned_array


class register:
    """Locks the pages of an array of NumPy while it lives, or in a `with` block. Without an NVIDIA GPU it does nothing."""

    def __init__(self, array):
        if not isinstance(array, np.ndarray) or not (array.flags.c_contiguous or array.flags.f_contiguous):
            raise TypeError("register: a contiguous array of NumPy is expected")
        self.array = array
        driver = _Driver.get()
        self._finalizer = None
        if driver is not None and array.nbytes:
            _with_context(driver, lambda: driver.cuMemHostRegister_v2(array.ctypes.data, array.nbytes, _PORTABLE))
            self._finalizer = weakref.finalize(self, driver.cuMemHostUnregister, array.ctypes.data)

    def close(self):
        if self._finalizer is not None:
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
