"""Making arrays on devices, by Numba's and CuPy's names."""
import numpy as np

from . import _kiln


def _shape(shape):
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def device_array(shape, dtype=np.float64, *, device="best"):
    """Makes an array of zeros on a device.

    >>> import kiln
    >>> kiln.device_array((2, 3), "float32", device="cpu").shape
    (2, 3)
    """
    return _kiln.new_array(_shape(shape), dtype, str(device))


def device_array_like(ary, *, device="best"):
    """Makes an array of zeros of the shape and the dtype of another."""
    return device_array(ary.shape, ary.dtype, device=device)


def to_device(obj, stream=None, copy=True, to=None, *, device="best"):
    """Copies an array to a device, to the array `to` if it is given.

    >>> import kiln, numpy as np
    >>> x = kiln.to_device(np.arange(3.0), device="cpu")
    >>> (x + 1).copy_to_host()
    array([1., 2., 3.])
    """
    source = obj if isinstance(obj, _kiln.Array) or hasattr(obj, "__dlpack__") else np.asarray(obj)
    if to is None:
        if isinstance(source, _kiln.Array):
            return source.to(device, stream)
        to = _kiln.new_array(source.shape, source.dtype, str(device))
    _kiln.assign(to, source, stream)
    return to


def asarray(obj, dtype=None, *, device="best"):
    """Returns a kiln.Array of an object, without a copy where it shares memory on the device."""
    if isinstance(obj, _kiln.Array):
        return obj if dtype is None else obj.astype(dtype)
    if hasattr(obj, "__dlpack__") and not isinstance(obj, np.ndarray):
        made = _kiln.from_dlpack(obj)
        return made if dtype is None else made.astype(dtype)
    return to_device(np.asarray(obj, dtype), device=device)
