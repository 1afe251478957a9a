"""vectorize, guvectorize, reduction and kernel: definitions of functions, as the JSON objects of manifests."""
import inspect
import re

from . import _kiln, _support
from .errors import CacheError, SignatureError

#: Members that definitions of all kinds may have, and what they are there.
_COMMON = {"name", "preamble", "functions", "headers", "include_dirs", "link", "defines", "contract", "fast_math", "same_bits",
           "time_limit_ms", "constant_variants", "debug"}
_KINDS = {
    "ufunc": _COMMON | {"identity", "reorderable", "widens_integers", "bools_are_numbers"},
    "gufunc": _COMMON | {"each", "group", "shared", "sizes"},
    "reduction": _COMMON | {"identity", "reorderable"},
    "kernel": _COMMON,
}


def define(definition, *, cache=None):
    """Makes a function of a definition: a dict or JSON text, as a manifest has it. `cache` is a kiln.Cache for its kernels.

    >>> import kiln
    >>> half = kiln.define({"kind": "ufunc", "name": "half", "signatures": ["float64(float64 a)"], "expression": "a / 2"})
    >>> half(3.0)
    np.float64(1.5)
    """
    text = definition if isinstance(definition, str) else _support.write_json(definition)
    return _kiln.define(text, cache)


def _text(value):
    """Returns a value as a C++ expression: True is true."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _make(kind, members, options, cache, doc=None):
    allowed = _KINDS[kind]
    for name in options:
        if name not in allowed:
            raise TypeError(_support.unknown_keyword({"ufunc": "vectorize", "gufunc": "guvectorize"}.get(kind, kind), name,
                                                     sorted(allowed | {"cache"})))
    definition = {"kind": kind}
    for name, value in {**members, **options}.items():
        if value is None:
            continue
        if name == "identity":
            value = _text(value)
        if name == "group":
            value = str(value)
        if name == "debug" and isinstance(value, bool):
            value = {"on": value}
        if name in ("defines", "include_dirs", "link") and isinstance(value, str):
            value = [value]
        definition[name] = value
    try:
        function = _kiln.define(_support.write_json(definition), cache)
    except CacheError as error:
        # The C interface reads a definition, and the caller wrote a signature.
        place = re.match(r"definition: /(signatures?(/\d+)?|layout): ", str(error))
        if place is None:
            raise
        raise SignatureError(str(error)[place.end():]) from None
    if doc:
        function.__doc__ = doc
    return function


def _as_list(signatures):
    return [signatures] if isinstance(signatures, str) else list(signatures)


def _body(text):
    """Returns the members of a ufunc's body: an expression, or statements."""
    statements = ";" in text or re.search(r"\breturn\b", text)
    return {"body": text} if statements else {"expression": text.strip()}


def _with_names(signature, names):
    """Adds the names of a Python function's parameters to a signature that has none: "float32(float32, float32)"."""
    close = signature.rfind(")", 0, signature.find(" where ") if " where " in signature else len(signature))
    open_ = signature.rfind("(", 0, close)
    if open_ < 0:
        return signature
    operands = _split_operands(signature[open_ + 1:close])
    if len(operands) != len(names):
        return signature
    named = [operand if _has_name(operand) else f"{operand} {name}" for operand, name in zip(operands, names)]
    return signature[:open_ + 1] + ", ".join(named) + signature[close:]


def _split_operands(text):
    """Splits operands at commas that are in no brackets: "float32[:,:] a, float32 b"."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


def _has_name(operand):
    words = [word for word in operand.replace("]", "] ").split() if word not in ("raw", "inout", "constant", "const")]
    return len(words) > 1


def _from_function(function):
    """Returns the name, the parameters and the body of a decorated function: its docstring is the C++."""
    body = inspect.getdoc(function)
    if not body:
        raise TypeError(f"{function.__name__}: the docstring of a decorated function is its body in C++, and it has none")
    return function.__name__, list(inspect.signature(function).parameters), body


def vectorize(signatures, body=None, *, name=None, cache=None, **options):
    """Makes a ufunc.

    One string has everything:

    >>> import kiln, numpy as np
    >>> disc = kiln.vectorize("T disc(T a, T b, T c) where T: float32, float64 = sqrt(b*b - 4*a*c)")
    >>> disc(1.0, np.array([3.0, 5.0]), 2.0)
    array([1.        , 4.12310563])

    Signatures and a body, an expression or statements:

    >>> add = kiln.vectorize(["int64(int64 a, int64 b)", "float64(float64 a, float64 b)"], "return a + b;", name="add", identity=0)
    >>> add.reduce([1, 2, 3])
    np.int64(6)

    A decorator, whose function has the C++ as its docstring:

    >>> @kiln.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
    ... def scaled(x, k):
    ...     "return x * k;"
    >>> scaled(np.float32([1, 2]), 3)
    array([3., 6.], dtype=float32)

    Options: identity, reorderable, widens_integers, preamble, functions, headers, include_dirs, link, defines, contract, fast_math,
    same_bits, time_limit_ms, constant_variants, debug; docs/manifest.md has them. `cache` is a kiln.Cache for the kernels.
    """
    if callable(signatures):
        raise TypeError("vectorize: kiln compiles C++, not Python: @kiln.vectorize([signatures]) over a function whose docstring is the body")
    if body is not None:
        return _make("ufunc", {"name": name or "f", "signatures": _as_list(signatures), **_body(body)}, options, cache)
    if isinstance(signatures, str) and ("=" in signatures or "{" in signatures):
        if not options and cache is None and name is None:
            return _kiln.parse(signatures)
        return _whole("ufunc", signatures, name, options, cache)

    def decorate(function):
        found, parameters, text = _from_function(function)
        listed = [_with_names(each, parameters) for each in _as_list(signatures)]
        made = _make("ufunc", {"name": name or found, "signatures": listed, **_body(text)}, options, cache, function.__doc__)
        made.__dict__["__module__"] = function.__module__
        return made
    return decorate


def _whole(kind, text, name, options, cache):
    """Makes a function of one string with options."""
    if name is not None:
        raise TypeError("name: the string has the name of the function")
    for each in options:
        if each not in _KINDS[kind]:
            raise TypeError(_support.unknown_keyword("vectorize", each, sorted(_KINDS[kind] | {"cache"})))
    parsed = _support.read_json(_kiln.parse(text).definition)
    return _make(parsed.pop("kind"), parsed, options, cache)


def guvectorize(signatures, layout=None, body=None, *, name=None, cache=None, **options):
    """Makes a generalized ufunc.

    >>> import kiln, numpy as np
    >>> dot = kiln.guvectorize("(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c) "
    ...                        "{ c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }")
    >>> dot(np.ones((2, 3)), np.arange(3.0))
    array([3., 3.])

    With Numba's arguments, a list of signatures and the layout, it is a decorator or takes the body:

    >>> @kiln.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
    ... def shifted(x, y, r):
    ...     "for (index i = 0; i < n; ++i) r(i) = x(i) + y;"
    >>> shifted(np.arange(3.0), 10)
    array([10., 11., 12.])
    """
    if layout is None:
        if isinstance(signatures, str) and "{" in signatures:
            if not options and cache is None and name is None:
                return _kiln.parse(signatures)
            return _whole("gufunc", signatures, name, options, cache)
        raise TypeError("guvectorize: give signatures and a layout, or one string with the layout in front: \"(n)->() void f(…) { … }\"")
    if body is not None:
        return _make_gufunc(name or "f", layout, _as_list(signatures), body, options, cache)

    def decorate(function):
        found, parameters, text = _from_function(function)
        listed = [_with_names(each if "(" in each else f"void({each})", parameters) for each in _as_list(signatures)]
        return _make_gufunc(name or found, layout, listed, text, options, cache, function.__doc__)
    return decorate


def _make_gufunc(name, layout, signatures, body, options, cache, doc=None):
    """Makes a gufunc of Numba's arguments. Without core dimensions it is a ufunc, as in NumPy, and has its methods and an identity."""
    signatures = [each if "(" in each else f"void({each})" for each in signatures]
    inputs = layout.partition("->")[0].count("(")
    only_ufunc = set(options) & (_KINDS["gufunc"] - _KINDS["ufunc"])
    if any(character.isalnum() for character in layout) or any("[" in each or "inout" in each for each in signatures) or only_ufunc:
        return _make("gufunc", {"name": name, "layout": layout, "signatures": signatures, "body": body}, options, cache, doc)
    listed = []
    for each in signatures:
        head, where, variables = each.partition(" where ")
        operands = _split_operands(head[head.index("(") + 1:head.rindex(")")])
        listed.append(f"({', '.join(operands[inputs:])})({', '.join(operands[:inputs])}){where}{variables}")
    return _make("ufunc", {"name": name, "signatures": listed, "body": body}, options, cache, doc)


def reduction(signatures, *, reduce, accumulator=None, map=None, post=None, name=None, cache=None, **options):
    """Makes a reduction with an accumulator of its own.

    >>> import kiln
    >>> mean = kiln.reduction("float64(float64 x)", name="mean", accumulator="float64 n, sum;", map="return {1, x};",
    ...                       reduce="return {a.n + b.n, a.sum + b.sum};", post="return a.sum / a.n;", identity="{0, 0}")
    >>> mean([1.0, 2.0, 6.0])
    np.float64(3.0)
    """
    members = {"name": name or "f", "signatures": _as_list(signatures), "accumulator": accumulator, "map": map, "reduce": reduce,
               "post": post}
    return _make("reduction", members, options, cache)


def kernel(signature, body=None, *, name=None, cache=None, **options):
    """Makes a raw kernel, which is launched as Numba's and CuPy's are: `k[grid, block](…)`, or `k.forall(n)(…)`.

    >>> import kiln, numpy as np
    >>> reverse = kiln.kernel("void(const T[:] x, T[:] y, int64 n) where T: float32, float64", "y[n - 1 - item] = x[item];")
    >>> x = np.arange(4.0)
    >>> y = np.zeros(4)
    >>> reverse.forall(4)(x, y, 4)
    >>> y
    array([3., 2., 1., 0.])
    """
    if body is None:
        def decorate(function):
            found, parameters, text = _from_function(function)
            return _make("kernel", {"name": name or found, "signature": _with_names(signature, parameters), "body": text}, options, cache,
                         function.__doc__)
        return decorate
    return _make("kernel", {"name": name or "f", "signature": signature, "body": body}, options, cache)


def debug(function, *, nan=False, race=False):
    """Returns the same function with checks: indices, overflows and misaligned accesses; `nan` and `race` check more.

    >>> import kiln
    >>> bad = kiln.debug(kiln.vectorize("int32 f(int32 a, int32 b) = a / b"))
    """
    definition = _support.read_json(function.definition)
    definition["debug"] = {"on": True, **({"nan": True} if nan else {}), **({"race": True} if race else {})}
    return _kiln.define(_support.write_json(definition))


class Launch:
    """A kernel with its grid: `kernel[grid, block, stream, shared_mem]`."""

    __slots__ = ("_keywords", "_kernel")

    def __init__(self, kernel, keywords):
        self._kernel, self._keywords = kernel, keywords

    def __call__(self, *args):
        return self._kernel(*args, **self._keywords)

    def __repr__(self):
        return f"{self._kernel!r}[{', '.join(f'{name}={value!r}' for name, value in self._keywords.items())}]"


def _configure(kernel, configuration):
    if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
        raise ValueError(f"{kernel.__name__}: a launch is kernel[grid, block], kernel[grid, block, stream] or "
                         "kernel[grid, block, stream, shared_mem]")
    keywords = dict(zip(("grid", "block", "stream", "shared_mem"), configuration))
    if keywords.get("stream") in (None, 0):
        keywords.pop("stream", None)
    return Launch(kernel, keywords)


def _forall(kernel, size, *, stream=None):
    """Launches the kernel for each of `size` items: `kernel.forall(n)(…)`."""
    return Launch(kernel, {"size": size} if stream is None else {"size": size, "stream": stream})


_kiln.Kernel.__getitem__ = _configure
_kiln.Kernel.forall = _forall
