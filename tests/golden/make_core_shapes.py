#!/usr/bin/env python3
"""Writes core_shapes.txt: the shapes that NumPy's own gufuncs give, or which of their checks fails first.

usage: make_core_shapes.py FOLDER        (needs NumPy 2; made with 2.4; pack.py packs it)

A line: layout | inputs | outputs given | axes | axis | keepdims | result. A shape is written 2x3, that of a scalar as a dot, what
is not given as an underscore; entries of axes are parted by blanks. The result is the outputs' shapes or "error KIND".
"""
import itertools
import pathlib
import random
import sys
import warnings

import numpy as np
from numpy._core import _umath_tests
from numpy.linalg import _umath_linalg

GUFUNCS = [
    _umath_tests.inner1d, _umath_tests.innerwt, _umath_tests.matmul, _umath_tests.matrix_multiply, _umath_tests.cumsum,
    _umath_tests.cross1d, _umath_tests.euclidean_pdist, np.matmul, np.vecdot, np.matvec, np.vecmat, _umath_linalg.det,
    _umath_linalg.slogdet, _umath_linalg.inv, _umath_linalg.solve, _umath_linalg.solve1, _umath_linalg.eigh_lo,
]

# What NumPy's message says; the order of its checks is the order of kiln's.
KINDS = [
    ("axis can only be used", "option"), ("does not support keepdims", "option"), ("cannot specify both", "option"),
    ("not have enough dimensions", "dimensions"), ("axes should be a list", "axes"), ("axes item", "axes"),
    ("specified by axes tuple", "axes"), ("is out of bounds", "axes"), ("mismatch in its core dimension", "core"),
    ("unspecified", "unresolved"), ("could not be broadcast together", "loop"), ("non-broadcastable output", "loop"),
    ("requires a reduction", "loop"),
]


def layout_of(gufunc):
    inputs, outputs = gufunc.signature.replace(" ", "").split("->")

    def operands(text):
        return [[d for d in part.strip("()").split(",") if d] for part in text.replace("),(", ")|(").split("|")]

    return operands(inputs), operands(outputs)


def kind_of(error):
    for text, kind in KINDS:
        if text in str(error):
            return kind
    raise RuntimeError(f"no kind for: {type(error).__name__}: {error}") from error


def shape_text(shape):
    return "_" if shape is None else "x".join(map(str, shape)) or "."


def case(rng, gufunc):
    inputs, outputs = layout_of(gufunc)
    sizes = {d: int(d) if d[0].isdigit() else rng.choice([0, 1, 2, 3, 4, 5, 5]) for d in itertools.chain(*inputs, *outputs)}
    missing = {d for d in sizes if d.endswith("?") and rng.random() < 0.5}
    loop = [rng.choice([0, 1, 2, 3, 6]) for _ in range(rng.choice([0, 0, 1, 1, 2, 3]))]
    if gufunc.__name__ == "euclidean_pdist":
        loop = [0, *loop]  # it writes n * (n - 1) / 2 numbers for each item, whatever the size of its output
    keepdims = rng.random() < (0.4 if not any(outputs) else 0.03)

    def shape(core, is_output=False):
        lead = list(loop)
        if not is_output and rng.random() < 0.5:
            lead = [1 if rng.random() < 0.3 else n for n in lead][rng.randrange(len(lead) + 1):]
        return lead + [sizes[d] for d in core if d not in missing]

    shapes = [shape(core) for core in inputs]
    kept = [d for d in inputs[0] if d not in missing]
    outs = [(list(loop) + [1] * len(kept)) if keepdims else shape(core, True) for core in outputs]
    cores = [[d for d in core if d not in missing] for core in inputs] + [kept if keepdims else [d for d in c if d not in missing] for c in outputs]

    axes, axis = None, None
    everything = shapes + outs
    if rng.random() < 0.4:
        axes = []
        for i, whole in enumerate(everything):
            count = len(cores[i])
            entry = rng.sample(range(len(whole)), count) if len(whole) >= count else list(range(count))
            # The core's extents move to the axes that are named.
            lead, core = whole[: len(whole) - count], whole[len(whole) - count:]
            moved = [None] * len(whole)
            for place, extent in zip(entry, core):
                moved[place] = extent
            rest = iter(lead)
            everything[i] = [extent if extent is not None else next(rest) for extent in moved]
            axes.append([a - len(whole) if rng.random() < 0.5 else a for a in entry])
        if not any(outputs) and rng.random() < 0.5:
            axes = axes[: len(inputs)]
    elif max(map(len, inputs)) > 1 and len(sizes) == 1:
        pass  # NumPy takes an axis for (m,m)->() and does nonsense; kiln refuses it
    elif rng.random() < (0.5 if len(sizes) == 1 else 0.05):
        axis = rng.randrange(-3, 3)
    # Break it in one way or another.
    if rng.random() < 0.3:
        victim = rng.choice(everything)
        if victim and rng.random() < 0.7:
            victim[rng.randrange(len(victim))] = rng.choice([0, 1, 2, 3, 7])
        elif victim and rng.random() < 0.5:
            victim.pop(rng.randrange(len(victim)))
        else:
            victim.insert(0, rng.choice([1, 2, 3]))
    if axes and rng.random() < 0.2:
        what = rng.random()
        if what < 0.3 and len(axes) > 1:
            axes.pop()
        else:
            entry = rng.choice(axes)
            if entry and what < 0.7:
                entry[rng.randrange(len(entry))] = rng.choice([-4, -1, 0, 1, 3])
            else:
                entry.append(0)
    shapes, outs = everything[: len(inputs)], everything[len(inputs):]
    unresolved = {"euclidean_pdist"}
    given = [out if rng.random() < (0.8 if gufunc.__name__ in unresolved else 0.3) else None for out in outs]
    return shapes, given, axes, axis, keepdims


def run(gufunc, shapes, given, axes, axis, keepdims):
    options = {}
    if any(out is not None for out in given):
        options["out"] = tuple(None if out is None else np.zeros(out) for out in given)
    if axes is not None:
        options["axes"] = [tuple(entry) for entry in axes]
    if axis is not None:
        options["axis"] = axis
    if keepdims:
        options["keepdims"] = True
    arguments = [np.zeros(shape) for shape in shapes]
    try:
        result = gufunc(*arguments, **options)
    except (ValueError, TypeError) as error:
        return "error " + kind_of(error)
    results = result if isinstance(result, tuple) else (result,)
    if "out" in options and "p" not in gufunc.signature:
        # NumPy's gufuncs, unlike its ufuncs, take an out that lacks loop dimensions of extent 1; kiln takes it in neither.
        options.pop("out")
        try:
            alone = gufunc(*arguments, **options)
        except np.exceptions.AxisError:  # axes that only the out has, which so has more
            alone = results
        alone = alone if isinstance(alone, tuple) else (alone,)
        if any(np.ndim(a) > np.ndim(r) for a, r in zip(alone, results)):
            return "error loop"
    return " ".join(shape_text(np.shape(r)) for r in results)


def main():
    warnings.simplefilter("ignore")
    rng = random.Random(11)
    lines = {f"# Made by make_core_shapes.py with NumPy {np.__version__}.": None}
    for gufunc in GUFUNCS:
        made = 0
        while made < 110:
            shapes, given, axes, axis, keepdims = case(rng, gufunc)
            result = run(gufunc, shapes, given, axes, axis, keepdims)
            line = " | ".join([
                gufunc.signature, " ".join(map(shape_text, shapes)), " ".join(map(shape_text, given)),
                "_" if axes is None else " ".join(",".join(map(str, entry)) or "." for entry in axes),
                "_" if axis is None else str(axis), "1" if keepdims else "0", result])
            if line not in lines:
                lines[line] = None
                made += 1
    (pathlib.Path(sys.argv[1]) / "core_shapes.txt").write_text("\n".join(lines) + "\n")


main()
