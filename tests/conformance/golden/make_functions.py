#!/usr/bin/env python3
"""Writes with NumPy 2 (make_functions.py FOLDER; ../../golden/pack.py packs it) what its functions over arrays give:

statistics.txt   function dtype shape axes keepdims ddof nan -> dtype shape values, or "-> error"
making.txt       function arguments… -> dtype shape values
moving.txt       function shape layout arguments… -> shape values[|shape values]…, or "-> error"
places.txt       function shape layout [shape values]… -> shape values, or "-> error"; the values "mask" are those of mask()

"*" stands for all axes, "-" for nothing. Element i of an input of statistics.txt is element(), of the last two files it is i, in
an array of that layout: c, t (transposed), s (every other element of the last axis), r (backwards)."""
import pathlib
import random
import sys
import warnings

import numpy as np

REALS = "float16 float32 float64".split()
COMPLEX = "complex64 complex128".split()
INTEGERS = "bool int8 int32 int64 uint8 uint64".split()
STATISTICS = {name: INTEGERS + REALS + COMPLEX for name in "sum prod mean var std min max any all argmin argmax cumsum cumprod".split()}
SHAPES = [(), (1,), (7,), (3, 4), (4, 1, 3), (2, 3, 4), (0,), (0, 3), (3, 0), (3, 130), (130, 3)]


def data(function, dtype, shape, nan):
    numbers = [(i * 7919 + 13) % 23 for i in range(int(np.prod(shape, dtype=np.int64)))]
    if function in ("prod", "cumprod"):
        numbers = [n % 3 + 1 for n in numbers] if len(shape) < 2 or max(shape) < 100 else [n % 2 + 1 if n == 5 else 1 for n in numbers]
    elif function in ("any", "all"):
        numbers = [n % 11 // 10 if function == "any" else n % 13 for n in numbers]
    elif not dtype.startswith(("b", "u")):
        numbers = [n - 11 for n in numbers]
    values = np.array(numbers, np.int64).astype(dtype)
    if dtype.startswith("complex"):
        values += (values.real[::-1] * 0.5 * 1j).astype(dtype)
    if nan:
        values[5::17] = np.nan
    return values.reshape(shape)


def number(value):
    if isinstance(value, complex):
        return f"{value.real.hex()}:{value.imag.hex()}"
    return value.hex() if isinstance(value, float) else str(int(value))


def listed(numbers):
    return ",".join(str(n) for n in numbers) or "-"


def extents(shape):
    return listed(shape) if len(shape) else "()"


def shown(array, with_dtype=True):
    return (f"{array.dtype} " if with_dtype else "") + f"{extents(array.shape)} {listed(number(v) for v in array.ravel().tolist())}"


def tried(call):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except (ValueError, IndexError):
            return "error"


def statistic(source):
    function = source.choice(list(STATISTICS))
    dtype = source.choice(STATISTICS[function])
    shape = source.choice(SHAPES)
    nan = dtype in REALS and source.random() < 0.2
    a = data(function, dtype, shape, nan)
    axes, text = None, "*"
    several = function not in ("argmin", "argmax", "cumsum", "cumprod")
    if shape and source.random() < 0.6:
        count = source.randint(1, len(shape)) if several and source.random() < 0.4 else 1
        axes = tuple(n - len(shape) if source.random() < 0.3 else n for n in source.sample(range(len(shape)), count))
        text = listed(axes)
    options = {"axis": axes[0] if axes is not None and len(axes) == 1 else axes}
    if not function.startswith("cum"):
        options["keepdims"] = source.random() < 0.3
    if function in ("var", "std"):
        options["ddof"] = source.choice([0, 0, 1, 0.5])
    result = tried(lambda: shown(np.asarray(getattr(np, function)(a, **options))))
    return (f"{function} {dtype} {extents(shape)} {text} {int(options.get('keepdims', False))} {options.get('ddof', 0)} {int(nan)} -> {result}")


def made(source):
    dtype = source.choice(["int8", "int32", "int64", "uint64", "float16", "float32", "float64"])
    kind = source.choice(["arange", "arange", "linspace", "eye"])
    if kind == "arange":
        whole = source.random() < 0.5
        numbers = [source.randint(-9, 9) if whole else source.choice([-1.5, -0.3, 0.0, 0.1, 1 / 3, 2.7, 1e-3]) for _ in range(2)]
        step = source.choice([1, 2, 3, -1, -4]) if whole else source.choice([0.1, 0.25, -0.3, 1 / 7])
        if dtype == "uint64":
            numbers, step = [abs(n) for n in numbers], abs(step)
        chosen = dtype if source.random() < 0.6 and (whole or dtype.startswith("f")) else "-"
        options = {} if chosen == "-" else {"dtype": chosen}
        result = np.arange(numbers[0], numbers[1], step, **options)
        return f"arange {'int' if whole else 'float'} {number(numbers[0])},{number(numbers[1])},{number(step)} {chosen} -> {shown(result)}"
    if kind == "linspace":
        start, stop = source.choice([0.0, -2.5, 1 / 3]), source.choice([1.0, 7.25, -3.3, 0.0])
        if dtype == "uint64":
            start, stop = abs(start), abs(stop)
        count, endpoint = source.choice([0, 1, 2, 5, 11]), source.random() < 0.6
        return f"linspace {number(start)},{number(stop)} {count},{int(endpoint)} {dtype} -> {shown(np.linspace(start, stop, count, endpoint=endpoint, dtype=dtype))}"
    rows, columns, k = source.randint(0, 4), source.randint(0, 5), source.randint(-5, 5)
    return f"eye {rows},{columns},{k} - {dtype} -> {shown(np.eye(rows, columns, k, dtype=dtype))}"


def array(shape, layout):
    n = int(np.prod(shape, dtype=np.int64))
    if layout == "t":
        return np.arange(n).reshape(shape[::-1]).T
    if layout == "s":
        return np.arange(2 * n).reshape(shape[:-1] + (2 * shape[-1],))[..., ::2]
    return np.flip(np.arange(n).reshape(shape)) if layout == "r" else np.arange(n).reshape(shape)


def mask(shape):
    return np.array([(i * 5) % 3 != 0 for i in range(int(np.prod(shape, dtype=np.int64)))], bool).reshape(shape)


def moved(source):
    shape = source.choice([(1,), (6,), (3, 4), (4, 1, 3), (2, 3, 4), (0, 3), (2, 1, 2, 3)])
    rank, layout = len(shape), source.choice("cctsr")
    a = array(shape, layout)
    axis = source.randint(-rank, rank - 1)
    maybe = axis if source.random() < 0.7 else None
    axis_text = "-" if maybe is None else axis
    some = source.sample(range(rank), source.randint(1, rank))
    extent = a.shape[axis] if maybe is not None else a.size
    index_shape = source.choice([(), (1,), (5,), (2, 3)])
    mode = source.choice(["raise", "raise", "wrap", "clip"])

    def indices(extent):
        low, high = (-extent, extent - 1) if mode == "raise" and source.random() < 0.95 else (-2 * extent, 2 * extent)
        return np.array([source.randint(min(low, high), max(low, high)) for _ in range(int(np.prod(index_shape)))], np.int64).reshape(index_shape)

    function = source.choice("""concatenate stack split split_at repeat tile roll flip expand_dims squeeze swapaxes moveaxis take compress mask index
        set_mask set_index add_mask put nonzero where meshgrid""".split())
    if function == "concatenate":
        words, call = f"{axis}", lambda: [np.concatenate([a, a * 2, np.take(a, [], axis)], axis)]
    elif function == "stack":
        axis = source.randint(-rank - 1, rank)
        words, call = f"{axis}", lambda: [np.stack([a, a * 2, a + 1], axis)]
    elif function == "split":
        parts = source.choice([1, 2, 3])
        words, call = f"{parts} {axis}", lambda: np.split(a, parts, axis)
    elif function == "split_at":
        at = [source.randint(-2, 5) for _ in range(source.randint(1, 3))]
        words, call = f"{listed(at)} {axis}", lambda: np.split(a, at, axis)
    elif function == "repeat":
        count = source.randint(0, 3)
        words, call = f"{count} {axis_text}", lambda: [np.repeat(a, count, maybe)]
    elif function == "tile":
        counts = [source.randint(0, 2) for _ in range(source.randint(1, rank + 1))]
        words, call = f"{listed(counts)}", lambda: [np.tile(a, counts)]
    elif function == "roll":
        shift = source.randint(-9, 9)
        words, call = f"{shift} {axis_text}", lambda: [np.roll(a, shift, maybe)]
    elif function == "flip":
        words, call = f"{'*' if maybe is None else listed(some)}", lambda: [np.flip(a, None if maybe is None else tuple(some))]
    elif function == "expand_dims":
        places = source.sample(range(rank + 2), 2)
        words, call = f"{listed(places)}", lambda: [np.expand_dims(a, tuple(places))]
    elif function == "squeeze":
        words, call = f"{'*' if maybe is None else listed(some)}", lambda: [np.squeeze(a, None if maybe is None else tuple(some))]
    elif function == "swapaxes":
        words, call = f"{axis} {some[0]}", lambda: [np.swapaxes(a, axis, some[0])]
    elif function == "moveaxis":
        to = source.sample(range(rank), len(some))
        words, call = f"{listed(some)} {listed(to)}", lambda: [np.moveaxis(a, some, to)]
    elif function == "take":
        at = indices(extent)
        words, call = f"{extents(index_shape)} {listed(at.ravel())} {axis_text} {mode}", lambda: [np.take(a, at, maybe, mode=mode)]
    elif function == "compress":
        condition = mask((source.randint(0, extent),))
        words, call = f"{condition.size} {axis_text}", lambda: [np.compress(condition, a, maybe)]
    elif function in ("mask", "set_mask", "add_mask"):
        count = source.randint(1, rank)
        words, m = f"{count}", mask(shape[:count])

        def call():
            b = a.copy()
            if function == "mask":
                return [a[m]]
            if function == "set_mask":
                b[m] = 1000 + np.arange(shape[-1]) if count < rank else 1000
            else:
                b[m] += 100
            return [b]
    elif function in ("index", "set_index"):
        at = indices(shape[0])
        words = f"{extents(index_shape)} {listed(at.ravel())}"

        def call():
            b = a.copy()
            if function == "index":
                return [a[at]]
            b[at] = -7
            return [b]
    elif function == "put":
        count, at = source.randint(0, 4), indices(a.size)
        words = f"{extents(index_shape)} {listed(at.ravel())} {count} {mode}"

        def call():
            b = a.copy()
            if not count and at.size:
                raise ValueError
            np.put(b, at, 1000 + np.arange(count), mode)
            return [b]
    elif function == "nonzero":
        words, call = "-", lambda: list(np.nonzero(a % 3))
    elif function == "where":
        words, call = "-", lambda: [np.where(a % 3, a, -1)]
    else:
        sparse, ij = source.random() < 0.5, source.random() < 0.5
        words, call = f"{int(sparse)},{int(ij)}", lambda: list(np.meshgrid(*[np.arange(n) for n in shape], sparse=sparse, indexing="ij" if ij else "xy"))
    result = tried(lambda: "|".join(shown(np.asarray(part), False) for part in call()))
    return f"{function} {extents(shape)} {layout} {words} -> {result}"


def placed(source):
    """Several arrays of indices, one for each of the first axes."""
    shape = source.choice([(6,), (3, 4), (4, 1, 3), (2, 3, 4), (0, 3), (2, 0), (2, 1, 2, 3), (5, 4, 3)])
    layout = source.choice("cctsr")
    a = array(shape, layout)
    common = source.choice([(), (1,), (5,), (2, 3), (3, 1, 2), (0,)])
    which, words, axis, beyond = [], [], 0, False
    for _ in range(source.randint(1, len(shape) + (source.random() < 0.05))):
        extent = shape[axis] if axis < len(shape) else 2
        if source.random() < 0.1 and axis < len(shape):
            m = mask(shape[axis:axis + source.randint(1, len(shape) - axis)] if source.random() < 0.9 else (extent + 1,))
            which.append(m)
            words.append(f"{extents(m.shape)} mask")
            axis += m.ndim
            continue
        own = tuple(1 if source.random() < 0.25 else n for n in common[source.randint(0, len(common)):] if source.random() < 0.97)
        low, high = (-extent, extent - 1) if source.random() < 0.97 and extent else (-extent - 1, extent)
        at = np.array([source.randint(low, high) for _ in range(int(np.prod(own)))], np.int64).reshape(own)
        which.append(at)
        beyond = beyond or bool(np.any((at < -extent) | (at >= extent)))
        words.append(f"{extents(own)} {listed(at.ravel())}")
        axis += 1
    if beyond and any(each.size == 0 for each in which):
        return placed(source)  # NumPy looks at indices that select nothing in some loops
    function = source.choice(["get", "get", "set", "add"])

    def call():
        b = a.copy(order="K") if layout == "c" else a
        if function == "get":
            return b[tuple(which)]
        if function == "set":
            b[tuple(which)] = 1000 + np.arange(shape[-1]) if axis < len(shape) else 1000
        else:
            b[tuple(which)] += 100
        return b
    result = tried(lambda: shown(np.asarray(call()), False))
    return f"{function} {extents(shape)} {layout} {' '.join(words)} -> {result}"


def main():
    for name, line, count in (("statistics", statistic, 900), ("making", made, 400), ("moving", moved, 1500), ("places", placed, 900)):
        source = random.Random(48)
        lines = sorted({line(source) for _ in range(count)})
        (pathlib.Path(sys.argv[1]) / f"{name}.txt").write_text("\n".join([f"# Made by make_functions.py with NumPy {np.__version__}."] + lines) + "\n")


if __name__ == "__main__":
    main()
