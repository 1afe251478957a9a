#!/usr/bin/env python3
"""Writes casts.txt, promotions.txt, loops.txt and layouts.txt with NumPy 2 (make_golden.py FOLDER; ../../golden/pack.py packs them).
Each line of a file is one case, fields separated by blanks; a line that starts with # is a comment. The conformance suite reads them."""
import pathlib
import sys
import warnings

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
DTYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128").split()
SCALARS = {"bool": [True], "int": [0, 3, -1, 127, 128, 255, 256, 40000, 70000, 2**31, 2**32, 2**62], "float": [2.5], "complex": [1 + 2j]}


def write(name, comment, lines):
    header = [f"# Made by make_golden.py with NumPy {np.__version__}.", f"# {comment}"]
    (FOLDER / name).write_text("\n".join(header + lines) + "\n")


def outcome(call):
    """The dtypes that a ufunc call gives, or the name of its error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return str(call().dtype)
        except OverflowError:
            return "overflow"
        except TypeError:
            return "error"


def casts():
    lines = [f"{casting} {a} {b} {int(np.can_cast(a, b, casting))}"
             for casting in ("no", "equiv", "safe", "same_kind", "unsafe") for a in DTYPES for b in DTYPES]
    write("casts.txt", "numpy.can_cast: casting from to answer", lines)


def promotions():
    lines = [f"{a} {b} {np.result_type(a, b)}" for a in DTYPES for b in DTYPES]
    write("promotions.txt", "numpy.result_type of two arrays: a b result", lines)


def array(dtype, shape):
    return np.ones(shape, dtype)


def scalar_text(value):
    return str(value).replace(" ", "")


def loops():
    """Ufuncs with lists of loops: which one runs. Arrays a, 0-d arrays z, Python scalars s."""
    lines = []
    ufuncs = [np.sqrt, np.arctan2, np.left_shift, np.add, np.logaddexp]
    for ufunc in ufuncs:
        types = [t for t in ufunc.types if not set(t) & set("gGOMmqQpP")]
        spelled = ";".join(",".join(str(np.dtype(c)) for c in t.replace("->", "")) for t in types)
        lines.append(f"ufunc {ufunc.__name__} {spelled}")
        for a in DTYPES:
            if ufunc.nin == 1:
                lines.append(f"{ufunc.__name__} a:{a} -> {outcome(lambda: ufunc(array(a, 2)))}")
                continue
            for b in DTYPES:
                lines.append(f"{ufunc.__name__} a:{a} a:{b} -> {outcome(lambda: ufunc(array(a, 2), array(b, 2)))}")
                lines.append(f"{ufunc.__name__} a:{a} z:{b} -> {outcome(lambda: ufunc(array(a, 2), array(b, ())[...]))}")
            for kind, values in SCALARS.items():
                for value in values:
                    lines.append(f"{ufunc.__name__} a:{a} s:{kind}:{scalar_text(value)} -> {outcome(lambda: ufunc(array(a, 2), value))}")
    write("loops.txt", "the dtype that a ufunc gives: an array a:dtype, a 0-d array z:dtype, a Python scalar s:kind:value", lines)


def layouts():
    """K order: strides of np.add's fresh result, in elements."""
    rng = np.random.default_rng(20)
    lines = []

    def operand(shape):
        """An int32 array of that shape with permuted, stepped, reversed or repeated axes."""
        n = len(shape)
        perm = rng.permutation(n)
        steps = rng.choice([1, 1, 1, 2, -1], n)
        base_shape = [int(shape[p] * abs(steps[p])) for p in perm]
        base = np.zeros(base_shape, np.int32)
        view = base[tuple(slice(None, None, int(steps[p])) for p in perm)]
        view = view.transpose(np.argsort(perm))
        for axis in range(n):
            if rng.random() < 0.1:
                view = np.broadcast_to(view.take([0], axis), shape)
        assert view.shape == tuple(shape)
        return view

    def numbers(values):
        return ",".join(str(int(v)) for v in values) or "-"

    for case in range(150):
        shape = [int(x) for x in rng.choice([1, 2, 3, 4], rng.integers(1, 5))]
        a, b = operand(shape), operand(shape)
        if case % 3 == 0:
            b = a
        result = np.add(a, b)
        # Strides of axes of extent 1 say nothing.
        strides = [s // 4 if e > 1 else 0 for s, e in zip(result.strides, shape)]
        lines.append(" ".join([numbers(shape), numbers(s // 4 for s in a.strides), numbers(s // 4 for s in b.strides), numbers(strides)]))
    write("layouts.txt", "shape, strides of a and b, strides of numpy.add(a, b), all in elements (0 where the extent is 1)", lines)


if __name__ == "__main__":
    casts()
    promotions()
    loops()
    layouts()
