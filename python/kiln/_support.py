"""What the extension leaves to Python: the rare ways of calls. The extension finds each function here by its name."""
import itertools
import operator
import re
import sys

import numpy as np

from . import _kiln

CHARACTERS = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "l", "uint64": "L",
              "float16": "e", "bfloat16": "E", "float32": "f", "float64": "d", "complex64": "F", "complex128": "D"}


def unknown_keyword(function, name, known):
    """Returns the message for a keyword that a function does not have."""
    import difflib
    message = f"{function}() got an unexpected keyword argument '{name}'"
    close = difflib.get_close_matches(name, known, 1, 0.5)
    return message + (f": did you mean '{close[0]}'?" if close else "; it has " + ", ".join(sorted(known)))


def bfloat16():
    """Returns the dtype that ml_dtypes adds to NumPy."""
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError("NumPy has bfloat16 by ml_dtypes: pip install ml_dtypes") from None
    return np.dtype(ml_dtypes.bfloat16)


# The module json is imported when it is first needed.

def read_json(text):
    import json
    return json.loads(text)


def write_json(value):
    import json
    return json.dumps(value)


# --- Messages

#: Options of C++ that are keywords of another name here.
_KEYWORDS = {"shared_bytes": "shared_mem"}
_FUNCTIONS = {"kiln::all_axes": "None", "kiln::cupy::raw_kernel": "kiln.RawKernel", "kiln::set_memory_limit": "set_memory_limit"}


def in_python(message, places):
    """Returns a message of kiln's with its options as keywords: ".out" is "out=". `places` is the error's `options`, as JSON."""
    return _reworded(message, read_json(places))


def diagnostics_in_python(text):
    """Returns diagnostics, which are given as JSON, with their options as keywords."""
    return [{name: _reworded(value, each.get("options", ())) if name == "text" else value for name, value in each.items() if name != "options"}
            for each in read_json(text)]


def _reworded(message, places):
    text = message.encode()
    for place in reversed(places):
        begin, end, name, value = place["begin"], place["end"], place["name"], place.get("value")
        if name in ("Casting", "DType"):
            word = repr(value)
        elif name.startswith("kiln::"):
            word = _FUNCTIONS.get(name, name.replace("::", "."))
        else:
            parts = [part for part in name.split(".") if part not in ("compile", "on")]
            word = _KEYWORDS.get(parts[0], parts[0]) if parts else "the definition"
            if value is not None:
                word += "=True" if value == "true" else f"={value!r}"
            elif parts and not text[:begin].endswith(b"its "):
                word += "="
        text = text[:begin] + word.encode() + text[end:]
    return text.decode(errors="replace")


# --- Signatures

def _variables(signature):
    """Splits "T(T a, T b) where T: float32, float64" at `where`; returns the part before, and the dtypes of each variable."""
    head, _, tail = signature.partition(" where ")
    variables = {}
    for part in tail.split(","):
        name, colon, dtype = part.partition(":")
        if colon:
            current = variables.setdefault(name.strip(), [])
            current.append(dtype.strip())
        elif part.strip():
            current.append(part.strip())
    return head, variables


def _words(operands):
    """Returns the types of "raw float32 a, T b"."""
    for operand in operands.split(","):
        words = [word for word in operand.split() if word not in ("raw", "inout", "constant")]
        if words:
            yield words[0]


def _split(head):
    """Returns the outputs and the inputs of "(T q, T r)(T a)" or "T(T a)"."""
    head = head.strip()
    if head.startswith("("):
        close = head.index(")")
        outputs, rest = head[1:close], head[close + 1:]
    else:
        outputs, _, rest = head.partition("(")
        rest = "(" + rest
    return list(_words(outputs)), list(_words(rest.strip()[1:-1]))


def loops_of(function):
    """Returns the loops that signatures fix: ["float32, float32 -> float32"]."""
    name = function.__dict__.get("_math")
    if name is not None:
        if isinstance(function, _kiln.Transform):
            return []
        reply = read_json(_kiln.command(write_json({"command": "functions", "names": [name]})))
        return reply["functions"][0]["loops"]
    found = []
    definition = read_json(function.definition)
    for signature in definition.get("signatures", [definition["signature"]] if "signature" in definition else []):
        head, variables = _variables(re.sub(r"\[[^]]*\]", "", signature).replace("\n", " "))
        outputs, inputs = _split(head)
        if outputs == ["void"]:
            inputs, outputs = inputs[:function.nin], inputs[function.nin:]
        for dtypes in itertools.product(*variables.values()):
            chosen = dict(zip(variables, dtypes))
            loop = [[chosen.get(each, each) for each in side] for side in (inputs, outputs)]
            if all(each in CHARACTERS for side in loop for each in side):
                found.append(" -> ".join(", ".join(side) for side in loop))
    return list(dict.fromkeys(found))


def types_of(function):
    return ["->".join("".join(CHARACTERS[dtype] for dtype in side.split(", ") if dtype) for side in loop.split(" -> "))
            for loop in loops_of(function)]


def count_types(function):
    return len(loops_of(function))


def identity_of(function):
    text = function._identity_text
    try:
        return {"": None, "true": True, "false": False}[text]
    except KeyError:
        pass
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        return float(text.rstrip("fF"))
    except ValueError:
        return {"-INFINITY": -np.inf, "INFINITY": np.inf}.get(text, text)


def warnings_of(function):
    return diagnostics_in_python(function._warnings_text)


def _dtype_name(object):
    if object is None:
        return None
    if isinstance(object, str) and object in CHARACTERS:
        return object
    try:
        name = np.dtype(object).name
    except TypeError as error:
        raise ValueError(f"signature: {error}") from None
    if name not in CHARACTERS:
        raise TypeError(f"signature: kiln has no dtype {name}")
    return name


def signature_text(function, signature):
    """Turns NumPy's forms of `signature` ('ff->f', (float, float, float), 'd') into kiln's, or into a dtype of the outputs."""
    if isinstance(signature, bytes):
        signature = signature.decode()
    if isinstance(signature, str) and "->" in signature:
        left, right = signature.split("->")
        sides = [[part.strip() for part in side.split(",")] if "," in side or side.strip() in CHARACTERS else list(side.strip())
                 for side in (left, right)]
        names = [[None if each in ("", "*") else _dtype_name(each) for each in side] for side in sides]
    elif isinstance(signature, tuple):
        if len(signature) == 1 and function.nargs != 1:
            raise TypeError("The use of a length 1 tuple for the ufunc `signature` is deprecated. Use `dtype` or fill the tuple with `None`s.")
        if len(signature) != function.nargs:
            raise ValueError("a type-tuple must be specified of length 1 or the number of operands: "
                             f"{function.__name__} has {function.nargs}, and {len(signature)} were given")
        flat = [_dtype_name(each) for each in signature]
        names = [flat[:function.nin], flat[function.nin:]]
    elif isinstance(signature, str):
        raise (TypeError if len(signature) == 1 else ValueError)(
            f"signature {signature!r} has no arrow: a string such as 'dd->d' has all operands, and `dtype` is that of the outputs")
    else:
        raise TypeError("the signature object to ufunc must be a string or a tuple.")
    if len(names[0]) != function.nin or len(names[1]) != function.nout:
        raise TypeError(f"{function.__name__}: signature {signature!r} has {len(names[0])} inputs and {len(names[1])} outputs, "
                        f"and the ufunc has {function.nin} and {function.nout}")
    if set(names[0] + names[1]) == {None}:
        return None
    if None not in names[0] + names[1]:
        return " -> ".join(", ".join(side) for side in names)
    for loop in loops_of(function):
        candidate = [side.split(", ") for side in loop.split(" -> ")]
        if all(want in (None, have) for wanted, had in zip(names, candidate) for want, have in zip(wanted, had)):
            return loop
    raise TypeError(f"No loop matching the specified signature {signature!r} was found for ufunc {function.__name__}")


def flat_axes(function, axes):
    """Returns the axes of all operands in one list, and how many each has."""
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if not axes:
        raise ValueError(f"axes should be a list with an entry for all {function.nargs} inputs and outputs; entries for outputs can only be "
                         "omitted if none of them has core axes.")
    flat, counts = [], []
    for entry in axes:
        entry = entry if isinstance(entry, tuple) else (entry,)
        flat.extend(operator.index(axis) for axis in entry)
        counts.append(len(entry))
    return flat, counts


def check_keepdims(function, keepdims):
    """Refuses `keepdims` of a generalized ufunc where NumPy does."""
    if not isinstance(keepdims, (bool, np.bool_)):
        raise TypeError("'keepdims' must be a boolean")
    cores = [[name for name in core.split(",") if name.strip()] for core in re.findall(r"\(([^)]*)\)", function.signature)]
    if len({len(core) for core in cores[:function.nin]}) > 1 or any(cores[function.nin:]):
        raise TypeError(f"{function.__name__} does not support keepdims: its signature {function.signature} requires inputs to have the same "
                        "number of core dimensions, and outputs to have none")


def resolve_dtypes(function, dtypes, *, signature=None, casting=None, reduction=False):
    """Returns the dtypes of all operands of a call, as numpy.ufunc.resolve_dtypes does.

    >>> import kiln, numpy as np
    >>> kiln.math.add.resolve_dtypes((np.dtype("i4"), np.dtype("f4"), None))
    (dtype('float64'), dtype('float64'), dtype('float64'))
    """
    if not isinstance(dtypes, tuple) or len(dtypes) != function.nargs:
        raise TypeError(f"resolve_dtypes: a tuple of {function.nargs} dtypes is expected, with None for outputs")
    if reduction:
        if dtypes[0] is not None or dtypes[2] is not None:
            raise TypeError("resolve_dtypes: a reduction has the dtype of its array alone: (None, dtype, None)")
        result = function.reduce(_sample(dtypes[1])).dtype
        return (result,) * 3
    keywords = {name: value for name, value in (("signature", signature), ("casting", casting)) if value is not None}
    out = tuple(None if each is None else _sample(each) for each in dtypes[function.nin:])
    plan = function.resolve(*map(_sample, dtypes[:function.nin]), **keywords, **({"out": out} if any(each is not None for each in out) else {}))
    return tuple(_numpy_dtype(name) for name in plan["dtypes"])


def _sample(dtype):
    if not isinstance(dtype, np.dtype):
        if dtype in (int, float, complex):
            return dtype(1)
        raise TypeError(f"resolve_dtypes: dtypes are instances of numpy.dtype, or int, float and complex: {dtype!r}")
    return np.ones(1, dtype)


def _numpy_dtype(name):
    return bfloat16() if name == "bfloat16" else np.dtype(name)


# --- Arrays of others

def from_cuda_array_interface(owner, interface):
    """Makes a kiln.Array on the memory that a `__cuda_array_interface__` describes, after the work of its stream."""
    if not isinstance(interface, dict):
        raise TypeError(f"__cuda_array_interface__ of {type(owner).__name__} is no dict")
    if interface.get("mask") is not None:
        raise TypeError("__cuda_array_interface__: masked arrays are not supported")
    address, read_only = interface["data"]
    stream = interface.get("stream")
    if stream is not None:
        _kiln.Stream("cuda", native=stream).synchronize()
    return _kiln.view(owner, address, np.dtype(interface["typestr"]), tuple(interface["shape"]), interface.get("strides"), (2, 0), read_only)


def to_kind_of(like, array):
    """Returns a kiln.Array as an array of the library of `like`."""
    kind = type(like)
    if kind is _kiln.Array:
        return array
    namespace = getattr(like, "__array_namespace__", None)
    if namespace is not None:
        module = namespace()
    else:
        module = sys.modules.get(kind.__module__.partition(".")[0])
    if kind.__module__.startswith("jax"):
        module = sys.modules["jax"].dlpack
    convert = getattr(module, "from_dlpack", None)
    return array if convert is None else convert(array)


def wrap_result(owner, array, function, inputs, output):
    """Calls `__array_wrap__` as NumPy does: without a context for methods, where `function` is None."""
    context = None if function is None else (function, inputs, output)
    return _wrap(owner, array, context, array.ndim == 0)


def wrap_output(array, function, operands, output):
    """Calls `__array_wrap__` of an output that was given."""
    return _wrap(array, array, (function, operands, output), False)


def _wrap(owner, array, context, scalar):
    wrap = owner.__array_wrap__
    try:
        return wrap(array, context, scalar)
    except TypeError:
        return wrap(array, context)


def declined(function, method, inputs, keywords):
    """Does a call that all classes declined. dask declines functions of several outputs that are not its own."""
    if method == "__call__" and function.nout > 1:
        for each in inputs:
            if type(each).__module__.startswith("dask.array"):
                return _apply_dask(function, inputs, keywords)
    outputs = keywords.get("out") or ()
    kinds = ", ".join(repr(type(each).__name__) for each in (*inputs, *(outputs if isinstance(outputs, tuple) else (outputs,))))
    call = ", ".join([repr(function), repr(method), *map(repr, inputs), *(f"{name}={value!r}" for name, value in keywords.items())])
    raise TypeError(f"operand type(s) all returned NotImplemented from __array_ufunc__({call}): {kinds}")


def _apply_dask(function, inputs, keywords):
    import dask.array
    if keywords:
        raise TypeError(f"{function.__name__}: with arrays of dask and several outputs there are no keywords, and these were given: "
                        + ", ".join(keywords))
    signature = function.signature or ",".join(["()"] * function.nin) + "->" + ",".join(["()"] * function.nout)
    samples = [np.ones((1,) * getattr(each, "ndim", 0), getattr(each, "dtype", None)) if hasattr(each, "dtype") else each for each in inputs]
    dtypes = [result.dtype for result in function(*samples)]
    return dask.array.apply_gufunc(function, signature, *inputs, output_dtypes=dtypes)


def compare_out_of_bounds(function):
    """Returns a comparison for integers that fit no dtype of kiln's, which NumPy compares exactly."""
    reference = getattr(np, function.__name__)

    def compare(*inputs, **keywords):
        if not any(isinstance(each, _kiln.Array) for each in inputs):
            return reference(*inputs, **keywords)
        array = next(each for each in inputs if isinstance(each, _kiln.Array))
        answer = reference(*(np.zeros((), each.dtype) if isinstance(each, _kiln.Array) else each for each in inputs))
        filled = _kiln.from_dlpack(np.full(array.shape, answer))
        return filled if array._on_host else filled.to(array.device)
    return compare


def call_signature(function):
    """Returns the signature of a call for inspect.signature and help()."""
    import inspect
    if isinstance(function, _kiln.Kernel):
        more = {"grid": None, "block": None, "size": None, "shared_mem": 0}
        parameters = [inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)]
    else:
        names = ["x"] if function.nin == 1 else [f"x{i + 1}" for i in range(function.nin)]
        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
        parameters.append(inspect.Parameter("out", inspect.Parameter.POSITIONAL_OR_KEYWORD,
                                            default=None if function.nout == 1 else (None,) * function.nout))
        more = {"casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": None}
        if isinstance(function, _kiln.Gufunc):
            more = {"axes": np._NoValue, "axis": np._NoValue, "keepdims": False, **more}
        else:
            more = {"where": True, **more}
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in more.items()]
    return inspect.Signature(parameters)


def doc_of(function):
    """Returns the docstring of a function that has none of its own: how it is called."""
    import inspect
    head = f"{function.__name__}{inspect.signature(function)}"
    return f"{head}\n\nNumPy's {function.__name__}, compiled by kiln." if "_math" in function.__dict__ else head


# --- Methods

def check_not_empty(function, array, axis=0):
    """Refuses a reduction without an initial value, and without the identity, over no elements: `initial=None`."""
    shape = array.shape if hasattr(array, "shape") else np.shape(array)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if any(-len(shape) <= each < len(shape) and shape[each] == 0 for each in axes):
        raise ValueError(f"zero-size array to reduction operation {function.__name__} which has no identity")


def warn_of_complex(dtype):
    """Warns of complex numbers that are reduced as real ones, as NumPy does."""
    if np.dtype(dtype).kind not in "cbO":
        import warnings
        warnings.warn("Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning, stacklevel=2)


def outer_operands(a, b):
    """Returns arrays with axes of extent 1, whose broadcast is the outer product; None where an operand is no array of NumPy."""
    arrays = []
    for each in (a, b):
        if hasattr(each, "__dlpack__") and not isinstance(each, (np.ndarray, np.generic)):
            return None
        arrays.append(each if isinstance(each, (bool, int, float, complex)) else np.asanyarray(each))
    a, b = arrays
    axes = getattr(b, "ndim", 0)
    if not axes or not hasattr(a, "reshape"):
        return a, b
    reshaped = a.reshape(a.shape + (1,) * axes)
    if reshaped.shape != a.shape + (1,) * axes:
        raise TypeError(f"outer: {type(a).__name__}.reshape did not give the shape {a.shape + (1,) * axes}, so that the result has no meaning")
    return reshaped, b


def at(function, a, indices, b=None):
    """Changes `a` at indices of any form that NumPy has."""
    if not isinstance(a, (np.ndarray, _kiln.Array)):
        raise TypeError("first operand must be array")
    if isinstance(a, np.ndarray) and not a.flags.writeable:
        raise ValueError("output array is read-only")
    operands = () if function.nin == 1 else (b if hasattr(b, "dtype") else np.asarray(b, _weak_dtype(a, b)),)
    try:
        return _at_checked(function, a, indices, operands)
    except TypeError:
        # NumPy casts results of `at` to the dtype of the array, whatever they are.
        if not isinstance(a, np.ndarray) or not _needs_unsafe_cast(function, a, operands):
            raise
    return _at_unsafe(function, a, indices, operands)


def _needs_unsafe_cast(function, a, operands):
    result = function.resolve_dtypes((a.dtype, *(each.dtype for each in operands), None))[-1]
    return not np.can_cast(result, a.dtype, "same_kind")


def _at_unsafe(function, a, indices, operands):
    """Changes `a` in rounds: each has every place once, so that a place that occurs twice is cast in between."""
    places = np.arange(a.size).reshape(a.shape)[indices]
    operands = [np.broadcast_to(each, places.shape).reshape(-1) for each in operands]
    left = np.arange(places.size)
    places = np.reshape(places, -1)
    while left.size:
        first = np.unique(places[left], return_index=True)[1]
        now = left[first]
        at_ = np.unravel_index(places[now], a.shape)
        a[at_] = function(a[at_], *(each[now] for each in operands)).astype(a.dtype)
        left = np.delete(left, first)


def _at_checked(function, a, indices, operands):
    listed = indices if isinstance(indices, tuple) else (indices,)
    arrays = [each if isinstance(each, _kiln.Array) else np.asarray(each) for each in listed if not isinstance(each, slice) and each is not None
              and each is not Ellipsis]
    if arrays and len(arrays) == len(listed) == a.ndim and all(each.dtype.kind in "iu" for each in arrays):
        return function._at(a, *_broadcast(arrays), *operands)
    if not isinstance(a, np.ndarray):
        raise TypeError(f"{function.__name__}.at: indices of a kiln.Array are one array of integers for each axis")
    places = np.arange(a.size).reshape(a.shape)[indices]
    if a.flags.c_contiguous:
        return function._at(np.asarray(a).reshape(-1), places, *operands)
    # NumPy's unravel_index is wrong for more than 8192 places of shape (n, 1).
    return function._at(a, *(each.reshape(places.shape) for each in np.unravel_index(places.reshape(-1), a.shape)), *operands)


def _broadcast(arrays):
    if len(arrays) == 1 or any(isinstance(each, _kiln.Array) for each in arrays):
        return arrays
    return [np.ascontiguousarray(each) for each in np.broadcast_arrays(*arrays)]


def _weak_dtype(a, b):
    """Returns the dtype that a number of Python takes beside an array."""
    return np.result_type(a.dtype, b) if isinstance(b, (int, float, complex)) else None


# --- Pickles and tokens

def _restore(definition):
    return _kiln.define(definition)


def _restore_math(name):
    from . import math
    return math._get(name)


def restore_partial(function, data, own):
    """Unpickles a kiln.Partial."""
    return _kiln.partial_read(function, data, own)


def reduce_function(function):
    name = function.__dict__.get("_math")
    if name is not None:
        return _restore_math, (name,)
    return _restore, (function.definition,)


def tokenize(function):
    return ("kiln", function.digest)


_kiln.Ufunc.resolve_dtypes = resolve_dtypes
_kiln.set_support(sys.modules[__name__])
