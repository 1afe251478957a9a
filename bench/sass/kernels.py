"""The kernels that are looked at: what a call moves, how kiln is asked for it, and where in the machine code its elements go by.

Numbers of elements are those of kiln's templates at these sizes: how many a thread takes, threads of a block and bytes of shared memory where a launch chooses them.
"""
from dataclasses import dataclass, field

N, SIDE = 1 << 26, 16384


@dataclass(frozen=True)
class Phase:
    """A loop, which of those with the most `counter` a trip comes `nth`; `per` of the counter is one element. `having`: what else its path has."""

    counter: str = "load"
    per: float = 4
    having: tuple = ()
    nth: int = 0
    inner: bool = True
    cached: bool = False  # it loads what an earlier phase has read

    def find(self, kernel):
        loops = [one for one in kernel.loops if (one.inner or not self.inner) and one.counts.get(self.counter) and all(one.counts.get(key) for key in self.having)]
        most = max((one.counts[self.counter] for one in loops), default=0)
        loops = sorted((one for one in loops if one.counts[self.counter] == most), key=lambda one: one.head)
        if len(loops) <= self.nth:
            raise LookupError(f"no loop of the kernel is {self}")
        return loops[self.nth]

    def elements(self, loop):
        return loop.counts[self.counter] / self.per


@dataclass(frozen=True)
class Rule:
    """Without phases an element is what the hottest loop, or the whole way, stores (or loads, where nothing is written)."""

    phases: tuple = ()
    elements: float = 1  # of a thread, over which its way to and from the loops is spread
    extra: float = 0  # bytes of memory beside what has to be, an element
    more: float = 0  # instructions of an element that no phase shows
    threads: int = 0  # of a block, where not the most that the kernel takes
    shared: int = 0
    cache: float = 0


@dataclass(frozen=True)
class Row:
    name: str
    read: float
    write: float
    kernel: dict = field(hash=False)
    rule: Rule = Rule()
    variant: str = ""  # words of the variant, where it is not the one that the call is planned with
    expert: str = ""
    why: str = ""  # it is below an expert's


def ufunc(name, signature, body, inputs, **more):
    call = {"inputs": inputs, **{key: more.pop(key) for key in ("where", "out", "method", "axis", "segments") if key in more}}
    return {"kind": "ufunc", "name": name, "signatures": [signature], "body": body, "calls": [call], **more}


def gufunc(name, layout, signature, body, *inputs, **more):
    return {"kind": "gufunc", "name": name, "layout": layout, "signatures": [signature], "body": body, "calls": [{"inputs": list(inputs)}], **more}


def raw(name, signature, body):
    return {"kind": "kernel", "name": name, "signature": signature, "body": body}


def flat(dtype, count=2):
    return [f"{dtype}[{N}]"] * count


def added(dtype, name, inputs, **more):
    return ufunc(name, f"{dtype}({dtype} a, {dtype} b)", "return a + b;", inputs, **({"identity": "0"} if "method" in more else {}), **more)


def reduced(name, shape, axis=0, dtype="float32"):
    return added(dtype, name, [f"{dtype}[{shape}]"], method="reduce", axis=axis)


SUM = Phase(having=("L128c",))
SOFTMAX_PHASES = (Phase(), Phase(having=("MUFU",), cached=True), Phase("store", having=("MUFU",), cached=True))
SOFTMAX = """float32 m = -INFINITY;
for (index i = FIRST; i < n; i += STEP) m = max(m, x(i));
MOST
float32 s = 0;
for (index i = FIRST; i < n; i += STEP) s += exp(x(i) - m);
TOTAL
for (index i = FIRST; i < n; i += STEP) y(i) = exp(x(i) - m) / s;"""
INNER = "float32 s = 0; for (index i = FIRST; i < n; i += STEP) s += a(i) * b(i); TOTAL r = s;"
MATMUL = "float32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;"


def of_team(body):
    return body.replace("FIRST", "lane").replace("STEP", "lanes").replace("MOST", "m = team_max(m);").replace("TOTAL", "s = team_sum(s);")


def alone(body):
    return body.replace("FIRST", "0").replace("STEP", "1").replace("MOST", "").replace("TOTAL", "")


def softmax(name, shape, **more):
    return gufunc(name, "(n)->(n)", "void(float32[:] x, float32[:] y)", (of_team if more else alone)(SOFTMAX), f"float32[{shape}]", **more)


def inner(name, shape, **more):
    return gufunc(name, "(n),(n)->()", "void(float32[:] a, float32[:] b, float32 r)", (of_team if more else alone)(INNER), *[f"float32[{shape}]"] * 2, **more)


def matmul(name, shape):
    return gufunc(name, "(m,n),(n,p)->(m,p)", "void(float32[:,:] A, float32[:,:] B, float32[:,:] C)", MATMUL, *[f"float32[{shape}]"] * 2, each="i:m, j:p")


STENCIL = """const auto [j, i] = grid(2);
if (i < 1 || j < 1 || i + 1 >= x.shape(0) || j + 1 >= x.shape(1)) return;
y(i, j) = c * x(i, j) + e * (x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1)) + d * (x(i - 1, j - 1) + x(i - 1, j + 1) + x(i + 1, j - 1) + x(i + 1, j + 1));"""
TRANSPOSE = """KILN_SHARED float32 tile[32][33];
index x = block.x * 32 + thread.x, y = block.y * 32 + thread.y;
for (index j = 0; j < 32; j += 8) tile[thread.y + j][thread.x] = a(y + j, x);
barrier();
x = block.y * 32 + thread.x; y = block.x * 32 + thread.y;
for (index j = 0; j < 32; j += 8) r(y + j, x) = tile[thread.x][thread.y + j];"""
HISTOGRAM = """KILN_SHARED int32 own[256];
for (uint32 i = thread.x; i < 256; i += block_size.x) own[i] = 0;
barrier();
const index begin = block.x * chunk;
const index end = begin + chunk < n ? begin + chunk : n;
for (index i = begin + thread.x; i < end; i += block_size.x) atomic_add(&own[x[i]], 1);
barrier();
for (uint32 i = thread.x; i < 256; i += block_size.x) atomic_add(&bins[i], own[i]);"""

ELEMENTWISE = [
    Row("copy_f32", 4, 4, ufunc("copy_f32", "float32(float32 a)", "return a;", flat("float32", 1))),
    Row("add_f32", 8, 4, added("float32", "add_f32", flat("float32"))),
    Row("add_f64", 16, 8, added("float64", "add_f64", flat("float64"))),
    Row("add_i8", 2, 1, added("int8", "add_i8", flat("int8"))),
    Row("add_f16", 4, 2, added("float16", "add_f16", flat("float16"))),
    Row("add_mixed", 8, 8, added("float64", "add_mixed", [f"int32[{N}]", f"float32[{N}]"])),
    Row("saxpy", 8, 4, ufunc("saxpy", "float32(float32 k, float32 a, float32 b)", "return k * a + b;", ["float32", *flat("float32")])),
    Row("discriminant", 12, 4, ufunc("discriminant", "float32(float32 a, float32 b, float32 c)", "return sqrt(b * b - 4 * a * c);", flat("float32", 3))),
    Row("gaussian", 4, 4, ufunc("gaussian", "float32(float32 x, float32 mean, float32 sigma)",
                                "const float32 z = (x - mean) / sigma; return exp(-0.5f * z * z) / (sigma * 2.50662827463f);", [*flat("float32", 1), "float32", "float32"]), why="two divisions and an exponential of each element; half the expert's loads in flight"),
    Row("polar", 16, 4, ufunc("polar", "float32(float32 r1, float32 t1, float32 r2, float32 t2)",
                              "float32 s1, c1, s2, c2; sincos(t1, &s1, &c1); sincos(t2, &s2, &c2); const float32 x = r1 * c1 - r2 * c2, y = r1 * s1 - r2 * s2; return sqrt(x * x + y * y);",
                              flat("float32", 4)), why="sincos, at the bits of the CPU's"),
    Row("divmod", 8, 8, ufunc("divmod", "(int32 q, int32 m)(int32 a, int32 b)", "q = a / b; m = a % b;", flat("int32"))),
    Row("power_f32", 8, 4, ufunc("power_f32", "float32(float32 a, float32 b)", "return pow(a, b);", flat("float32"))),
    Row("int64_divide", 16, 8, ufunc("int64_divide", "int64(int64 a, int64 b)", "return a / b;", flat("int64"))),
    Row("add_where", 9, 4, added("float32", "add_where", flat("float32"), where=f"bool[{N}]", out=[f"float32[{N}]"])),
    Row("add_row", 4, 4, added("float32", "add_row", [f"float32[{SIDE}, {SIDE}]", f"float32[{SIDE}]"])),
    Row("rank4", 4, 4, added("float32", "rank4", ["float32[64, 64, 128, 128]", "float32[64, 1, 128, 1]"])),
    Row("huge_row", 4, 4, added("float32", "huge_row", ["float32[65536, 65536]", "float32[65536]"])),
    Row("add_strided", 12, 4, added("float32", "add_strided", [f"float32[{N}] strides [8]", f"float32[{N}]"])),
    Row("add_transposed", 8, 4, added("float32", "add_transposed", [f"float32[{SIDE}, {SIDE}] strides [4, {4 * SIDE}]", f"float32[{SIDE}, {SIDE}]"]),
        Rule((Phase(having=("STS",)), Phase("store", having=("LDS",))), elements=8, threads=128)),
    Row("peeled", 8, 4, added("float32", "peeled", [f"float32[{N}] offset 4"] * 2, out=[f"float32[{N}] offset 4"]), expert="add_f32"),
    Row("odd_f32", 8, 4, added("float32", "odd_f32", [f"float32[{N}] offset 4", f"float32[{N}]"]), Rule((Phase("store", 4),), elements=16), expert="add_f32"),
    Row("odd_i8", 2, 1, added("int8", "odd_i8", [f"int8[{N}] offset 1", f"int8[{N}]"]), Rule((Phase("store", 1),), elements=16), expert="add_i8",
        why="an access of a byte for each element: the operands are never aligned together"),
    Row("odd_rows_f16", 2, 2, added("float16", "odd_rows_f16", [f"float16[{SIDE}, {SIDE - 1}]", f"float16[{SIDE - 1}]"]), Rule((Phase("store", 2),), elements=8), expert="add_f16",
        why="an access of two bytes for each element: no row but the first is aligned"),
]
REDUCTIONS = [
    Row("sum_all", 4, 0, reduced("sum_all", N), Rule((SUM,), elements=32)),
    Row("sum_axis0", 4, 0, reduced("sum_axis0", f"{SIDE}, {SIDE}"), Rule((SUM,), elements=256)),
    Row("sum_axis1", 4, 0, reduced("sum_axis1", f"{SIDE}, {SIDE}", 1), Rule((SUM,), elements=64)),
    Row("sum_rows_1024", 4, 0, reduced("sum_rows_1024", "65536, 1024", 1), Rule((SUM,), elements=32), expert="sum_axis1"),
    Row("sum_rows_16", 4, 0.25, reduced("sum_rows_16", "4000000, 16", 1), Rule((SUM,), elements=16), expert="sum_axis1"),
    Row("sum_f16", 2, 0, reduced("sum_f16", N, dtype="float16"), Rule((Phase(per=2, having=("L128c",)),), elements=128), expert="sum_all"),
    Row("sum_f16_axis0", 2, 0, reduced("sum_f16_axis0", f"{SIDE}, {SIDE}", dtype="float16"), Rule((Phase(per=2, having=("L128c",)),), elements=256), expert="sum_axis0"),
    Row("argmax", 4, 0, {"kind": "reduction", "name": "argmax", "signatures": ["int64(T x)"], "accumulator": "T best; int64 at;", "map": "return {x, i};",
                         "reduce": "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;", "post": "return a.at;", "reorderable": True,
                         "calls": [{"inputs": [f"float32[{N}]"]}]}, Rule((SUM,), elements=128), why="a pair of a value and its place for each element, and two of four loads in flight"),
    Row("segments_1024", 4, 0, added("float32", "segments_1024", [f"float32[{N}]"], method="reduceat", segments={"count": 65536, "elements": N, "longest": 1024}),
        Rule((Phase(having=("L32c",)),), elements=32), expert="sum_axis1", why="a lane loads four bytes: segments begin anywhere"),
    # Sums of the staged elements lie on branches that no path shows: two loads and an addition, and what chooses them.
    Row("segments_10", 4, 1.2, added("float32", "segments_10", ["float32[10000000]"], method="reduceat", segments={"count": 1000000, "elements": 10000000, "longest": 10}),
        Rule((Phase("STS", 1, having=("load",), inner=False),), elements=16, more=4)),
    Row("cumsum", 4, 4, added("float32", "cumsum", [f"float32[{N}]"], method="accumulate"), Rule((Phase(having=("S128",), inner=False),), elements=128), "look back"),
    Row("cumsum_chunks", 4, 4, added("float32", "cumsum_chunks", [f"float32[{N}]"], method="accumulate"),
        Rule((Phase(having=("S128",), inner=False), Phase(inner=False)), elements=128, extra=4), expert="cumsum"),
    Row("cumsum_i32", 4, 4, added("int32", "cumsum_i32", [f"int32[{N}]"], method="accumulate"), Rule((Phase(having=("S128",), inner=False),), elements=128), "look back", expert="cumsum"),
    Row("at", 8, 4, added("float32", "at", [f"float32[{N}]", "float32"], method="at"), Rule((Phase("L64", 1, having=("SHFL",), inner=False), Phase("L64", 1, nth=1, inner=False)), elements=32, extra=8),
        why="indices are checked in a pass of their own, before the first change"),
]
GUFUNCS = [
    *(Row(f"softmax_{lanes}", 4, 4, softmax(f"softmax_{lanes}", "65536, 1024", group=str(lanes)), Rule(SOFTMAX_PHASES, elements=1024 / lanes), expert="softmax",
          why="the body reads its row three times, and computes each exponential twice") for lanes in (32, 64, 128)),
    Row("softmax_thread", 4, 4, softmax("softmax_thread", "65536, 1024"), Rule(SOFTMAX_PHASES, elements=1024, cache=128), expert="softmax",
        why="a thread for a row of 4 KiB, of which no block holds 32 in shared memory: write .group"),
    Row("softmax_staged", 4, 4, softmax("softmax_staged", "262144, 128"),
        Rule((Phase(having=("L32c", "STS")), Phase("LDS", 1), Phase("LDS", 1, having=("MUFU",)), Phase("STS", 1, having=("MUFU",)), Phase("store", 4, having=("LDS",))),
             elements=32, threads=128, shared=33 * 1024), expert="softmax", why="one warp of four has rows; their exponentials are computed twice"),
    *(Row(f"inner_{lanes}", 8, 0, inner(f"inner_{lanes}", "65536, 1024", group=str(lanes)), Rule((Phase(per=8),), elements=1024 / lanes), expert="inner", why="loads of four bytes, a few in flight")
      for lanes in (32, 64)),
    Row("inner_thread", 8, 0, inner("inner_thread", "65536, 1024"), Rule((Phase(per=8),), elements=1024, cache=64), expert="inner",
        why="a thread for a row of 4 KiB, of which no block holds 32 in shared memory: write .group"),
    Row("inner_staged", 8, 0, inner("inner_staged", "262144, 128"),
        Rule((Phase(having=("STS",)), Phase(having=("STS",), nth=1), Phase("LDS", 2)), elements=32, threads=128, shared=33 * 1024), expert="inner",
        why="six blocks of 128 threads fill the shared memory of a multiprocessor, and load four bytes at a time"),
    Row("matmul8", 8, 4, matmul("matmul8", "1000000, 8, 8"), why="loads of four bytes; products and additions apart (.contract)"),
    Row("matmul64", 8, 4, matmul("matmul64", "16384, 64, 64"), Rule((Phase(per=8, having=("L128c", "STS")), Phase("store", 4, having=("LDS",))), elements=16, threads=256, shared=33 * 1024),
        why="a product and an addition where the expert's code has one FMA (.contract), and a row of four outputs a thread, not a square"),
]
RAW = [
    Row("stencil", 4, 4, raw("stencil", "void(const float32[:,:] x, float32[:,:] y, float32 c, float32 e, float32 d)", STENCIL),
        why="the body computes one output a thread; an expert's keeps rows in registers"),
    Row("transpose", 4, 4, raw("transpose", "void(const float32[:,:] a, float32[:,:] r)", TRANSPOSE)),
    Row("histogram", 1, 0, raw("histogram", "void(const uint8[:] x, int64 n, int64 chunk, int64[:] bins)", HISTOGRAM), Rule((Phase("ATOMS", 1),), elements=1024),
        why="the body loads a byte at a time; examples/block_histogram.cpp has the fast form"),
]
ROWS = [*ELEMENTWISE, *REDUCTIONS, *GUFUNCS, *RAW]

# The kernels of expert*.cu that are no plain loop.
EXPERTS = {
    "sum_all": Rule((Phase(),), elements=1024),
    "sum_axis0": Rule((Phase(),), elements=256),
    "sum_axis1": Rule((Phase(),), elements=64),
    "argmax": Rule((Phase(),), elements=1024),
    "cumsum": Rule((Phase(),), elements=128, extra=4, more=27 / 16),  # and the kernel that sums chunks
    "matmul64": Rule((Phase("LDS", 8),), elements=16),
    "histogram": Rule((Phase("ATOMS", 1),), elements=1024),
}
