"""The methods of kiln.Array that need no speed: NumPy's, CuPy's and Numba's."""
import math
import operator

import numpy as np

from . import _kiln
from ._kiln import Array

_DEVICE_NAMES = {1: "cpu", 2: "cuda", 3: "cpu", 10: "hip", 11: "cpu", 1200: "emulated"}


def _device_name(place):
    kind, index = place
    name = _DEVICE_NAMES.get(kind, f"type {kind}")
    if kind == 1200:
        return f"emulated:sm_{index}"
    return "cpu" if name == "cpu" else f"{name}:{index}"


def _size(self):
    return math.prod(self.shape)


def copy_to_host(self, ary=None, stream=None):
    """Copies to an array of NumPy, to `ary` if it is given. With a stream the copy is queued."""
    if ary is not None:
        _kiln.assign(ary, self, stream)
        return ary
    return self._copy_to(None, stream)._host_view()


def copy_to_device(self, ary, stream=None):
    """Copies the elements of `ary` to this array."""
    _kiln.assign(self, np.asarray(ary) if not hasattr(ary, "__dlpack__") else ary, stream)


def _to(self, device, stream=None):
    """Returns a copy on a device."""
    return self._copy_to(str(device), stream)


def _to_device(self, device, /, *, stream=None):
    """Returns the array itself if it is on the device, else a copy there. The standard's form of `to`."""
    return self if str(device) == _device_name(self._place) else _to(self, device, stream)


def _array(self, dtype=None, copy=None):
    if self._on_host:
        found = self._host_view()
        found = found.copy() if copy else found
    elif copy is False:
        raise ValueError("an array on a device is copied to be one of NumPy")
    else:
        found = self.copy_to_host()
    return found if dtype is None else found.astype(dtype, copy=False)


def _array_ufunc(self, ufunc, method, *inputs, **keywords):
    from . import math as functions
    if isinstance(ufunc, _kiln.Function):
        function = ufunc
    else:
        try:
            function = functions._get(ufunc.__name__)
        except ValueError:
            return NotImplemented
    return getattr(function, method)(*inputs, **keywords)


def _html(self):
    import html
    shape = " × ".join(map(str, self.shape)) or "scalar"
    return (f"<table><tr><th>kiln.Array</th><td>{shape}</td><td>{self.dtype}</td><td>{_device_name(self._place)}</td></tr></table>"
            f"<pre>{html.escape(str(np.asarray(self)))}</pre>")


def _repr(self):
    text = np.array2string(np.asarray(self), separator=", ", prefix="kiln.Array(")
    return f"kiln.Array({text}, dtype={self.dtype}, device='{_device_name(self._place)}')"


def _item(self, *args):
    """Returns one element as a number of Python. Waits for the device."""
    return np.asarray(self).item(*args)


def _tolist(self):
    """Returns the elements as nested lists of Python's numbers."""
    return np.asarray(self).tolist()


def _ravel(self):
    """Returns the elements along one axis, as a view where that is possible."""
    return reshape(self, -1)


def _number(convert):
    def method(self):
        return convert(np.asarray(self))
    return method


def _length(self):
    if not self.ndim:
        raise TypeError("len() of unsized object")
    return self.shape[0]


def _view(self, address, shape, strides):
    return _kiln.view(self, address, self.dtype if self.dtype.type is not np.void else "bfloat16", tuple(shape), tuple(strides), self._place,
                      self.read_only)


def _basic(self, key):
    """Returns the address, the shape and the strides of a basic index."""
    key = key if isinstance(key, tuple) else (key,)
    given = sum(each is not None and each is not Ellipsis for each in key)
    if given > self.ndim:
        raise IndexError(f"too many indices for array: array is {self.ndim}-dimensional, but {given} were indexed")
    if Ellipsis not in [each for each in key if each is Ellipsis]:
        key += (Ellipsis,)
    address, shape, strides, axis = self.ptr, [], [], 0
    for each in key:
        if each is None:
            shape.append(1)
            strides.append(0)
        elif each is Ellipsis:
            for _ in range(self.ndim - given):
                shape.append(self.shape[axis])
                strides.append(self.strides[axis])
                axis += 1
        elif isinstance(each, slice):
            start, stop, step = each.indices(self.shape[axis])
            count = len(range(start, stop, step))
            address += start * self.strides[axis] if count else 0
            shape.append(count)
            strides.append(step * self.strides[axis])
            axis += 1
        else:
            try:
                index = operator.index(each)
            except TypeError:
                raise IndexError("a kiln.Array is indexed by integers, slices, None, ... and arrays of integers or bool") from None
            if not -self.shape[axis] <= index < self.shape[axis]:
                raise IndexError(f"index {index} is out of bounds for axis {axis} with size {self.shape[axis]}")
            address += index % self.shape[axis] * self.strides[axis]
            axis += 1
    return address, shape, strides


def _places(each):
    """Returns an item of an index as an array of indices or a mask, and None for another item."""
    if isinstance(each, (list, tuple)):
        each = np.asarray(each) if len(each) else np.empty(0, np.intp)
    elif isinstance(each, (bool, np.bool_)):
        raise IndexError("a kiln.Array is not indexed by one bool: give a mask with the extents of its first axes")
    elif not isinstance(each, (np.ndarray, Array)):
        if not hasattr(each, "__dlpack__"):
            return None
        each = _kiln.from_dlpack(each)
    if each.dtype.kind not in "bui":
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, and this is {each.dtype}")
    # One integer drops its axis, and the result is a view.
    return None if each.ndim == 0 and each.dtype.kind != "b" else each


def _axes_of(place):
    return place.ndim if place is not None and place.dtype.kind == "b" else 1


class _Places:
    """An index with arrays, by NumPy's rules: a view whose first axes the arrays count along, and where their result belongs."""

    def __init__(self, array, key, places):
        whole = slice(None)
        given = sum(_axes_of(place) for place, item in zip(places, key) if item is not None and item is not Ellipsis)
        if given > array.ndim:
            raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {given} were indexed")
        if not any(item is Ellipsis for item in key):
            key, places = [*key, Ellipsis], [*places, None]
        basic, first, self.arrays, kinds = [], [], [], ""
        axis = 0
        for item, place in zip(key, places):
            if item is Ellipsis:
                basic += [whole] * (array.ndim - given)
                axis += array.ndim - given
                kinds += "-"
            elif item is None or isinstance(item, slice):
                basic.append(item)
                axis += 1
                kinds += "-"
            else:
                if place is None:
                    place = np.asarray(operator.index(item), np.intp)
                count = _axes_of(place)
                self.arrays.append(place)
                basic += [whole] * count
                first += range(axis, axis + count)
                axis += count
                kinds += "x"
        view = _view(array, *_basic(array, tuple(basic)))
        rest = [each for each in range(view.ndim) if each not in first]
        self.view = transpose(view, first + rest)
        self.rest = len(rest)
        # The result of arrays that stand together takes their place, that of others comes first.
        self.before = sum(each < first[0] for each in rest) if "x" in kinds and "-" not in kinds.strip("-") else 0

    def take(self):
        copy = _kiln.take(self.view, tuple(self.arrays))
        if not self.before:
            return copy
        loop = copy.ndim - self.rest
        return transpose(copy, [*range(loop, loop + self.before), *range(loop), *range(loop + self.before, copy.ndim)])

    def put(self, value):
        if self.before and getattr(value, "ndim", 0):
            value = value if isinstance(value, (np.ndarray, Array)) else _kiln.from_dlpack(value)
            loop = max(1 if each.dtype.kind == "b" else each.ndim for each in self.arrays)
            value = value.reshape((1,) * (loop + self.rest - value.ndim) + tuple(value.shape))
            value = value.transpose(*range(self.before, self.before + loop), *range(self.before), *range(self.before + loop, value.ndim))
        _kiln.put(self.view, tuple(self.arrays), value)


def _advanced(self, key):
    """Returns the _Places of an index that has arrays, else None."""
    key = key if isinstance(key, tuple) else (key,)
    if all(each is None or each is Ellipsis or type(each) in (int, slice) for each in key):
        return None
    places = [None if each is None or each is Ellipsis or isinstance(each, slice) else _places(each) for each in key]
    return _Places(self, key, places) if any(each is not None for each in places) else None


def _getitem(self, key):
    places = _advanced(self, key)
    return _view(self, *_basic(self, key)) if places is None else places.take()


def _setitem(self, key, value):
    if isinstance(value, (bool, int, float, complex)):
        # A number of Python takes the array's dtype, and one that does not fit is an OverflowError, as in NumPy.
        value = np.asarray(value, self.dtype) if self.dtype.type is not np.void else value
    elif not hasattr(value, "__dlpack__"):
        value = np.asarray(value)
    places = _advanced(self, key)
    if places is None:
        _kiln.assign(_view(self, *_basic(self, key)), value, None)
    else:
        places.put(value)


def _iterate(self):
    return (self[i] for i in range(len(self)))


def _is_packed(self):
    expected = self.dtype.itemsize
    for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def reshape(self, *shape):
    """Returns the array with another shape: a view if it is packed, else a copy."""
    shape = list(shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)
    if -1 in shape:
        rest = math.prod(each for each in shape if each != -1)
        if not rest or _size(self) % rest:
            raise ValueError(f"cannot reshape array of size {_size(self)} into shape {tuple(shape)}")
        shape[shape.index(-1)] = _size(self) // rest
    if math.prod(shape) != _size(self):
        raise ValueError(f"cannot reshape array of size {_size(self)} into shape {tuple(shape)}")
    source = self if _is_packed(self) else self.copy()
    strides, step = [], self.dtype.itemsize
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return _view(source, source.ptr, shape, strides)


def transpose(self, *axes):
    """Returns a view with its axes reversed, or in the order given."""
    axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes or range(self.ndim)[::-1]
    axes = [axis + self.ndim if axis < 0 else axis for axis in axes]
    if sorted(axes) != list(range(self.ndim)):
        raise ValueError("axes don't match array")
    return _view(self, self.ptr, [self.shape[axis] for axis in axes], [self.strides[axis] for axis in axes])


def astype(self, dtype):
    """Returns a copy in another dtype, on the same device."""
    made = _kiln.new_array(self.shape, dtype, _device_name(self._place))
    _kiln.assign(made, self, None, True)
    return made


def copy(self):
    """Returns a packed copy on the same device."""
    return astype(self, self.dtype)


def _matrix_transpose(self):
    if self.ndim < 2:
        raise ValueError(f"mT: an array of two axes or more is expected, and this has {self.ndim}")
    return transpose(self, *range(self.ndim - 2), self.ndim - 1, self.ndim - 2)


def _array_namespace(self, *, api_version=None):
    from . import xp
    if api_version is not None and not "2021.12" <= api_version <= xp.__array_api_version__:
        raise ValueError(f"kiln.xp follows the array API standard {xp.__array_api_version__}, and {api_version!r} was asked for")
    return xp


def _cuda_array_interface(self):
    if self._place[0] != 2:
        raise AttributeError("the array is not on a CUDA device")
    return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.ptr, self.read_only), "strides": self.strides, "version": 3,
            "stream": 1}


def _reduce_array(array):
    return _rebuild, (np.asarray(array), _device_name(array._place))


def _rebuild(array, device):
    from ._arrays import to_device
    return to_device(array, device=device)


def _operator(name, reflected=False):
    def method(self, other):
        from . import math as functions
        if not isinstance(other, (Array, np.ndarray, np.generic, bool, int, float, complex)) and not hasattr(other, "__dlpack__"):
            return NotImplemented
        function = functions._get(name)
        return function(other, self) if reflected else function(self, other)
    return method


def _unary(name):
    def method(self):
        from . import math as functions
        return functions._get(name)(self)
    return method


def _in_place(name):
    def method(self, other):
        from . import math as functions
        return functions._get(name)(self, other, out=self)
    return method


def _reduction(name, initial_axis=None):
    def method(self, axis=None, dtype=None, out=None, keepdims=False):
        from . import math as functions
        return functions._get(name).reduce(self, axis=axis, dtype=dtype, out=out, keepdims=keepdims)
    method.__doc__ = f"Reduces axes, all by default, by kiln.math.{name}."
    return method


def _statistic(name):
    def method(self, axis=None, *args, **keywords):
        from . import _statistics
        return getattr(_statistics, name)(self, axis, *args, **keywords)
    method.__name__ = name
    method.__doc__ = f"As `{name}` of NumPy's arrays."
    return method


for _python, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
                       "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
                       "lshift": "left_shift", "rshift": "right_shift"}.items():
    setattr(Array, f"__{_python}__", _operator(_name))
    setattr(Array, f"__r{_python}__", _operator(_name, True))
    setattr(Array, f"__i{_python}__", _in_place(_name))
for _python, _name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}.items():
    setattr(Array, f"__{_python}__", _operator(_name))
for _python, _name in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
    setattr(Array, f"__{_python}__", _unary(_name))
for _python, _name in {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "any": "logical_or",
                       "all": "logical_and"}.items():
    setattr(Array, _python, _reduction(_name))
for _name in ("mean", "var", "std", "argmax", "argmin", "cumsum", "cumprod"):
    setattr(Array, _name, _statistic(_name))

Array.__hash__ = None
Array.__array_priority__ = 100
Array.__array_ufunc__ = _array_ufunc
Array.__array__ = _array
Array.__repr__ = _repr
Array.__str__ = lambda self: str(np.asarray(self))
Array._repr_html_ = _html
Array.__len__ = _length
Array.__iter__ = _iterate
Array.__bool__ = _number(bool)
Array.__float__ = _number(float)
Array.__int__ = _number(int)
Array.__complex__ = _number(complex)
Array.__index__ = _number(operator.index)
Array.__getitem__ = _getitem
Array.__setitem__ = _setitem
Array.__reduce__ = _reduce_array
Array.size = property(_size, doc="The number of elements.")
Array.nbytes = property(lambda self: _size(self) * self.dtype.itemsize, doc="The bytes of the elements.")
Array.itemsize = property(lambda self: self.dtype.itemsize, doc="The bytes of an element.")
Array.device = property(lambda self: _device_name(self._place), doc="The device of the memory, \"cuda:0\".")
Array.T = property(transpose, doc="A view with the axes reversed.")
Array.mT = property(_matrix_transpose, doc="A view with the last two axes swapped.")
Array.__array_namespace__ = _array_namespace
Array.to_device = _to_device
Array.__cuda_array_interface__ = property(_cuda_array_interface)
Array.item = _item
Array.tolist = _tolist
Array.ravel = _ravel
for _method in (copy_to_host, copy_to_device, reshape, transpose, astype, copy):
    setattr(Array, _method.__name__, _method)
Array.to = _to
