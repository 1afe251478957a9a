#!/usr/bin/env python3
"""Writes gufuncs.txt with NumPy 2 (make_gufuncs.py FOLDER; ../../golden/pack.py packs it): calls of generalized ufuncs over dtypes,
layouts, core sizes, options and errors. NumPy's side of each kernel is one of its own gufuncs, or a Python function by
np.vectorize(signature=…); kiln's side, under the same name, is a body in gufunc_kernels.cpp.

A line is written as in make_calls.py: "gufunc", the kernel, fields name=value, then "->" and what NumPy gave. axes=0,1;1,2;-
has an entry for each operand. Values are small enough for sums to be exact in any order, so results must be equal."""
import pathlib
import random
import sys

import numpy as np
from numpy._core import _umath_tests

import make_calls
from make_calls import COMPLEX, FLOATS, INTEGERS, Operand, numbers, outcome

FOLDER = pathlib.Path(sys.argv[1])
rng = random.Random(20261122)
REAL = ["bool", *INTEGERS, *FLOATS]
ALL = [*REAL, *COMPLEX]
WIDE = ["int64", "float64"]


class Kernel:
    """`dtypes`: what its operands may be; `one`: all of them the same. `loop`: of a Python function, the dtype it computes in."""

    def __init__(self, layout, function, dtypes, loop=None, results=None, least=0):
        self.layout, self.dtypes, self.loop, self.least = layout, dtypes, loop, least
        inputs, outputs = layout.split("->")
        self.inputs, self.outputs = self.cores(inputs), self.cores(outputs)
        self.native = loop is None
        self.function = function
        if not self.native:
            otypes = results or [loop] * len(self.outputs)
            self.function = np.vectorize(function, signature=layout, otypes=otypes)

    @staticmethod
    def cores(text):
        return [[d for d in part.strip("()").split(",") if d] for part in text.replace("),(", ")|(").split("|")]


def pdist(a, out=None, **options):
    """NumPy's wants out, and writes n * (n - 1) / 2 numbers into it whatever its size is."""
    if out is None and np.ndim(a) >= 2 and not options:
        n = a.shape[-2]
        result = a.dtype.type if a.dtype in (np.float32, np.float64) else np.float32 if np.can_cast(a.dtype, np.float32) else np.float64
        out = np.empty(a.shape[:-2] + (n * (n - 1) // 2,), result)
    return _umath_tests.euclidean_pdist(a, out=out, **options)


def moments(x):
    return x.sum(axis=1), x.sum(axis=0), x.sum()


def extremes(x):
    return x.min(), x.max()


def moving(x, w):
    """Each element and the one before it, weighted."""
    before = np.concatenate([x[:1], x[:-1]])
    return x * w + before


def histogram(x, edges):
    return np.array([np.count_nonzero((x >= edges[i]) & (x < edges[i + 1])) for i in range(len(edges) - 1)] + [np.count_nonzero(x >= edges[-1])])


KERNELS = {
    "matmul": Kernel("(n?,k),(k,m?)->(n?,m?)", np.matmul, ALL),
    "vecdot": Kernel("(n),(n)->()", np.vecdot, REAL),
    "vecdot_complex": Kernel("(n),(n)->()", np.vecdot, COMPLEX),
    "matvec": Kernel("(m,n),(n)->(m)", np.matvec, REAL),
    "vecmat": Kernel("(n),(n,m)->(m)", np.vecmat, REAL),
    "inner1d": Kernel("(i),(i)->()", _umath_tests.inner1d, WIDE),
    "innerwt": Kernel("(i),(i),(i)->()", _umath_tests.innerwt, WIDE),
    "matrix_multiply": Kernel("(m,n),(n,p)->(m,p)", _umath_tests.matrix_multiply, ["int64", "float32", "float64"]),
    "cumsum": Kernel("(i)->(i)", _umath_tests.cumsum, WIDE),
    "cross1d": Kernel("(3),(3)->(3)", _umath_tests.cross1d, WIDE),
    "pdist": Kernel("(n,d)->(p)", pdist, ["float32", "float64", "int16"]),
    "conv1d": Kernel("(m),(n)->(p)", _umath_tests.conv1d_full, ["float64", "float32", "int32"]),
    "outer": Kernel("(m),(n)->(m,n)", np.outer, ["float64", "int32", "float32"], "float64"),
    "trace": Kernel("(n,n)->()", np.trace, ["int64", "int8", "bool"], "int64"),
    "transpose": Kernel("(m,n)->(n,m)", np.transpose, ["float64", "int16"], "float64"),
    "diagonal": Kernel("(n)->(n,n)", np.diag, ["int64", "uint8"], "int64"),
    "reverse": Kernel("(n)->(n)", lambda x: x[::-1], ["complex128", "float32"], "complex128"),
    "moments": Kernel("(m,n)->(m),(n),()", moments, ["float64", "float16"], "float64"),
    "extremes": Kernel("(n)->(),()", extremes, ["int64", "uint16"], "int64", least=1),
    "moving": Kernel("(n),()->(n)", moving, ["float64", "float32"], "float64", least=1),
    "argmin": Kernel("(n)->()", np.argmin, ["float64", "int32"], "float64", results=["int64"], least=1),
    "histogram": Kernel("(n),(k)->(k)", histogram, ["float64", "int8"], "float64", results=["int64"], least=1),
    "axpy": Kernel("(),(n),(n)->(n)", lambda a, x, y: a * x + y, ["float64", "int32"], "float64"),
    "scalars": Kernel("(),()->(),()", lambda a, b: (a + b, a - b), ["int64", "int32"], "int64"),
    "blocks": Kernel("(2,2),(n,2)->(n,2)", lambda a, x: x @ a.T, ["float64", "float32"], "float64"),
}


def moved(shape, count, entry):
    """The shape whose core, its last `count` axes, stands at the axes of the entry."""
    lead, core = shape[: len(shape) - count], shape[len(shape) - count:]
    whole = [None] * len(shape)
    for place, extent in zip(entry, core):
        whole[place] = extent
    rest = iter(lead)
    return [next(rest) if extent is None else extent for extent in whole]


def masked(kernel, arrays, mask, outs, missing, casting):
    """What kiln's where does: items where the mask is false keep the old values of out, and are zero without one."""
    if mask.dtype != np.bool_:
        raise TypeError("where")
    plain = kernel.function(*arrays)
    plain = plain if isinstance(plain, tuple) else (plain,)
    results = []
    for i, (value, core) in enumerate(zip(plain, kernel.outputs)):
        value = np.asarray(value)
        count = len([d for d in core if d not in missing])
        loop = value.shape[: value.ndim - count]
        given = () if outs is None else outs[i].shape[: outs[i].ndim - count]
        whole = np.broadcast_shapes(loop, mask.shape, given)
        shape = whole + value.shape[value.ndim - count:]
        out = np.zeros(shape, value.dtype) if outs is None else outs[i]
        if out.shape != shape:
            raise ValueError("out")
        if not np.can_cast(value.dtype, out.dtype, casting):
            raise TypeError("casting")
        chosen = np.broadcast_to(mask, whole).reshape(whole + (1,) * count)
        # Loop dimensions that the mask adds stand in front.
        value = value.reshape((1,) * (len(whole) - len(loop)) + value.shape)
        results.append(np.where(np.broadcast_to(chosen, shape), np.broadcast_to(value, shape), out).astype(out.dtype))
    return tuple(results)


def case(name, kernel):
    sizes = {}
    for d in [d for core in kernel.inputs for d in core]:
        sizes[d] = int(d) if d.isdigit() else max(kernel.least, rng.choice([0, 1, 2, 3, 3, 4, 5, 8, 17]))
    missing = {d for d in sizes if d.endswith("?") and rng.random() < 0.4} if kernel.native else set()
    loop = [rng.choice([1, 2, 3, 4]) for _ in range(rng.choice([0, 0, 1, 1, 2, 3]))]
    if kernel.native and loop and rng.random() < 0.07:
        loop[rng.randrange(len(loop))] = 0
    cores = [[d for d in core if d not in missing] for core in kernel.inputs]
    shapes = []
    for core in cores:
        lead = list(loop)
        if rng.random() < 0.5:
            lead = [1 if rng.random() < 0.3 else n for n in lead][rng.randrange(len(lead) + 1):]
        shapes.append(lead + [sizes[d] for d in core])
    broken = rng.random() < 0.1
    if broken:
        victim = rng.choice(shapes)
        if victim and rng.random() < 0.75:
            victim[rng.randrange(len(victim))] += rng.choice([1, 2])
        elif victim:
            victim.pop()
    dtypes = [rng.choice(kernel.dtypes) for _ in shapes]
    if rng.random() < 0.5:
        dtypes = [dtypes[0]] * len(shapes)

    # Axes: on inputs, and on outputs where they are said.
    fields, options = {}, {}
    takes_axes = kernel.native and name not in ("pdist",) and not broken
    entries = None
    if takes_axes and rng.random() < 0.3:
        entries = []
        for i, shape in enumerate(shapes):
            entry = rng.sample(range(len(shape)), len(cores[i]))
            shapes[i] = moved(shape, len(cores[i]), entry)
            entries.append([a - len(shape) if rng.random() < 0.4 else a for a in entry])
        ndim = max(len(s) - len(c) for s, c in zip(shapes, cores))
        for core in kernel.outputs:
            count = len([d for d in core if d not in missing])
            entries.append(rng.sample(range(ndim + count), count))
        if not any(kernel.outputs) and rng.random() < 0.5:
            entries = entries[: len(shapes)]
        if rng.random() < 0.1:
            entries[rng.randrange(len(entries))] = [rng.choice([-5, 0, 1, 4])] * rng.choice([1, 2])
        options["axes"] = [tuple(e) for e in entries]
        fields["axes"] = ";".join(numbers(e) for e in entries)
    elif takes_axes and rng.random() < (0.35 if len(set(sum(kernel.inputs, []))) == 1 else 0.03):
        options["axis"] = rng.choice([-2, -1, 0, 1])
        fields["axis"] = options["axis"]
        if rng.random() < 0.8:
            shapes = [moved(s, 1, [options["axis"]]) if len(s) >= max(options["axis"] + 1, -options["axis"]) else s for s in shapes]
    if takes_axes and rng.random() < (0.25 if not any(kernel.outputs) else 0.02):
        options["keepdims"] = True
        fields["keepdims"] = 1

    operands = [Operand(d, s) for d, s in zip(dtypes, shapes)]
    arrays = [o.make() for o in operands]
    for letter, operand in zip("abc", operands):
        fields[letter] = str(operand)
    if name in ("moving", "axpy") and rng.random() < 0.5:
        at = kernel.inputs.index([])
        value = rng.choice([0, 3, -1, 2.5])
        arrays[at], fields["abc"[at]] = value, f"scalar/{value!r}"

    def computed():
        """NumPy's vectorize knows neither loops nor casts: the kernel's loop is one of one dtype."""
        if kernel.native:
            return arrays
        return [np.asarray(a).astype(kernel.loop) if np.can_cast(np.asarray(a).dtype, kernel.loop, "safe") else a for a in arrays]

    if kernel.native and name == "matmul" and rng.random() < 0.1:
        options["casting"] = fields["casting"] = rng.choice(["no", "equiv", "safe", "same_kind"])
    if kernel.native and name in ("matmul", "vecdot", "inner1d", "cumsum") and rng.random() < 0.1:
        options["dtype"] = fields["dtype"] = rng.choice(["float32", "float64", "int64"])

    plain = None
    try:
        with np.errstate(all="ignore"):
            plain = kernel.function(*computed(), **options)
            plain = plain if isinstance(plain, tuple) else (plain,)
    except (TypeError, ValueError):
        pass
    outs = None
    if plain is not None and rng.random() < 0.35:
        outs = []
        for result in plain:
            shape = list(np.shape(result))
            if rng.random() < 0.15:
                shape = [2, *shape]
            elif rng.random() < 0.08 and shape:
                shape[rng.randrange(len(shape))] += 1
            dtype = str(result.dtype) if rng.random() < 0.6 else rng.choice(ALL)
            outs.append(Operand(dtype, shape, writable=True))
        if len({tuple(o.shape[: len(o.shape) - len(c)]) for o, c in zip(outs, kernel.outputs)}) > 1:
            outs = None
    if outs is not None and name == "pdist":
        n = shapes[0][-2]
        if outs[0].shape[-1] != n * (n - 1) // 2:
            outs = None
    if outs is not None:
        fields["out"] = ";".join(str(o) for o in outs)
    mask = None
    if plain is not None and "axes" not in options and "axis" not in options and "keepdims" not in options and rng.random() < 0.2:
        whole = np.shape(plain[0])
        whole = list(whole[: len(whole) - len([d for d in kernel.outputs[0] if d not in missing])])
        if rng.random() < 0.2:
            whole = [2, *whole]
        mask = Operand("bool" if rng.random() < 0.95 else "int8", make_calls.into(whole))
        fields["where"] = str(mask)

    def call():
        targets = None if outs is None else [np.array(o.make()) for o in outs]
        casting = options.get("casting", "same_kind")
        if mask is not None:
            if "dtype" in options or "casting" in options:
                raise Skip
            return masked(kernel, computed(), mask.make(), targets, missing, casting)
        if targets is None:
            return kernel.function(*computed(), **options)
        if kernel.native:
            result = kernel.function(*computed(), out=tuple(targets) if len(targets) > 1 else targets[0], **options)
            # NumPy's gufuncs, unlike its ufuncs, take an out that lacks loop dimensions of extent 1; kiln takes it in neither.
            if any(np.ndim(p) > t.ndim for p, t in zip(plain, targets)):
                raise ValueError("out")
            return result
        for value, target in zip(plain, targets):
            if not np.can_cast(value.dtype, target.dtype, casting):
                raise TypeError("casting")
            count = len(kernel.outputs[targets.index(target) if len(targets) == 1 else [t is target for t in targets].index(True)])
            if value.shape[value.ndim - count:] != target.shape[target.ndim - count:]:
                raise ValueError("core")
            if np.broadcast_shapes(value.shape, target.shape) != target.shape:
                raise ValueError("out")
            target[...] = value
        return tuple(targets)

    try:
        # Which zeros of a product are negative is the BLAS's.
        answer = outcome(call).replace("-0x0.0p+0", "0x0.0p+0")
    except Skip:
        return None
    words = ["gufunc", name] + [f"{k}={v}" for k, v in fields.items()]
    return " ".join(words) + " -> " + answer


class Skip(Exception):
    pass


def main():
    lines = [f"# Made by make_gufuncs.py with NumPy {np.__version__}."]
    for name, kernel in KERNELS.items():
        wanted = 130 if name == "matmul" else 40
        refused = 0
        made = []
        while len(made) < wanted:
            line = case(name, kernel)
            if line is None or line in made or len(line) > 4000:
                continue
            if line.endswith("-> error"):
                refused += 1
                if refused > wanted * 0.2:
                    continue
            made.append(line)
        lines += made
    (FOLDER / "gufuncs.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
