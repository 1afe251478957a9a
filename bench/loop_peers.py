"""The bodies of bench/loops.cpp in NumPy, Numba, JAX and Dr.Jit, for bench/peers.py --loops.

A peer is a function of the number of threads. It returns the peer's version, its functions by name, and what prepares a call, or raises an
ImportError. Prepared with inputs, a function gives a call, which computes all results and waits for them, and a function that returns
the results of a call as NumPy arrays. NumPy and Numba write to outputs that exist; arrays of JAX and Dr.Jit cannot be written, so each call makes
new ones. drjit.freeze keeps what Dr.Jit records of a function, so that calls do not record it again. NumPy drops the elements that are
done; JAX goes on with all until the last is done.
"""
import numpy as np

f4, i4 = np.float32, np.int32
N = 1 << 20
SIDE, TABLE, ROW, BODIES, SPHERES = 1024, 4096, 1024, 4096, 64
RATE, SIGMA, ROOT_HALF = f4(0.02), f4(0.3), f4(0.70710678)
MEAN, DEVIATION, AREA = f4(0.5), f4(1.5), f4(3.7599424)

# name: the dtypes of its results
RESULTS = {"escape_random": [i4], "escape_picture": [i4], "collatz": [i4], "kepler": [f4], "search": [i4], "softmax": [f4],
           "softmax_any_order": [f4], "black_scholes": [f4], "gaussian": [f4], "polar": [f4], "bodies": [f4, f4, f4], "spheres": [f4]}


def inputs_of(name):
    random = np.random.default_rng(1)

    def uniform(low, high, n=N):
        return random.uniform(low, high, n).astype(f4)

    if name == "escape_random":
        return [uniform(-2, 0.5), uniform(-1.25, 1.25)]
    if name == "escape_picture":
        real, imaginary = np.linspace(-2, 0.5, SIDE, dtype=f4), np.linspace(-1.25, 1.25, SIDE, dtype=f4)
        return [np.tile(real, SIDE), np.repeat(imaginary, SIDE)]
    if name == "collatz":
        return [np.arange(1, N + 1, dtype=np.int64)]
    if name == "kepler":
        return [uniform(0, 2 * np.pi), uniform(0, 0.9)]
    if name == "search":
        return [np.sort(uniform(0, 1, TABLE)), uniform(0, 1)]
    if name.startswith("softmax"):
        return [uniform(-4, 4).reshape(-1, ROW)]
    if name == "black_scholes":
        return [uniform(50, 150), uniform(50, 150), uniform(0.1, 2)]
    if name == "gaussian":
        return [uniform(-4, 5)]
    if name == "polar":
        return [uniform(0, 2), uniform(-np.pi, np.pi), uniform(0, 2), uniform(-np.pi, np.pi)]
    if name == "bodies":
        x, y, z, mass = uniform(-1, 1, BODIES), uniform(-1, 1, BODIES), uniform(-1, 1, BODIES), uniform(0.1, 1, BODIES)
        return [x, y, z, mass, x, y, z]
    d = random.normal(size=(3, N))
    d = (d / np.sqrt((d * d).sum(axis=0))).astype(f4)
    return [uniform(-8, 8, SPHERES), uniform(-8, 8, SPHERES), uniform(-8, 8, SPHERES), uniform(0.2, 1, SPHERES), *d]


def size_of(name):
    return BODIES if name == "bodies" else N


def worst_ulp(name, inputs, result):
    """The largest error of float32 results in ulp of the exact value, or of the points' radii where their distance is less; None
    for loops whose values have no short formula."""
    wide, radii = [a.astype(np.float64) for a in inputs], 0
    if name == "gaussian":
        z = (wide[0] - np.float64(MEAN)) / np.float64(DEVIATION)
        exact = np.exp(-0.5 * z * z) / np.float64(AREA)
    elif name == "polar":
        r1, t1, r2, t2 = wide
        radii = np.maximum(r1, r2)
        exact = np.hypot(r1 * np.cos(t1) - r2 * np.cos(t2), r1 * np.sin(t1) - r2 * np.sin(t2))
    else:
        return None
    return float(np.max(np.abs(result.astype(np.float64) - exact) / np.spacing(np.maximum(exact, radii).astype(f4))))


def by_name(escape, collatz, kepler, search, softmax, black_scholes, gaussian, polar, bodies, spheres):
    functions = {"escape_random": escape, "escape_picture": escape, "collatz": collatz, "kepler": kepler, "search": search, "softmax": softmax,
                 "softmax_any_order": softmax, "black_scholes": black_scholes, "gaussian": gaussian, "polar": polar, "bodies": bodies,
                 "spheres": spheres}
    return {name: function for name, function in functions.items() if function}


def prepare_in_place(name, function, inputs):
    outputs = [np.empty_like(inputs[0] if name.startswith("softmax") else inputs[-1], dtype) for dtype in RESULTS[name]]
    return lambda: function(*inputs, *outputs), lambda: outputs


def with_numpy(threads):
    try:
        from scipy.special import erf
    except ImportError:
        erf = None

    def escape(cr, ci, out):
        # The points that have not escaped, which become fewer.
        at = np.arange(cr.size)
        x, y = np.zeros_like(cr), np.zeros_like(ci)
        out.fill(256)
        for k in range(256):
            x2, y2 = x * x, y * y
            inside = x2 + y2 <= 4
            if not inside.all():
                out[at[~inside]] = k
                at, x, y, x2, y2, cr, ci = (a[inside] for a in (at, x, y, x2, y2, cr, ci))
            y = 2 * x * y + ci
            x = x2 - y2 + cr

    def collatz(n, out):
        at, k = np.arange(n.size), 0
        while at.size:
            going = n != 1
            if not going.all():
                out[at[~going]] = k
                at, n = at[going], n[going]
            n = np.where(n & 1, 3 * n + 1, n >> 1)
            k += 1

    def kepler(m, e, out):
        at, E = np.arange(m.size), m.copy()
        for _ in range(20):
            d = (E - e * np.sin(E) - m) / (1 - e * np.cos(E))
            E = E - d
            out[at] = E
            going = np.abs(d) >= f4(1e-6)
            at, E, m, e = (a[going] for a in (at, E, m, e))

    def search(table, x, out):
        out[:] = np.searchsorted(table, x)

    def softmax(x, out):
        np.subtract(x, x.max(axis=1, keepdims=True), out=out)
        np.exp(out, out=out)
        np.divide(out, out.sum(axis=1, keepdims=True), out=out)

    def black_scholes(s, k, t, out):
        root = SIGMA * np.sqrt(t)
        d1 = (np.log(s / k) + (RATE + f4(0.5) * SIGMA * SIGMA) * t) / root
        d2 = d1 - root
        first, second = (f4(0.5) + f4(0.5) * erf(d * ROOT_HALF) for d in (d1, d2))
        np.subtract(s * first, k * np.exp(-RATE * t) * second, out=out)

    def gaussian(x, out):
        z = (x - MEAN) / DEVIATION
        np.divide(np.exp(f4(-0.5) * z * z), AREA, out=out)

    def polar(r1, t1, r2, t2, out):
        dx, dy = r1 * np.cos(t1) - r2 * np.cos(t2), r1 * np.sin(t1) - r2 * np.sin(t2)
        np.sqrt(dx * dx + dy * dy, out=out)

    def bodies(X, Y, Z, mass, x, y, z, ax, ay, az):
        for start in range(0, x.size, 64):  # so that what is between stays in the cache
            part = slice(start, start + 64)
            dx, dy, dz = X - x[part, None], Y - y[part, None], Z - z[part, None]
            r2 = dx * dx + dy * dy + dz * dz + f4(1e-3)
            f = mass / (r2 * np.sqrt(r2))
            ax[part], ay[part], az[part] = (f * dx).sum(axis=1), (f * dy).sum(axis=1), (f * dz).sum(axis=1)

    def spheres(X, Y, Z, R, dx, dy, dz, out):
        out.fill(1e30)
        with np.errstate(invalid="ignore"):
            for x, y, z, r in zip(X, Y, Z, R):
                b = x * dx + y * dy + z * dz
                t = b - np.sqrt(b * b - (x * x + y * y + z * z - r * r))  # NaN where it is missed
                np.minimum(out, np.where(t > 0, t, f4(1e30)), out=out)

    functions = by_name(escape, collatz, kepler, search, softmax, black_scholes if erf else None, gaussian, polar, bodies, spheres)
    return np.__version__, functions, prepare_in_place


def with_numba(threads):
    import math

    import numba
    numba.set_num_threads(threads)
    target = "parallel" if threads > 1 else "cpu"
    half, one = f4(0.5), f4(1)

    def elementwise(signature):
        return lambda function: numba.vectorize([signature], target=target)(function)

    def generalized(types, layout):
        f, i = numba.float32, numba.int32
        kinds = {"f": f, "F": f[:], "I": i[:]}
        return lambda function: numba.guvectorize([tuple(kinds[t] for t in types)], layout, target=target, nopython=True)(function)

    @elementwise("int32(float32, float32)")
    def escape(cr, ci):
        x = y = f4(0)
        k = 0
        while k < 256:
            x2, y2 = x * x, y * y
            if x2 + y2 > f4(4):
                break
            y = f4(2) * x * y + ci
            x = x2 - y2 + cr
            k += 1
        return k

    @elementwise("int32(int64)")
    def collatz(n):
        k = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            k += 1
        return k

    @elementwise("float32(float32, float32)")
    def kepler(m, e):
        E = m
        for _ in range(20):
            d = (E - e * math.sin(E) - m) / (one - e * math.cos(E))
            E -= d
            if abs(d) < f4(1e-6):
                break
        return E

    @generalized("FfI", "(m),()->()")
    def search(table, x, at):
        low, high = 0, table.shape[0]
        while low < high:
            middle = (low + high) // 2
            if table[middle] < x:
                low = middle + 1
            else:
                high = middle
        at[0] = low

    @generalized("FF", "(n)->(n)")
    def softmax(x, y):
        greatest = x[0]
        for i in range(1, x.shape[0]):
            greatest = max(greatest, x[i])
        total = f4(0)
        for i in range(x.shape[0]):
            y[i] = math.exp(x[i] - greatest)
            total += y[i]
        for i in range(x.shape[0]):
            y[i] /= total

    @elementwise("float32(float32, float32, float32)")
    def black_scholes(s, k, t):
        root = SIGMA * math.sqrt(t)
        d1 = (math.log(s / k) + (RATE + half * SIGMA * SIGMA) * t) / root
        d2 = d1 - root
        return s * (half + half * math.erf(d1 * ROOT_HALF)) - k * math.exp(-RATE * t) * (half + half * math.erf(d2 * ROOT_HALF))

    @elementwise("float32(float32)")
    def gaussian(x):
        z = (x - MEAN) / DEVIATION
        return math.exp(-half * z * z) / AREA

    @elementwise("float32(float32, float32, float32, float32)")
    def polar(r1, t1, r2, t2):
        dx, dy = r1 * math.cos(t1) - r2 * math.cos(t2), r1 * math.sin(t1) - r2 * math.sin(t2)
        return math.sqrt(dx * dx + dy * dy)

    @generalized("FFFFfffFFF", "(m),(m),(m),(m),(),(),()->(),(),()")
    def bodies(X, Y, Z, mass, x, y, z, ax, ay, az):
        sx = sy = sz = f4(0)
        for j in range(X.shape[0]):
            dx, dy, dz = X[j] - x, Y[j] - y, Z[j] - z
            r2 = dx * dx + dy * dy + dz * dz + f4(1e-3)
            f = mass[j] / (r2 * math.sqrt(r2))
            sx += f * dx
            sy += f * dy
            sz += f * dz
        ax[0], ay[0], az[0] = sx, sy, sz

    @generalized("FFFFfffF", "(s),(s),(s),(s),(),(),()->()")
    def spheres(X, Y, Z, R, dx, dy, dz, nearest):
        least = f4(1e30)
        for i in range(X.shape[0]):
            b = X[i] * dx + Y[i] * dy + Z[i] * dz
            d = b * b - (X[i] * X[i] + Y[i] * Y[i] + Z[i] * Z[i] - R[i] * R[i])
            if d < f4(0):
                continue
            t = b - math.sqrt(d)
            if t > f4(0) and t < least:
                least = t
        nearest[0] = least

    functions = by_name(escape, collatz, kepler, search, softmax, black_scholes, gaussian, polar, bodies, spheres)
    return numba.__version__, functions, prepare_in_place


def with_jax(threads):
    import os

    os.environ["NPROC"] = str(threads)  # the size of XLA's pool
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp
    from jax import lax
    jax.config.update("jax_enable_x64", True)

    def escape(cr, ci):
        def inside(state):
            k, x, y = state
            return (k < 256) & (x * x + y * y <= 4)

        def step(state):
            k, x, y = state
            return k + 1, x * x - y * y + cr, 2 * x * y + ci
        return lax.while_loop(inside, step, (jnp.int32(0), f4(0), f4(0)))[0]

    def collatz(n):
        return lax.while_loop(lambda s: s[1] != 1, lambda s: (s[0] + 1, jnp.where(s[1] % 2 == 0, s[1] // 2, 3 * s[1] + 1)),
                              (jnp.int32(0), n))[0]

    def kepler(m, e):
        def step(state):
            i, E, _ = state
            d = (E - e * jnp.sin(E) - m) / (1 - e * jnp.cos(E))
            return i + 1, E - d, d
        return lax.while_loop(lambda s: (s[0] < 20) & (jnp.abs(s[2]) >= f4(1e-6)), step, (jnp.int32(0), m, f4(1)))[1]

    def search(table, x):
        return jnp.searchsorted(table, x, method="scan_unrolled").astype(jnp.int32)

    def softmax(x):
        return jax.nn.softmax(x, axis=1)

    def black_scholes(s, k, t):
        root = SIGMA * jnp.sqrt(t)
        d1 = (jnp.log(s / k) + (RATE + f4(0.5) * SIGMA * SIGMA) * t) / root
        first, second = (f4(0.5) + f4(0.5) * lax.erf(d * ROOT_HALF) for d in (d1, d1 - root))
        return s * first - k * jnp.exp(-RATE * t) * second

    def gaussian(x):
        z = (x - MEAN) / DEVIATION
        return jnp.exp(f4(-0.5) * z * z) / AREA

    def polar(r1, t1, r2, t2):
        dx, dy = r1 * jnp.cos(t1) - r2 * jnp.cos(t2), r1 * jnp.sin(t1) - r2 * jnp.sin(t2)
        return jnp.sqrt(dx * dx + dy * dy)

    def bodies(X, Y, Z, mass, x, y, z):
        def step(sums, body):  # a scan takes a tenth of the time of a sum of 4096 x 4096 elements
            dx, dy, dz = body[0] - x, body[1] - y, body[2] - z
            r2 = dx * dx + dy * dy + dz * dz + f4(1e-3)
            f = body[3] / (r2 * jnp.sqrt(r2))
            return (sums[0] + f * dx, sums[1] + f * dy, sums[2] + f * dz), None
        zero = jnp.zeros_like(x)
        return lax.scan(step, (zero, zero, zero), (X, Y, Z, mass))[0]

    def spheres(X, Y, Z, R, dx, dy, dz):
        least = jnp.full_like(dx, 1e30)
        for i in range(SPHERES):  # unrolled: one fused loop
            b = X[i] * dx + Y[i] * dy + Z[i] * dz
            d = b * b - (X[i] * X[i] + Y[i] * Y[i] + Z[i] * Z[i] - R[i] * R[i])
            t = b - jnp.sqrt(d)
            least = jnp.where((t > 0) & (t < least), t, least)
        return least

    def prepare(name, function, inputs):
        compiled, arrays = jax.jit(function), [jax.device_put(a) for a in inputs]

        def results():
            made = compiled(*arrays)
            return [np.asarray(a) for a in (made if isinstance(made, tuple) else (made,))]
        return lambda: jax.block_until_ready(compiled(*arrays)), results

    functions = by_name(jax.vmap(escape), jax.vmap(collatz), jax.vmap(kepler), search, softmax, black_scholes, gaussian, polar, bodies, spheres)
    return jax.__version__, functions, prepare


def with_drjit(threads):
    import drjit as dr
    from drjit.llvm import Float, Int, Int64, UInt
    if not dr.has_backend(dr.JitBackend.LLVM):
        raise ImportError("drjit finds no libLLVM.so; DRJIT_LIBLLVM_PATH names one")
    dr.set_thread_count(threads)

    def escape(cr, ci):
        def step(k, x, y):
            return k + 1, x * x - y * y + cr, 2 * x * y + ci
        return dr.while_loop((Int(0), Float(0), Float(0)), lambda k, x, y: (k < 256) & (x * x + y * y <= 4), step)[0]

    def collatz(n):
        def step(k, n):
            return k + 1, dr.select((n & 1) == 0, n >> 1, 3 * n + 1)
        return dr.while_loop((Int(0), Int64(n)), lambda k, n: n != 1, step)[0]

    def kepler(m, e):
        def step(i, E, d):
            sin, cos = dr.sincos(E)
            d = (E - e * sin - m) / (1 - e * cos)
            return i + 1, E - d, d
        return dr.while_loop((Int(0), Float(m), Float(1)), lambda i, E, d: (i < 20) & (abs(d) >= 1e-6), step)[1]

    def search(table, x):
        # Its last step may look behind the table.
        return Int(dr.binary_search(0, TABLE, lambda at: dr.gather(Float, table, UInt(dr.minimum(at, TABLE - 1))) < x))

    def softmax(x):
        e = dr.exp(x - dr.repeat(dr.block_reduce(dr.ReduceOp.Max, x, ROW), ROW))
        return e / dr.repeat(dr.block_sum(e, ROW), ROW)

    def black_scholes(s, k, t):
        root = float(SIGMA) * dr.sqrt(t)
        d1 = (dr.log(s / k) + float(RATE + f4(0.5) * SIGMA * SIGMA) * t) / root
        first, second = (0.5 + 0.5 * dr.erf(d * float(ROOT_HALF)) for d in (d1, d1 - root))
        return s * first - k * dr.exp(-float(RATE) * t) * second

    def gaussian(x):
        z = (x - float(MEAN)) / float(DEVIATION)
        return dr.exp(-0.5 * z * z) / float(AREA)

    def polar(r1, t1, r2, t2):
        (s1, c1), (s2, c2) = dr.sincos(t1), dr.sincos(t2)
        dx, dy = r1 * c1 - r2 * c2, r1 * s1 - r2 * s2
        return dr.sqrt(dx * dx + dy * dy)

    def bodies(X, Y, Z, mass, x, y, z):
        def step(j, sx, sy, sz):
            dx, dy, dz = dr.gather(Float, X, j) - x, dr.gather(Float, Y, j) - y, dr.gather(Float, Z, j) - z
            r2 = dx * dx + dy * dy + dz * dz + 1e-3
            f = dr.gather(Float, mass, j) / (r2 * dr.sqrt(r2))
            return j + 1, sx + f * dx, sy + f * dy, sz + f * dz
        return dr.while_loop((UInt(0), Float(0), Float(0), Float(0)), lambda j, *_: j < BODIES, step)[1:]

    def spheres(X, Y, Z, R, dx, dy, dz):
        least = Float(1e30)
        for x, y, z, r in zip(X, Y, Z, R):  # unrolled, each number an array of one: gathers in a loop take six times as long
            b = x * dx + y * dy + z * dz
            t = b - dr.sqrt(b * b - (x * x + y * y + z * z - r * r))
            least = dr.select((t > 0) & (t < least), t, least)
        return least

    def prepare(name, function, inputs):
        arrays = [(Int64 if a.dtype == np.int64 else Float)(a.ravel()) for a in inputs]
        if name == "spheres":
            arrays[:4] = [[Float([float(v)]) for v in a] for a in inputs[:4]]
        dr.eval(arrays)
        frozen = dr.freeze(function)

        def call():
            made = frozen(*arrays)
            dr.eval(made)
            dr.sync_thread()
            return made

        def results():
            made = call()
            return [np.asarray(a) for a in (made if isinstance(made, tuple) else (made,))]
        return call, results

    return dr.__version__, by_name(escape, collatz, kepler, search, softmax, black_scholes, gaussian, polar, bodies, spheres), prepare


PEERS = {"numpy": with_numpy, "numba": with_numba, "jax": with_jax, "drjit": with_drjit}
