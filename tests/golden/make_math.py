#!/usr/bin/env python3
"""Writes values.txt and dtypes.txt: what NumPy's functions give, for tests/math/.

usage: make_math.py FOLDER        (needs numpy >= 2 and mpmath; the tests themselves need neither; pack.py packs it)

values.txt has lines "set NAME DTYPE HEX…", the inputs, and "FUNCTION INPUTS -> OUTPUTS MODE SETS : HEX… [; HEX…]", a loop with its
results. Numbers are the bits of an element in hexadecimal, real and imaginary part joined by a comma. MODE is "exact" (every bit but NaN's and,
for zeros of extrema, the sign), "ulp N" (units in the last place of the result), "norm N" (of the larger component; an infinity
beside a NaN has either sign), or "scaled N" (of the
largest of the result and the inputs, for results that cancel).

Exact results are NumPy's. Where NumPy's are within some ulp only, finite ones come from mpmath with 2400 bits. bfloat16, which NumPy has not,
is NumPy's or mpmath's result on the same values, rounded once from float32 or more.
"""
import itertools
import pathlib
import sys
import warnings

import mpmath
import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")
mpmath.mp.prec = 2400

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = [name for pair in zip(SIGNED, UNSIGNED) for name in pair]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEXES = ["complex64", "complex128"]
ALL = ["bool", *INTEGERS, *FLOATS, *COMPLEXES]
NUMPY = [name for name in ALL if name != "bfloat16"]


# bfloat16 travels as float32 with 16 low bits of zero.
def to_bfloat(values):
    """Rounds to the nearest bfloat16, from float64 through a float32 rounded to odd."""
    wide = np.asarray(values, np.float64)
    near = wide.astype(np.float32)
    bits = near.view(np.uint32).copy()
    inexact = (near.astype(np.float64) != wide) & np.isfinite(wide)
    away = np.abs(near.astype(np.float64)) > np.abs(wide)
    bits[inexact & away] -= 1
    bits[inexact] |= 1
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
    nan = np.isnan(near)
    rounded[nan] = 0x7FC00000
    return rounded.view(np.float32)


def held(dtype):
    """The NumPy dtype that carries `dtype`."""
    return np.dtype("float32" if dtype == "bfloat16" else dtype)


def store(values, dtype):
    return to_bfloat(values) if dtype == "bfloat16" else np.asarray(values).astype(held(dtype))


def hexes(values, dtype):
    if dtype.startswith("complex"):
        part = "uint32" if dtype == "complex64" else "uint64"
        flat = np.ascontiguousarray(values).view(part).reshape(-1, 2)
        return " ".join(f"{a:x},{b:x}" for a, b in flat)
    if dtype == "bfloat16":
        return " ".join(f"{v >> 16:x}" for v in np.ascontiguousarray(values, np.float32).view(np.uint32))
    if dtype == "bool":
        return " ".join("1" if v else "0" for v in values)
    return " ".join(f"{v:x}" for v in np.ascontiguousarray(values).view(f"uint{held(dtype).itemsize * 8}"))


random = np.random.default_rng(20261121)


def tricky_floats(dtype):
    info = {"float16": (5.96e-8, 6.104e-05, 65504.0), "bfloat16": (9.2e-41, 1.1754944e-38, 3.3895314e38)}.get(dtype)
    if info is None:
        f = np.finfo(dtype)
        info = (float(f.smallest_subnormal), float(f.tiny), float(f.max))
    least, tiny, most = info
    after_one = 1 + {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-23, "float64": 2**-52}[dtype]
    positive = [0.0, least, 3 * least, tiny, tiny * 1.5, 1e-3, 0.25, 0.5, 0.75, 1.0, after_one, 1.5, 2.0, 2.5, 3.0, np.pi / 2, 10.0, 88.75, 709.5,
                1e4, most / 2, most, np.inf]
    if dtype in ("float32", "float64", "bfloat16"):
        positive += [1e-30, 1e9, 1e22]
    if dtype == "float64":
        positive += [1e-300, 2.0**53, 2.0**53 + 2, 1e300]
    return np.array([s * v for v in positive for s in (1, -1)] + [np.nan])


def unary_floats(dtype):
    span = {"float16": 4, "bfloat16": 36, "float32": 36, "float64": 300}[dtype]
    return np.concatenate([tricky_floats(dtype), random.normal(0, 1, 12), random.uniform(-1, 1, 16), random.uniform(1, 20, 10),
                           10 ** random.uniform(-span, span, 12) * random.choice([-1, 1], 12)])


def few_floats(dtype):
    t = {"float16": 65504.0, "bfloat16": 3.3895314e38}.get(dtype) or float(np.finfo(dtype).max)
    least = {"float16": 5.96e-8, "bfloat16": 9.2e-41}.get(dtype) or float(np.finfo(dtype).smallest_subnormal)
    return [0.0, -0.0, least, -least, 1.0, -1.0, 0.5, 2.0, -3.0, 7.25, t, -t, np.inf, -np.inf, np.nan]


def pairs(few, more):
    a, b = zip(*itertools.product(few, few))
    return list(a) + list(more[0]), list(b) + list(more[1])


def integers(dtype):
    info = np.iinfo(dtype)
    values = {0, 1, 2, 3, 5, 7, 10, 63, 100, info.max, info.max - 1, info.max // 2, info.min, info.min + 1}
    if info.min < 0:
        values |= {-1, -2, -3, -7, -10, -100}
    return sorted(values)


SETS = {}


def add_set(name, dtype, values):
    array = np.array(values, dtype=held(dtype)) if dtype not in FLOATS else store(np.array(values, np.float64), dtype)
    SETS[name] = (dtype, array)


add_set("u_bool", "bool", [False, True])
add_set("a_bool", "bool", [False, False, True, True])
add_set("b_bool", "bool", [False, True, False, True])
add_set("c_bool", "bool", [True, True, False, True])
for d in INTEGERS:
    info = np.iinfo(d)
    extra = lambda: random.integers(info.min, info.max, 24, dtype=d, endpoint=True).tolist()
    small = lambda: random.integers(max(info.min, -20), 20, 24).tolist()
    add_set(f"u_{d}", d, integers(d) + extra())
    a, b = pairs(integers(d), (extra() + small(), small() + small()[::-1]))
    add_set(f"a_{d}", d, a)
    add_set(f"b_{d}", d, b)
    add_set(f"c_{d}", d, [v if k % 3 else info.max // 3 for k, v in enumerate(b[::-1])])
    bits = info.bits
    counts = [0, 1, 2, bits - 1, bits, bits + 1, 100] + ([-1, -3, info.min] if info.min < 0 else [info.max])
    x, s = zip(*itertools.product(integers(d), counts))
    add_set(f"x_{d}", d, x)
    add_set(f"s_{d}", d, s)
    x, s = zip(*itertools.product(integers(d), [0, 1, 2, 3, 4, 7, 8, 20, 100]))
    add_set(f"base_{d}", d, x)
    add_set(f"power_{d}", d, s)
for d in FLOATS:
    add_set(f"u_{d}", d, unary_floats(d))
    span = {"float16": 3}.get(d, 30)
    more = lambda: np.concatenate([random.normal(0, 3, 24), random.uniform(0.5, 20, 16), 10 ** random.uniform(-span, span, 8)])
    a, b = pairs(few_floats(d), (more(), np.concatenate([random.normal(0, 3, 32), 10 ** random.uniform(-span, span, 16)])))
    add_set(f"a_{d}", d, a)
    add_set(f"b_{d}", d, b)
    add_set(f"c_{d}", d, [v if k % 3 else 1.0 for k, v in enumerate(b[::-1])])
    x, s = zip(*itertools.product(list(tricky_floats(d)[::2]) + [1 / 3, -np.pi], [0, 1, -1, 5, -5, 24, -24, 120, -150, 1000, -1000, -1074, 2000, -2098, 2**31 - 1, -(2**31)]))
    add_set(f"ld_{d}", d, x)
    add_set(f"e_int32_{d}", "int32", s)
    add_set(f"e_int64_{d}", "int64", [v * 2**31 if abs(v) > 2**30 else v for v in s])
for d, part in (("complex64", "float32"), ("complex128", "float64")):
    few = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 1e-5, 1e5, -300.0, np.inf, -np.inf, np.nan]
    z = [complex(x, y) for x in few for y in few]
    values = lambda n: (random.normal(0, 2, n) + 1j * random.normal(0, 2, n)).tolist()
    limits = [1e-30, 1e30] if d == "complex64" else [1e-300, 1e-160, 1e160, 1e300]
    z += [complex(s * v, t * w) for v in limits for w in (*limits, 1.0) for s in (1, -1) for t in (1, -1)]
    z += [complex(w, t * v) for v in limits[:1] for w in (1.0, -1.0, 2.0, -2.0, 0.5) for t in (1, -1)]
    z += [complex(0.6, 0.8), complex(1 + 1e-7, 1e-9), complex(1 - 1e-7, -1e-9), complex(22.5, 1.25), complex(-89.0, 2.0), complex(88.9, -1.0)]
    # Complex literals with a NaN or an infinity are safe, since made of two reals.
    add_set(f"u_{d}", d, z + values(40))
    # exp2 knows its angle up to 2^40.
    add_set(f"v_{d}", d, [complex(v.real, 1.25) if 1e12 < abs(v.imag) < np.inf else v for v in SETS[f"u_{d}"][1].tolist()])
    few = [0.0, -0.0, 1.0, -2.0, np.inf, np.nan]
    pool = [complex(x, y) for x in few for y in few[2:4] + few[:1]] + [complex(1, np.nan), complex(-2, np.inf)]
    a, b = pairs(pool, (values(24), values(24)))
    add_set(f"a_{d}", d, a)
    add_set(f"b_{d}", d, b)
    add_set(f"c_{d}", d, a[::-1])
    w = values(40)
    add_set(f"z_{d}", d, w + values(9) + [complex(0, 0), complex(0, 0), complex(0, 0)])
    add_set(f"w_{d}", d, [v / 2 for v in w] + [0j, 1, 2, 3, -1, -2, 5, 10, 0.5, 2 + 1j, -1 + 0j, 0j])

lines = []


def finite(x):
    return np.isfinite(x)


def by_mpmath(function, arrays, dtype):
    """mpmath's values of finite arguments, rounded; None where it has none."""
    out = []
    for arguments in zip(*arrays):
        if not all(np.isfinite(v) for v in arguments):
            out.append(None)
            continue
        try:
            exact = function(*[mpmath.mpc(v.real, v.imag) if dtype in COMPLEXES else mpmath.mpf(float(v)) for v in arguments])
            if dtype in COMPLEXES:
                exact = mpmath.mpc(exact)
                out.append(complex(float(exact.real), float(exact.imag)) if mpmath.isfinite(exact) else None)
            else:
                out.append(None if isinstance(exact, mpmath.mpc) or mpmath.isnan(exact) else float(exact))
        except (ValueError, ZeroDivisionError, OverflowError, mpmath.libmp.libhyper.NoConvergence):
            out.append(None)
    return out


def emit(name, ins, outs, mode, sets, results):
    lines.append(f"{name} {','.join(ins)} -> {','.join(outs)} {mode} {','.join(sets)} : "
                 + " ; ".join(hexes(r, o) for r, o in zip(results, outs)))


def exact(name, call, ins, outs, sets, mode="exact"):
    arrays = [SETS[s][1] for s in sets]
    if "bfloat16" in ins or "float16" in ins:
        # Halves compute in float32; float64 keeps what float32 rounds only where one rounding is meant.
        arrays = [a.astype(np.float32) if a.dtype == np.float16 else a for a in arrays]
    results = call(*arrays)
    results = results if isinstance(results, tuple) else (results,)
    emit(name, ins, outs, mode, sets, [store(r, o) for r, o in zip(results, outs)])


def near(name, call, precise, dtype, count, mode, sets):
    """Of functions that NumPy computes to some ulp."""
    arrays = [SETS[s][1] for s in sets]
    work = [a.astype(np.complex128 if dtype in COMPLEXES else np.float64) for a in arrays]
    rough = call(*(arrays if dtype not in ("float16", "bfloat16") else [a.astype(np.float32) for a in arrays]))
    better = by_mpmath(precise, work, dtype)
    values = np.array(rough).astype(np.complex128 if dtype in COMPLEXES else np.float64)
    for k, v in enumerate(better):
        if v is None:
            continue
        if dtype in COMPLEXES:
            # Signs of zeros, and which side of a cut, are NumPy's: mpmath has one zero.
            cut = any(p == 0 for a in work for p in (a[k].real, a[k].imag))
            side = lambda ours, theirs: np.copysign(ours, theirs) if (cut or ours == 0) and not np.isnan(theirs) else ours
            values[k] = complex(side(v.real, values[k].real), side(v.imag, values[k].imag))
        elif count == 2 and any(a[k] == 0 for a in work):
            continue
        elif not np.isnan(values[k]) and values[k] != 0:
            values[k] = np.copysign(v, values[k]) if v == 0 else v
    emit(name, [dtype] * count, [dtype], mode, sets, [store(values, dtype)])


def pair(re, im):
    z = np.empty(re.shape, np.complex64 if re.dtype == np.float32 else np.complex128)
    z.real, z.imag = re, im
    return z


# What is exact.
def same_type(name, dtypes, sets, call=None, mode="exact"):
    call = call or getattr(np, name)
    for d in dtypes:
        exact(name, call, [d] * len(sets), [d], [f"{s}_{d}" for s in sets], mode)


def to_bool(name, dtypes, sets):
    for d in dtypes:
        exact(name, getattr(np, name), [d] * len(sets), ["bool"], [f"{s}_{d}" for s in sets])


same_type("add", ALL, "ab")
same_type("subtract", ALL[1:], "ab")
# Of complex numbers NumPy fuses multiplications and additions here and there.
same_type("multiply", [d for d in ALL if d not in COMPLEXES], "ab")
same_type("multiply", COMPLEXES, "ab", mode="norm 2")
same_type("negative", ALL[1:], "u")
same_type("positive", ALL[1:], "u")
same_type("square", [*INTEGERS, *FLOATS], "u")
same_type("square", COMPLEXES, "u", lambda z: pair((z.real - z.imag) * (z.real + z.imag), z.real * z.imag + z.real * z.imag), "norm 2")
same_type("absolute", ["bool", *INTEGERS, *FLOATS], "u")
same_type("fabs", FLOATS, "u")
same_type("sqrt", FLOATS, "u")
same_type("sign", [*INTEGERS, *FLOATS], "u")
same_type("sign", COMPLEXES, "u", mode="norm 2")
same_type("heaviside", FLOATS, "ab")
same_type("gcd", INTEGERS, "ab")
same_type("lcm", INTEGERS, "ab")
for n in ("maximum", "minimum", "fmax", "fmin"):
    same_type(n, ALL, "ab")
same_type("clip", [d for d in ALL if d not in COMPLEXES], "abc", np._core.umath.clip)
# NumPy's own passes over a bound that is NaN.
same_type("clip", COMPLEXES, "abc", lambda x, low, high: np.minimum(np.maximum(x, low), high))
for d in INTEGERS:
    exact("power", np.power, [d, d], [d], [f"base_{d}", f"power_{d}"])
    exact("left_shift", np.left_shift, [d, d], [d], [f"x_{d}", f"s_{d}"])
    exact("right_shift", np.right_shift, [d, d], [d], [f"x_{d}", f"s_{d}"])
    exact("divide", np.divide, [d, d], ["float64"], [f"a_{d}", f"b_{d}"])
    exact("bitwise_count", np.bitwise_count, [d], ["uint8"], [f"u_{d}"])
    # 1 / 0 is NumPy's undefined; kiln's is 0.
    exact("reciprocal", lambda x: np.where(x == 0, 0, np.reciprocal(np.where(x == 0, 1, x))).astype(x.dtype), [d], [d], [f"u_{d}"])
same_type("divide", FLOATS, "ab")
same_type("divide", COMPLEXES, "ab", mode="norm 4")
same_type("reciprocal", FLOATS, "u")
same_type("reciprocal", COMPLEXES, "u", mode="norm 2")
same_type("floor_divide", [*INTEGERS, *FLOATS], "ab")
same_type("remainder", [*INTEGERS, *FLOATS], "ab")
same_type("fmod", [*INTEGERS, *FLOATS], "ab")
for d in [*INTEGERS, *FLOATS]:
    exact("divmod", np.divmod, [d, d], [d, d], [f"a_{d}", f"b_{d}"])
for n in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor"):
    to_bool(n, ALL, "ab")
    if not n.startswith("logical"):
        few = (SETS["a_int64"][1], SETS["b_uint64"][1])
        size = min(len(few[0]), len(few[1]))
        if "m_int64" not in SETS:
            add_set("m_int64", "int64", few[0][:size].tolist() + [-1, -1, 2**63 - 1, 5])
            add_set("m_uint64", "uint64", few[1][:size].tolist() + [2**64 - 1, 0, 2**63 - 1, 5])
        exact(n, getattr(np, n), ["int64", "uint64"], ["bool"], ["m_int64", "m_uint64"])
        exact(n, getattr(np, n), ["uint64", "int64"], ["bool"], ["m_uint64", "m_int64"])
for n in ("logical_not", "isnan", "isinf", "isfinite"):
    to_bool(n, ALL, "u")
to_bool("signbit", FLOATS, "u")
for n in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    same_type(n, ["bool", *INTEGERS], "ab")
same_type("invert", ["bool", *INTEGERS], "u")
same_type("rint", [*FLOATS, *COMPLEXES], "u")
for n in ("floor", "ceil", "trunc"):
    same_type(n, ["bool", *INTEGERS, *FLOATS], "u")
same_type("copysign", FLOATS, "ab")
for d in FLOATS:
    exact("modf", np.modf, [d], [d, d], [f"u_{d}"])
    exact("frexp", np.frexp, [d], [d, "int32"], [f"u_{d}"])
    for e in ("int32", "int64"):
        if d == "bfloat16" or d == "float16":
            # From float64, so that it is rounded once.
            call = lambda x, n: np.ldexp(x.astype(np.float64), n)
        else:
            call = np.ldexp
        exact("ldexp", call, [d, e], [d], [f"ld_{d}", f"e_{e}_{d}"])
for d in ("float32", "float64"):
    a, b, u = SETS[f"a_{d}"][1], SETS[f"b_{d}"][1], SETS[f"u_{d}"][1]
    emit("nextafter", [d, d], [d], "exact", [f"a_{d}", f"b_{d}"], [np.nextafter(a, b)])
    emit("spacing", [d], [d], "exact", [f"u_{d}"], [np.spacing(u)])


def half_next(x, y, dtype):
    """NumPy's for float16 gives the first of two equal numbers, C's the second."""
    if np.isnan(x) or np.isnan(y):
        return x.dtype.type(np.nan)
    if x == y:
        return y
    bits = int(x.view(np.uint16)) if dtype == "float16" else int(x.view(np.uint32)) >> 16
    if x == 0:
        bits = 1 if y > 0 else 0x8001
    else:
        bits += 1 if (y > x) == (bits < 0x8000) else -1
    return np.uint16(bits).view(np.float16) if dtype == "float16" else np.uint32(bits << 16).view(np.float32)


def half_spacing(x, dtype):
    """With the sign of x, as NumPy's for float32 and float64; its own for float16 is always positive."""
    if not np.isfinite(x):
        return x.dtype.type(np.nan)
    step = np.abs(half_next(x, np.copysign(x.dtype.type(np.inf), x), dtype).astype(np.float64)) - np.abs(x.astype(np.float64))
    return x.dtype.type(step if x == 0 else np.copysign(step, x))


for d in ("float16", "bfloat16"):
    a, b, u = SETS[f"a_{d}"][1], SETS[f"b_{d}"][1], SETS[f"u_{d}"][1]
    emit("nextafter", [d, d], [d], "exact", [f"a_{d}", f"b_{d}"], [np.array([half_next(x, y, d) for x, y in zip(a, b)], a.dtype)])
    emit("spacing", [d], [d], "exact", [f"u_{d}"], [np.array([half_spacing(x, d) for x in u], u.dtype)])
for n in ("real", "imag"):
    for d in ["bool", *INTEGERS, *FLOATS]:
        exact(n, lambda x, n=n: np.array(getattr(np, n)(x)), [d], [d], [f"u_{d}"])
    for d, part in zip(COMPLEXES, ("float32", "float64")):
        exact(n, getattr(np, n), [d], [part], [f"u_{d}"])
same_type("conjugate", ALL[1:], "u")

# What is near.
mp = mpmath
ln2 = mp.log(2)


def turned(z):
    return pair(-z.imag, z.real)


def turned_back(z):
    return pair(z.imag, -z.real)


def at_infinity_as_exp(call, z):
    """NumPy's exp2 and expm1 multiply 0 by infinity; C's rules for exp say what is meant."""
    rough = call(z)
    like = np.exp(z if call is np.expm1 else pair(z.real, z.imag * z.imag.dtype.type(np.log(2))))
    if call is np.expm1:
        like = np.where(z.real == -np.inf, like - 1, like)
    return np.where(np.isfinite(z.real) & np.isfinite(z.imag), rough, like).astype(z.dtype)


def dr471(z):
    """tanh(0 + nan i) = 0 + nan i since a defect report on C99; glibc follows later than Debian's."""
    out = np.tanh(z)
    for k in np.flatnonzero((z.real == 0) & ~np.isfinite(z.imag)):
        out[k] = pair(z.real[k:k + 1], out.imag[k:k + 1] * np.nan)[0]
    return out


UNARY = {"cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "arcsin": mp.asin, "arccos": mp.acos,
         "arctan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "arcsinh": mp.asinh, "arccosh": mp.acosh, "arctanh": mp.atanh,
         "exp": mp.exp, "exp2": lambda x: mp.exp(x * ln2), "expm1": mp.expm1, "log": mp.log, "log2": lambda x: mp.log(x) / ln2,
         "log10": lambda x: mp.log(x) / mp.log(10), "log1p": mp.log1p, "sqrt": mp.sqrt,
         "deg2rad": lambda x: x * mp.pi / 180, "radians": lambda x: x * mp.pi / 180, "rad2deg": lambda x: x * 180 / mp.pi,
         "degrees": lambda x: x * 180 / mp.pi}
ULP = {"float16": 1, "bfloat16": 1, "float32": 4, "float64": 4}
for n, precise in UNARY.items():
    for d in FLOATS:
        if n != "sqrt":
            near(n, getattr(np, n), precise, d, 1, f"ulp {ULP[d]}", [f"u_{d}"])
    if n not in ("cbrt", "deg2rad", "radians", "rad2deg", "degrees"):
        for d in COMPLEXES:
            call = {"exp2": lambda z: at_infinity_as_exp(np.exp2, z), "expm1": lambda z: at_infinity_as_exp(np.expm1, z), "tanh": dr471,
                    "tan": lambda z: turned_back(dr471(turned(z)))}.get(n, getattr(np, n))
            near(n, call, precise, d, 1, "norm 4", [f"{'v' if n == 'exp2' else 'u'}_{d}"])


BINARY = {"arctan2": (lambda y, x: mp.atan2(y, x), "ulp"), "hypot": (mp.hypot, "ulp"), "power": (lambda x, y: mp.power(x, y), "ulp"),
          "logaddexp": (lambda x, y: mp.log(mp.exp(x) + mp.exp(y)) if abs(x) < 1e4 and abs(y) < 1e4 else mp.mpf(max(x, y)), "scaled"),
          "logaddexp2": (lambda x, y: mp.log(mp.power(2, x) + mp.power(2, y)) / ln2 if abs(x) < 1e4 and abs(y) < 1e4 else mp.mpf(max(x, y)), "scaled")}
for n, (precise, mode) in BINARY.items():
    for d in FLOATS:
        safe = (lambda x, y: mp.power(x, y) if abs(y) < 1e4 else mp.mpf("nan")) if n == "power" else precise
        near(n, getattr(np, n), safe, d, 2, f"{mode} {ULP[d]}", [f"a_{d}", f"b_{d}"])
for d in COMPLEXES:
    near("power", np.power, lambda z, w: mp.power(z, w), d, 2, "norm 16", [f"z_{d}", f"w_{d}"])
near("float_power", np.float_power, lambda x, y: mp.power(x, y) if abs(y) < 1e4 else mp.mpf("nan"), "float64", 2, "ulp 4", ["a_float64", "b_float64"])
near("float_power", np.float_power, lambda z, w: mp.power(z, w), "complex128", 2, "norm 16", ["z_complex128", "w_complex128"])
for d, part in zip(COMPLEXES, ("float32", "float64")):
    z = SETS[f"u_{d}"][1]
    emit("absolute", [d], [part], "ulp 4", [f"u_{d}"], [np.abs(z)])
    emit("angle", [d], [part], "ulp 4", [f"u_{d}"], [np.arctan2(z.imag, z.real)])
for d in FLOATS:
    x = SETS[f"u_{d}"][1]
    emit("angle", [d], [d], f"ulp {ULP[d]}", [f"u_{d}"], [store(np.arctan2(np.float64(0), x.astype(np.float64)), d)])

# Which dtypes come out of which.
extra = {"clip": np._core.umath.clip}
names = sorted({line.split()[0] for line in lines} - {"real", "imag", "angle"})
types = []
for n in names:
    function = extra.get(n) or getattr(np, n)
    for combination in itertools.product(NUMPY, repeat=min(function.nin, 2)):
        ins = list(combination) + ([combination[0]] if function.nin == 3 else [])
        try:
            results = function(*[np.ones(1, d) for d in ins])
        except TypeError:
            types.append(f"{n} {','.join(ins)} -> none")
            continue
        results = results if isinstance(results, tuple) else (results,)
        types.append(f"{n} {','.join(ins)} -> {','.join(r.dtype.name for r in results)}")

folder = pathlib.Path(sys.argv[1])
head = f"# Made by make_math.py with numpy {np.__version__} and mpmath {mpmath.__version__}; it says what the lines mean.\n"
used = {s for line in lines for s in line.split(" : ")[0].split()[-1].split(",")}
with open(folder / "values.txt", "w") as file:
    file.write(head)
    for name, (dtype, values) in SETS.items():
        if name in used:
            file.write(f"set {name} {dtype} {hexes(values, dtype)}\n")
    file.write("\n".join(lines) + "\n")
with open(folder / "dtypes.txt", "w") as file:
    file.write(head)
    file.write("\n".join(types) + "\n")
print(len(lines), "loops,", len(types), "combinations of dtypes,", len(names), "functions")
