#!/usr/bin/env python3
"""Writes calls.txt with NumPy 2 (make_calls.py FOLDER; ../../golden/pack.py packs it): calls of ufuncs and of their methods over
dtypes, layouts, options and errors. The conformance suite makes the same calls with kiln::math on every device.

A line is one case: the method, the ufunc, fields name=value, then "->" and what NumPy gave: "error", or for each result its
dtype, shape and values in C order. Operands are written dtype/shape/steps/order/seed: a C-ordered base, of which every axis is
stepped, reversed or (step 0) repeated, and whose axes are then put in that order; see operand() and, in C++, golden_call.cpp.
Values are small enough for sums to be exact in any order, so results must be equal."""
import pathlib
import random
import sys
import warnings

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float16 float32 float64".split()
COMPLEX = "complex64 complex128".split()
ALL = ["bool", *INTEGERS, *FLOATS, *COMPLEX]
rng = random.Random(20261121)


def base_values(dtype, count, seed):
    """Element k of a base; the same formula stands in golden_call.cpp."""
    k = np.arange(count)
    v = (k * 7 + seed * 5) % 19
    if dtype == "bool":
        return v % 3 == 0
    if dtype.startswith("uint"):
        return v.astype(dtype)
    v = v - 6
    if dtype.startswith("int"):
        return v.astype(dtype)
    if dtype.startswith("float"):
        x = (v / 2).astype(dtype)
        if seed >= 100:
            x[k % 5 == 3] = np.nan
            x[k % 7 == 2] = np.inf
        return x
    return (v + 1j * ((k * 3 + seed) % 7 - 2)).astype(dtype)


class Operand:
    def __init__(self, dtype, shape, plain=False, special=False, writable=False):
        n = len(shape)
        self.dtype, self.shape = dtype, list(shape)
        choices = [1] if plain else [1, 1, 1, 2, -1, -2] if writable else [1, 1, 1, 2, -1, -2, 0]
        self.steps = [rng.choice(choices) for _ in range(n)]
        self.order = list(range(n))
        if not plain:
            rng.shuffle(self.order)
        self.seed = rng.randrange(100) + (100 if special else 0)

    def make(self):
        """order[j] is the axis of the operand that axis j of the base becomes."""
        base_shape = [self.shape[a] * abs(self.steps[a]) if self.steps[a] else 1 for a in self.order]
        count = int(np.prod(base_shape, dtype=np.int64))
        base = base_values(self.dtype, count, self.seed).reshape(base_shape)
        view = base[tuple(slice(None, None, self.steps[a] or 1) for a in self.order)]
        inverse = [self.order.index(a) for a in range(len(self.order))]
        view = view.transpose(inverse)
        return view if 0 not in self.steps else np.broadcast_to(view, self.shape)

    def __str__(self):
        return "/".join([self.dtype, numbers(self.shape), numbers(self.steps), numbers(self.order), str(self.seed)])


def numbers(values):
    return ",".join(str(int(v)) for v in values) or "-"


def value_text(x):
    if isinstance(x, (bool, np.bool_)):
        return str(int(x))
    if isinstance(x, (complex, np.complexfloating)):
        return value_text(float(x.real)) + "," + value_text(float(x.imag))
    if isinstance(x, (float, np.floating)):
        return float(x).hex() if np.isfinite(x) else str(float(x))
    return str(int(x))


def result_text(result):
    result = np.asarray(result)
    values = " ".join(value_text(x) for x in result.flatten(order="C"))
    return f"{result.dtype} {numbers(result.shape)} {values}".rstrip()


def outcome(call):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            results = call()
        except (TypeError, ValueError, IndexError, OverflowError):
            return "error"
    return " | ".join(result_text(r) for r in (results if isinstance(results, tuple) else (results,)))


def add_line(lines, method, ufunc, fields, call):
    """Of what NumPy refuses only a part is kept: most of it is refused for the same few reasons."""
    words = [method, ufunc.__name__] + [f"{k}={v}" for k, v in fields.items() if v is not None]
    answer = outcome(call)
    if answer != "error" or rng.random() < 0.4:
        lines.append(" ".join(words) + " -> " + answer)


BINARY = [np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.maximum, np.minimum, np.fmax, np.fmin,
          np.less, np.equal, np.greater_equal, np.not_equal, np.logical_and, np.logical_or, np.logical_xor, np.bitwise_and,
          np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift, np.copysign]
UNARY = [np.negative, np.absolute, np.square, np.sqrt, np.sign, np.logical_not, np.invert, np.isnan, np.floor, np.positive]
SEVERAL = [np.divmod, np.modf]
REDUCIBLE = [np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.logical_and, np.logical_or, np.logical_xor, np.bitwise_and,
             np.bitwise_or, np.bitwise_xor, np.subtract, np.divide, np.less, np.gcd, np.lcm]


def dtype_for(ufunc):
    """Where NumPy raises for bool alone, by a rule of its own, bool is left out: ../../golden/math/dtypes.txt has those."""
    name = ufunc.__name__
    if name in ("subtract", "negative", "positive", "sign", "square", "gcd", "lcm"):
        return rng.choice(ALL[1:])
    return rng.choice(ALL)


def random_shape(least=0, most=4):
    return [rng.choice([1, 2, 3, 4, 5]) for _ in range(rng.randint(least, most))]


def into(shape):
    """A shape that broadcasts to that one."""
    own = [1 if rng.random() < 0.25 else e for e in shape]
    return own[rng.choice([0, 0, 0, rng.randint(0, len(own))]):]


def exact(ufunc, *dtypes):
    """Complex quotients and roots are rounded in another order, x / |x| less well than kiln does."""
    return not (ufunc in (np.divide, np.sign, np.sqrt) and any(d.startswith("complex") for d in dtypes))


def call_cases(count):
    lines = []
    while len(lines) < count:
        ufunc = rng.choice(BINARY * 2 + UNARY + SEVERAL)
        shape = random_shape()
        if rng.random() < 0.05 and shape:
            shape[rng.randrange(len(shape))] = 0
        dtypes = [dtype_for(ufunc) for _ in range(ufunc.nin)]
        if rng.random() < 0.4:
            dtypes = [dtypes[0]] * ufunc.nin
        if not exact(ufunc, *dtypes):
            continue
        shapes = [into(shape) for _ in range(ufunc.nin)]
        if rng.random() < 0.04:
            shapes[0] = [7, *shapes[0]]
            shapes[-1] = [6, *shapes[-1]]
        operands = [Operand(d, s, special=rng.random() < 0.2) for d, s in zip(dtypes, shapes)]
        arrays = [o.make() for o in operands]
        fields = {name: str(o) for name, o in zip("ab", operands)}
        if ufunc.nin == 2 and rng.random() < 0.12:
            value = rng.choice([0, 3, -1, 100, 300, 2.5])
            arrays[1], fields["b"] = value, f"scalar/{value!r}"
            if value < 0 or value > 127:  # NumPy's comparisons and logical functions have rules of their own for such scalars
                ufunc = np.add if ufunc.nout == 1 and "uint" not in dtypes[0] and dtypes[0] != "bool" else np.maximum
        options = {}
        if rng.random() < 0.25 and not ufunc.__name__.startswith("logical"):  # whose promotion goes around casting
            options["casting"] = fields["casting"] = rng.choice(["no", "equiv", "safe", "same_kind", "unsafe"])
            if options["casting"] == "unsafe":  # conversions that C++ leaves undefined
                continue
        if rng.random() < 0.2 and ufunc.nout == 1:
            options["dtype"] = fields["dtype"] = rng.choice(ALL)
            if not exact(ufunc, options["dtype"]):
                continue
        mask = None
        full = list(np.broadcast_shapes(*(np.shape(a) for a in arrays))) if rng.random() < 0.95 and outcome(
            lambda: np.broadcast_shapes(*(np.shape(a) for a in arrays)) and 0) != "error" else shape
        if rng.random() < 0.3:
            mask = Operand("bool", into(full) if rng.random() < 0.9 else [2, *full])
            fields["where"] = str(mask)
            if rng.random() < 0.05:
                mask = Operand("int8", full or [2])
                fields["where"] = str(mask)
        outs = None
        if rng.random() < 0.4:
            out_shape = full if rng.random() < 0.8 else [2, *full] if rng.random() < 0.7 else [*full, 2]
            outs = [Operand(rng.choice(ALL) if rng.random() < 0.5 else dtypes[0], out_shape, writable=True) for _ in range(ufunc.nout)]
            fields["out"] = ";".join(str(o) for o in outs)

        def call():
            more = dict(options)
            if mask is not None:
                more["where"] = mask.make()
            if outs is not None:
                more["out"] = tuple(np.array(o.make()) for o in outs)
            elif mask is not None:
                # kiln's choice: zero where the mask is false.
                plain = ufunc(*arrays, **options)
                given = plain if isinstance(plain, tuple) else (plain,)
                if more["where"].dtype != np.bool_:
                    raise TypeError("where")
                whole = np.broadcast_shapes(given[0].shape, more["where"].shape)
                more["out"] = tuple(np.zeros(whole, g.dtype) for g in given)
            return ufunc(*arrays, **more)

        add_line(lines, "call", ufunc, fields, call)
    return lines


def axis_field(ndim):
    kind = rng.random()
    if kind < 0.15:
        return None, "default"
    if kind < 0.3:
        return "all", None
    if kind < 0.35:
        return "none", ()
    if kind < 0.7 or ndim == 0:
        axis = rng.randint(-ndim - (rng.random() < 0.1), max(ndim - 1, 0) + (rng.random() < 0.05))
        return str(axis), axis
    axes = tuple(a - (ndim if rng.random() < 0.4 else 0) for a in rng.sample(range(ndim), rng.randint(1, ndim)))
    if rng.random() < 0.04:
        axes += (axes[0],)
    return numbers(axes), axes


def small(ufunc, dtype, array):
    """Products and quotients stay exact in few elements only; divisions of integers by zero say nothing of reductions."""
    if ufunc in (np.multiply, np.divide) and dtype in FLOATS + COMPLEX:
        return array.size <= 6 and ufunc is np.multiply
    return ufunc is not np.divide


def out_dtype(ufunc, result):
    """NumPy lets out choose the loop of a reduction, and casts as unsafe; kiln casts the result as same_kind (docs/reductions.md).
    These dtypes give the same by either rule."""
    exact_in_float = ufunc in (np.add, np.maximum, np.minimum, np.fmax) and result in INTEGERS
    return rng.choice([result, "float64"] if exact_in_float else [result])


def reduce_cases(count):
    lines = []
    while len(lines) < count:
        ufunc = rng.choice(REDUCIBLE)
        dtype = dtype_for(ufunc)
        shape = random_shape(0, 4)
        if rng.random() < 0.08 and shape:
            shape[rng.randrange(len(shape))] = 0
        a = Operand(dtype, shape, special=rng.random() < 0.15 and ufunc not in (np.add, np.multiply))
        array = a.make()
        if not small(ufunc, dtype, array):
            continue
        fields, options = {"a": str(a)}, {}
        text, axis = axis_field(len(shape))
        if axis != "default":
            fields["axis"] = text
            options["axis"] = axis
        if rng.random() < 0.3:
            options["keepdims"] = True
            fields["keepdims"] = 1
        if rng.random() < 0.2 and dtype != "bool" and dtype not in COMPLEX:
            options["initial"] = rng.choice([0, 1, 3])
            fields["initial"] = options["initial"]
        if rng.random() < 0.15 and ufunc is np.add:
            options["dtype"] = fields["dtype"] = rng.choice(["int64", "float32", "float64", "complex128"])
        mask = None
        if rng.random() < 0.25:
            mask = Operand("bool" if rng.random() < 0.95 or not shape else "int8", into(shape) or shape)
            fields["where"] = str(mask)
        out = None
        if rng.random() < 0.2:
            plain = None
            try:
                with np.errstate(all="ignore"):
                    plain = ufunc.reduce(array, **options)
            except (TypeError, ValueError):
                pass
            if plain is not None:
                out_shape = list(np.shape(plain)) + ([1] if rng.random() < 0.1 else [])
                out = Operand(out_dtype(ufunc, str(np.asarray(plain).dtype)), out_shape, writable=True)
                fields["out"] = str(out)

        def call():
            more = dict(options)
            if mask is not None:
                more["where"] = mask.make()
            if out is not None:
                more["out"] = np.array(out.make())
            return ufunc.reduce(array, **more)

        add_line(lines, "reduce", ufunc, fields, call)
    return lines


def accumulate_cases(count):
    lines = []
    while len(lines) < count:
        ufunc = rng.choice(REDUCIBLE)
        dtype = dtype_for(ufunc)
        shape = random_shape(0 if rng.random() < 0.05 else 1, 4)
        if rng.random() < 0.06 and shape:
            shape[rng.randrange(len(shape))] = 0
        a = Operand(dtype, shape, special=rng.random() < 0.15 and ufunc not in (np.add, np.multiply))
        array = a.make()
        if not small(ufunc, dtype, array):
            continue
        fields, options = {"a": str(a)}, {}
        if rng.random() < 0.8:
            options["axis"] = fields["axis"] = rng.randint(-len(shape) - (rng.random() < 0.05), max(len(shape) - 1, 0))
        if rng.random() < 0.15 and ufunc is np.add:
            options["dtype"] = fields["dtype"] = rng.choice(["int64", "float32", "float64", "complex128"])
        out = None
        if rng.random() < 0.2:
            # Of another number of dimensions is an error in kiln, as in reduce; NumPy broadcasts.
            try:
                result = str(ufunc.accumulate(array, **options).dtype)
            except (TypeError, ValueError):
                result = dtype
            out = Operand(out_dtype(ufunc, result), shape, writable=True)
            fields["out"] = str(out)

        def call():
            more = dict(options)
            if out is not None:
                more["out"] = np.array(out.make())
            return ufunc.accumulate(array, **more)

        add_line(lines, "accumulate", ufunc, fields, call)
    return lines


def reduceat_cases(count):
    lines = []
    while len(lines) < count:
        ufunc = rng.choice(REDUCIBLE)
        dtype = dtype_for(ufunc)
        shape = random_shape(1, 3)
        a = Operand(dtype, shape)
        array = a.make()
        if not small(ufunc, dtype, array):
            continue
        fields, options = {"a": str(a)}, {}
        axis = 0
        if rng.random() < 0.7:
            axis = options["axis"] = fields["axis"] = rng.randint(-len(shape), len(shape) - 1)
        extent = shape[axis]
        indices = [rng.randrange(extent + (rng.random() < 0.03)) for _ in range(rng.randint(1, 5))]
        fields["indices"] = numbers(indices)
        add_line(lines, "reduceat", ufunc, fields, lambda: ufunc.reduceat(array, indices, **options))
    return lines


def outer_cases(count):
    lines = []
    while len(lines) < count:
        ufunc = rng.choice(BINARY)
        a, b = (Operand(dtype_for(ufunc), random_shape(0, 2)) for _ in range(2))
        if not exact(ufunc, a.dtype, b.dtype):
            continue
        add_line(lines, "outer", ufunc, {"a": str(a), "b": str(b)}, lambda: ufunc.outer(a.make(), b.make()))
    return lines


def at_cases(count):
    lines = []
    while len(lines) < count:
        ufunc = rng.choice([np.add, np.subtract, np.multiply, np.maximum, np.minimum, np.bitwise_or, np.logical_and, np.negative, np.square])
        dtype = dtype_for(ufunc)
        a = Operand(dtype, random_shape(1, 3), writable=True)
        extent = a.shape[0]
        indices = [rng.randint(-extent, extent - 1) for _ in range(rng.randint(0, 7))]
        if rng.random() < 0.05:
            indices.append(extent)
        fields = {"a": str(a), "indices": numbers(indices)}
        if ufunc is np.multiply and dtype in FLOATS + COMPLEX:
            continue
        b = None
        if ufunc.nin == 2:
            b = Operand(rng.choice([dtype, dtype_for(ufunc)]), into([len(indices), *a.shape[1:]]))
            fields["b"] = str(b)

        def call():
            target = np.array(a.make())
            index = np.array(indices, np.int64)
            if b is not None:
                # NumPy casts as unsafe here, kiln as same_kind (docs/methods.md).
                result = ufunc.resolve_dtypes((target.dtype, np.dtype(b.dtype), None))[-1]
                if not np.can_cast(result, target.dtype, "same_kind"):
                    raise TypeError("casting")
            ufunc.at(target, index) if b is None else ufunc.at(target, index, b.make())
            return target

        add_line(lines, "at", ufunc, fields, call)
    return lines


if __name__ == "__main__":
    lines = [f"# Made by make_calls.py with NumPy {np.__version__}."]
    for cases in (call_cases(1100), reduce_cases(700), accumulate_cases(250), reduceat_cases(200), outer_cases(150), at_cases(200)):
        lines += cases
    (FOLDER / "calls.txt").write_text("\n".join(lines) + "\n")
