"""vectorize, guvectorize, reduction and kernel: definitions of functions, as the JSON objects of manifests."""
import inspect
import re

from . import _kiln, _support
from .errors import CacheError, CompileError, SignatureError

#: The function that makes definitions of a kind, for messages.
_FUNCTIONS = {"ufunc": "vectorize", "gufunc": "guvectorize"}
#: What a gufunc alone has.
_OF_GUFUNCS = {"each", "group", "shared", "sizes"}


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


#: Options that Numba has and kiln needs not.
_OF_NUMBA = {"target": "the arrays, or device= of a call, decide where it runs", "nopython": "bodies are C++", "forceobj": "bodies are C++",
             "writable_args": "a body may read its outputs"}


def _make(kind, members, options, cache, doc=None):
    called = _FUNCTIONS.get(kind, kind)
    if isinstance(cache, bool):
        raise TypeError("cache: a kiln.Cache is expected, and this is bool; leave it out, as kernels are always cached")
    for name in options:
        if name in _OF_NUMBA:
            raise TypeError(f"{name}: leave it out; {_OF_NUMBA[name]}")
        if name == "kind" or name in members:
            raise TypeError(f"{called}() got an unexpected keyword argument '{name}'")
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
    function = _define_members(definition, cache, called)
    if doc:
        function.__doc__ = doc
    return function


def _define_members(definition, cache=None, called=None):
    """Makes a function of a definition whose members the caller gave as arguments of the function `called`."""
    try:
        return _kiln.define(_support.write_json(definition), cache)
    except CacheError as error:
        unknown = re.fullmatch(r'definition: /: unknown member "(\w+)"(?:: did you mean "(\w+)"\?|; the members are (.*))', str(error))
        if unknown and called:
            known = [unknown[2]] if unknown[2] else re.findall(r"\w+", unknown[3])
            raise TypeError(_support.unknown_keyword(called, unknown[1], known)) from None
        raise _of_arguments(error, definition.get("name", "f")) from None


def _of_arguments(error, name):
    """Returns an error of a definition, "definition: /body: …", as one of the caller's arguments."""
    place = re.match(r"definition: /(\w*)(?:/\d+)*: ", str(error))
    if place is None:
        return error
    member, text = place[1], str(error)[place.end():].replace(' or {"latin1": "…"}', "")
    if re.match(r"\d+:\d+: ", text):
        file = name if member in ("body", "expression", "operation") else f"{name}.{member}"
        made, code = CompileError(f"{file}:{text.replace(': ', ': error: ', 1)}"), "compile"
    elif member in ("signature", "signatures", "layout", "in_params", "out_params") or (not member and text.endswith("^")):
        made, code = SignatureError(text if "\n" in text else f"{member}: {text}"), "signature"
    else:
        made, code = type(error)(f"{member}: {text}" if member else text), error.code
    made.code, made.option = code, error.option
    if hasattr(made, "add_note"):
        made.add_note(f"help: python -m kiln explain {code}")
    return made


def _as_list(signatures, function):
    """Returns signatures as kiln reads them."""
    if isinstance(signatures, str):
        return [_signature(signatures, function)]
    if not isinstance(signatures, (list, tuple)):
        signatures = [signatures]
    return [_signature(each, function) for each in signatures]


_EXAMPLES = {"vectorize": "float64(float64 x)", "guvectorize": "void(float64[:] x, float64 y)", "kernel": "void(float64[:] x)",
             "reduction": "float64(float64 x)"}


def _signature(signature, function):
    """Returns a signature as kiln reads it. Numba's are taken by what they print: calls of types, and tuples of types."""
    text = signature
    if isinstance(signature, tuple):
        text = f"({', '.join(map(repr, signature))}) -> none"
    elif not isinstance(signature, str):
        text = str(signature)
    if text is not signature:
        call = re.fullmatch(r"\((.*)\) -> (.*)", text)
        if call is None:
            raise TypeError(f"{function}: a signature is a string, such as {_EXAMPLES[function]!r}, and this is {type(signature).__name__}")
        text = f"{_type(call[2])}({', '.join(map(_type, _split_operands(call[1])))})"
    return _any_strides(text)


def _any_strides(text):
    """Returns a signature without Numba's promise of contiguous elements, "[:, ::1]": views take any strides."""
    return re.sub(r"\[[^]]*\]", lambda brackets: brackets[0].replace("::1", ":"), text)


def _type(text):
    """Returns the type that Numba prints: "Array(float64, 2, 'C', False, aligned)", "none"."""
    array = re.match(r"Array\((\w+), (\d+),", text)
    if array is not None:
        return f"{array[1]}[{','.join(':' * int(array[2]))}]"
    return {"none": "void", "boolean": "bool"}.get(text, text)


def _check_function(kind, signatures, function):
    """Refuses what a signature without a body cannot decorate: an array that a call of the result would take."""
    if inspect.isfunction(function):
        return
    shown = ", ".join(repr(each) for each in signatures)
    raise TypeError(f"{kind}: there is no body beside {shown}, so that it decorates a function whose docstring is the body, and "
                    f"{type(function).__name__} is none. With a body it is {_COMPLETE[kind]}")


_COMPLETE = {"vectorize": 'vectorize("float32 f(float32 x) = x*x+1")',
             "guvectorize": 'guvectorize("(n)->() void f(float32[:] x, float32 y) { y = x(0); }")',
             "kernel": 'kernel("void(float32[:] x)", "x[item] = 1;")'}


def _check_signature(text):
    """Refuses a body that stands where vectorize() expects a definition or a signature."""
    head = re.split(r"[={]", text, maxsplit=1)[0]
    call = re.fullmatch(r"\s*(\([^()]*\)|\w+)\s*\w*\s*\(([^()]*)\)\s*(where\b.*)?", head, re.DOTALL)
    if "->" in head or call and (not call[2].strip() or any(len(each.split()) > 1 or _is_type(each) for each in _split_operands(call[2]))):
        return
    body = re.sub(r"^\s*\w+\s*=(?!=)", "", text).strip() or "x*x+1"
    names = dict.fromkeys(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w*\s*[(:.])", body))
    parameters = ", ".join(f"float64 {name}" for name in names if name not in _KNOWN_NAMES)
    definition = f"float64 f({parameters}) " + (f"{{ {body} }}" if "body" in _body(body) else f"= {body}")
    raise SignatureError(f"vectorize: {text!r} has no signature. A definition has one: {definition!r}, or the signatures stand beside "
                         f"the body: vectorize(['float64({parameters})'], {body!r})")


_KNOWN_NAMES = {"pi", "M_PI", "M_E", "NAN", "INFINITY", "true", "false", "return", "if", "else", "for", "and", "or", "not", *_support.CHARACTERS}


def _is_type(text):
    word = text.partition("[")[0].strip()
    return word in _support.CHARACTERS or word[:1].isupper()


def _body(text):
    """Returns the members of a ufunc's body: an expression, or statements."""
    if not isinstance(text, str):
        raise TypeError(f"a body is a string of C++, and this is {type(text).__name__}")
    statements = ";" in text or re.search(r"\breturn\b", text)
    return {"body": text} if statements else {"expression": text.strip()}


def _returned(text):
    """Returns the statements of a text, which may be an expression."""
    if text is None or "body" in _body(text) or re.search(r"(?<![=!<>])=(?!=)", text):
        return text
    return f"return {text.strip()};"


def _with_names(signature, names):
    """Adds the names of a Python function's parameters to a signature that has none: "float32(float32, float32)"."""
    close = signature.rfind(")", 0, len(_split_where(signature)[0]))
    open_ = signature.rfind("(", 0, close)
    if open_ < 0:
        return signature
    operands = _split_operands(signature[open_ + 1:close])
    if len(operands) != len(names):
        return signature
    named = [operand if _has_name(operand) else f"{operand} {name}" for operand, name in zip(operands, names)]
    return signature[:open_ + 1] + ", ".join(named) + signature[close:]


def _split_where(signature):
    """Returns the operands and the restrictions of a signature: "T(T a)", " where T: float32"."""
    where = re.search(r"\swhere\s", signature)
    at = where.start() if where else len(signature)
    return signature[:at], signature[at:]


def _split_operands(text):
    """Splits operands at commas that are in no brackets: "float32[:,:] a, float32 b"."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "[(") - (character in "])")
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
        return _make("ufunc", {"name": name or "f", "signatures": _as_list(signatures, "vectorize"), **_body(body)}, options, cache)
    if isinstance(signatures, str):
        _check_signature(signatures)
    if isinstance(signatures, str) and ("=" in signatures or "{" in signatures):
        if not options and cache is None and name is None:
            return _kiln.parse(signatures)
        return _whole(signatures, name, options, cache)
    given = _as_list(signatures, "vectorize")

    def decorate(function):
        _check_function("vectorize", given, function)
        found, parameters, text = _from_function(function)
        listed = [_with_names(each, parameters) for each in given]
        made = _make("ufunc", {"name": name or found, "signatures": listed, **_body(text)}, options, cache, function.__doc__)
        made.__dict__["__module__"] = function.__module__
        return made
    return decorate


def _whole(text, name, options, cache):
    """Makes a function of one string with options."""
    if name is not None:
        raise TypeError("name: the string has the name of the function")
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
            head, brace, rest = signatures.partition("{")
            signatures = _any_strides(head) + brace + rest
            if not options and cache is None and name is None:
                return _kiln.parse(signatures)
            return _whole(signatures, name, options, cache)
        raise TypeError("guvectorize: give signatures and a layout, or one string with the layout in front: \"(n)->() void f(…) { … }\"")
    if not isinstance(layout, str) or (isinstance(signatures, str) and "->" in signatures and "->" not in layout):
        raise TypeError(f"guvectorize: the layout comes behind the signatures, and it is a string such as \"(n)->()\": {layout!r} is none")
    given = _as_list(signatures, "guvectorize")
    if body is not None:
        return _make_gufunc(name or "f", layout, given, body, options, cache)

    def decorate(function):
        _check_function("guvectorize", [*given, layout], function)
        found, parameters, text = _from_function(function)
        listed = [_with_names(each if "(" in each else f"void({each})", parameters) for each in given]
        return _make_gufunc(name or found, layout, listed, text, options, cache, function.__doc__)
    return decorate


def _make_gufunc(name, layout, signatures, body, options, cache, doc=None):
    """Makes a gufunc of Numba's arguments. Without core dimensions it is a ufunc, as in NumPy, and has its methods and an identity."""
    signatures = [each if "(" in each else f"void({each})" for each in signatures]
    inputs = layout.partition("->")[0].count("(")
    only_ufunc = set(options) & _OF_GUFUNCS
    if any(character.isalnum() for character in layout) or any("[" in each or "inout" in each for each in signatures) or only_ufunc:
        return _make("gufunc", {"name": name, "layout": layout, "signatures": signatures, "body": body}, options, cache, doc)
    listed = []
    for each in signatures:
        head, where = _split_where(each)
        operands = _split_operands(head[head.index("(") + 1:head.rindex(")")])
        listed.append(f"({', '.join(operands[inputs:])})({', '.join(operands[:inputs])}){where}")
    return _make("ufunc", {"name": name, "signatures": listed, "body": body}, options, cache, doc)


def reduction(signatures, *, reduce, accumulator=None, map=None, post=None, name=None, cache=None, **options):
    """Makes a reduction with an accumulator of its own.

    >>> import kiln
    >>> mean = kiln.reduction("float64(float64 x)", name="mean", accumulator="float64 n, sum;", map="return {1, x};",
    ...                       reduce="return {a.n + b.n, a.sum + b.sum};", post="return a.sum / a.n;", identity="{0, 0}")
    >>> mean([1.0, 2.0, 6.0])
    np.float64(3.0)

    Each text is statements or an expression.
    """
    members = {"name": name or "f", "signatures": _as_list(signatures, "reduction"), "accumulator": accumulator, "map": _returned(map),
               "reduce": _returned(reduce), "post": _returned(post)}
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
    whole = re.fullmatch(r"\s*(\w+)\s+(\w+)\s*(\(.*?\)[^{]*?)\s*\{(.*)\}\s*", signature, re.DOTALL) if isinstance(signature, str) else None
    if body is None and whole is not None:
        raise SignatureError(f"kernel: the signature and the body are two strings, and the name is an argument: "
                             f"kernel({whole[1] + whole[3]!r}, {whole[4].strip()!r}, name={whole[2]!r})")
    if isinstance(signature, (list, tuple)) and len(signature) == 1:
        signature = signature[0]
    signature = _signature(signature, "kernel")
    if body is None:
        def decorate(function):
            _check_function("kernel", [signature], function)
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
