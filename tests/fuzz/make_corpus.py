#!/usr/bin/env python3
"""Writes the seeds that fuzzing starts from: small files of every shape that the readers know. What once broke a reader is kept
beside them under a name that begins with "found-", which this leaves alone.

usage: make_corpus.py [FOLDER]     (default: corpus/ beside this file)
"""
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN_NPY = HERE.parent / "golden" / "npy"
GOLDEN_NPZ = HERE.parent / "golden" / "npz"

SIGNATURES = {
    "one": "float32(float32 a, float32 b)",
    "unnamed": "float64(float64, complex128)",
    "outputs": "(int32 q, int32 r)(int32 a, int32 b)",
    "variable": "T(T x, T y)",
    "restricted": "T(T x, U y) where T: float32, float64, U: int8, uint64",
    "blanks": "  bool ( complex64 ,\tbfloat16 )\n",
    "expression": "float32 f(float32 a, float32 b) = a + b;",
    "body": "T g(T a) where T: float16, bool { return a; } ",
    "divmod": "(int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }",
    "reserved": "float32(float32 int, float32 a)",
    "unbound": "(T a)(int16 b)",
    "void": "void(float32 a)",
}


PTX_HEAD = ".version 8.4\n.target sm_80\n.address_size 64\n"
PTX = {
    "add": """.visible .entry add(.param .u64 p0, .param .u64 p1, .param .u32 n)
.maxntid 256, 1, 1
{
  .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [p0]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1; @%p1 bra $L__end;
  cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd2, %rd3;
  ld.global.nc.f32 %f1, [%rd4]; add.rn.f32 %f2, %f1, 0f3F800000; fma.rn.f32 %f3, %f2, %f2, %f1;
  .loc 1 3 5, function_name $L__info, inlined_at 2 9 1
  st.global.f32 [%rd4+0], %f3;
$L__end:
  ret;
}
.file 1 "f"
.file 2 "kiln/kernel.cpp"
.section .debug_str { $L__info: .b8 102 }
""",
    "block": """.extern .shared .align 16 .b8 more[];
.global .align 4 .u32 table[4] = {1, 2, 0x3, -4};
.visible .entry block(.param .u64 p0)
{
  .shared .align 4 .b8 cells[256]; .local .align 8 .b8 own[16];
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .b16 %rs<4>;
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, cells; add.s32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1; bar.sync 0;
  shfl.sync.down.b32 %r5|%p1, %r1, 1, 31, 0xffffffff; vote.sync.ballot.b32 %r6, %p1, -1;
  mov.u64 %rd1, own; st.local.v2.u32 [%rd1], {%r5, %r6}; ld.local.v2.u32 {%r7, %r8}, [own+8];
  mov.b64 %rd2, {%r7, %r8}; mov.b32 {%rs1, %rs2}, %r7; cvt.f32.f16 %r9, %rs1;
  mov.u64 %rd3, table; ld.global.u32 %r10, [%rd3+4]; ld.param.u64 %rd4, [p0]; atom.global.add.u32 %r11, [%rd4], %r10;
  bar.red.popc.u32 %r11, 0, %p1; ret;
}
""",
    "call": """.func (.param .b32 out) twice(.param .b32 in)
{
  .reg .b32 %r<3>; ld.param.b32 %r1, [in]; add.s32 %r2, %r1, %r1; st.param.b32 [out+0], %r2; ret;
}
.visible .entry call(.param .u64 p0)
{
  .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;
$L_again:
  { .param .b32 a; st.param.b32 [a+0], %r1; .param .b32 r; call.uni (r), twice, (a); ld.param.b32 %r2, [r+0]; }
  setp.lt.u32 %p1, %r2, 7; mov.u32 %r1, %r2; @%p1 bra $L_again;
$T: .branchtargets $L_again, $L_out;
  mov.u32 %r3, 1; brx.idx %r3, $T;
$L_out:
  trap;
}
""",
}

AXPY = {"kind": "ufunc", "name": "axpy", "signatures": ["float32(float32 a, float32 x, float32 y)", "float64(float64, float64, float64)"],
        "body": "return a * x + y;"}
SQUARE = {"kind": "ufunc", "name": "square", "signatures": ["T(T a) where T: float32, int8", "U(U)"], "expression": "a * a"}
MANIFESTS = {
    "empty": [],
    "long": [AXPY],
    "short": [{"kernel": "float32 f(float32 a) = a * a"}, {"kernel": "T g(T a) where T: bool, int8 { return a; }"}],
    "options": [AXPY | {"preamble": "#include \"s.h\"", "functions": "float32 g();", "headers": {"s.h": {"latin1": "\u00ff"}},
                        "include_dirs": ["inc", "/usr"], "defines": ["A", "B=2"], "contract": True, "fast_math": True}],
    "types": [SQUARE | {"types": [{"T": "float32"}, {"U": "complex64"}]}],
    "loops": [SQUARE | {"loops": ["int8 -> int8", "float16 -> float16"]}],
    "calls": [AXPY | {"calls": [
        {"inputs": ["float32[9]", "float32", "float32[9] offset 4"]},
        {"inputs": ["int8", "float64[7, 9] strides [-72, 8] host", "float64[9]"], "where": "bool[7, 1]", "out": ["float32[7, 9]"],
         "loop": "float64, float64, float64 -> float64"},
        {"inputs": ["float64[9] strides [0]", "float64[9]", "float64[9]"], "out": ["float64[9] of input 1"]}]},
        {"kernel": "void mul(T[:,:] a, T k, T[:,:] b) { b(i, j) = a(i, j) * k; }", "layout": "(m,n),()->(m,n)", "each": "i:m, j:n", "calls": [
            {"inputs": ["float32[9, 8, 4]", "float32"], "any_sizes": True},
            {"inputs": ["float32[8, 9, 4]", "float32[9]"], "axes": [[0, -1], [], [1, 2]], "out": ["float32[9, 8, 4]"]}]}],
    "methods": [{"kernel": "T sum(T a, T b) = a + b", "identity": "0", "widens_integers": True, "types": [{"T": "int8"}],
                 "methods": ["call", "outer", "reduce", "reduceat", "accumulate", "at"]},
                {"kernel": "T low(T a, T b) = a", "reorderable": True, "calls": [
                    {"method": "reduce", "inputs": ["bool[9, 8]"], "out": ["float64[1, 1]"], "axis": "all", "keepdims": True, "initial": True,
                     "where": "bool[9, 1]"},
                    {"method": "reduce", "inputs": ["float32[9, 8] strides [4, 36]"], "axis": [0, -1], "dtype": "float64"},
                    {"method": "reduceat", "inputs": ["int8[900]"], "segments": {"count": 30, "elements": 900, "longest": 99}},
                    {"method": "accumulate", "inputs": ["int8[9, 100]"], "axis": 1},
                    {"method": "at", "inputs": ["int8[9]", "bool"]}]}],
    "kernel": [{"kind": "kernel", "name": "k", "signature": "void(const T[:] x, U[:,:] y, int64 n) where U: int8", "body": "y[item] = x[item];",
                "types": [{"T": "float32", "U": "int8"}], "launch": ["items", "single"]},
               {"kind": "kernel", "name": "w", "signature": "void(float32[:] x, const float32* p, int8[:,:] y)", "body": "barrier();", "defines": ["A"],
                "calls": [{"launch": "blocks"}, {"launch": "single", "strided": ["x"], "strided_host": ["y"]}]}],
    "reduction": [{"kind": "reduction", "name": "r", "signatures": ["(float64 m, int64 at)(T x, T w)"], "accumulator": "float64 n, s;",
                   "map": "return {w, i};", "reduce": "return {a.n + b.n, a.s + b.s};", "post": "m = a.n; at = 1;", "identity": "{0, 0}",
                   "identity_leads": True, "calls": [
                       {"inputs": ["float16[9, 8]", "float32"], "where": "bool[8]", "axis": 0, "out": [None, "int64[8]"]}]}],
    "same": [AXPY, AXPY],
    "path": [{"kind": "a/~b", "name": ""}],
}


def key(**changes):
    fields = {"compiler": "NVRTC 13.0.48", "contract": False, "defines": ["N=3"], "fast_math": False,
              "headers": [["a.hpp", "#define A 1\n"], ["b.hpp", "#define B \"2\"\n"]], "kiln": "0.1.0",
              "options": ["-O3", "-std=c++20"], "runtime": "", "schema": "1", "source": "float f(float a) { return a; }\n",
              "target": "sm_90", "templates": "0123456789abcdef0123456789abcdef"}
    return json.dumps(fields | changes, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def entry(key_text, info, payload, version=1):
    """An entry whose checksum is zero: the target mends it."""
    info = json.dumps(info, sort_keys=True, separators=(",", ":")).encode()
    head = b"kiln\r\n\x1a\n" + struct.pack("<IQQQ", version, len(key_text), len(info), len(payload))
    return head + key_text + info + payload + bytes(16)


def bundle(entries, version=1):
    """A bundle whose checksums are zero: the target mends them."""
    data, index = b"kilnb\r\n\x1a" + struct.pack("<II", version, 0), b""
    for digest, body in entries:
        index += digest + struct.pack("<QQ", len(data), len(body))
        data += body
    return data + index + struct.pack("<QQ", len(data), len(entries)) + bytes(32)


INFO = {"kernel": "saxpy", "signature": "float32(float32 a)", "body": "return a;", "compile_ms": 12.5, "created_unix": 1700000000}

SHAPE = {"device": "NVIDIA H200, 132 multiprocessors", "driver": "CUDA 13.0", "elements": 16777216, "block": 128, "accesses": 4, "ms": 0.5, "model_ms": 0.75,
         "model": False, "measured_unix": 1700000000}


def tuning(*shapes):
    return json.dumps({"id": "a" * 32, "shapes": shapes}).encode()


def seeds():
    for name, text in SIGNATURES.items():
        yield "signature", name, text.encode()
    for file in sorted(GOLDEN_NPY.glob("*.npy")):
        yield "npy", file.stem, file.read_bytes()[:256]
    for file in sorted(GOLDEN_NPZ.glob("*.npz")):
        if file.stem != "many":
            yield "npz", file.stem, file.read_bytes()
    for name, text in PTX.items():
        yield "ptx", name, (PTX_HEAD + text).encode()
    yield "npy", "growth", b"\x93NUMPY\x03\0" + struct.pack("<I", 90) + b"{'descr': '>c16', 'fortran_order': True, 'shape': (3L, 0,), }".ljust(90)
    sample = key().encode()
    yield "entry", "sample", entry(sample, INFO, b"\x7fELF\0\1\2")
    yield "entry", "empty", entry(b"", INFO, b"")
    yield "entry", "newer", entry(sample, INFO, b"code", version=2)
    yield "entry", "number", entry(b"{}", INFO | {"compile_ms": 1e300, "created_unix": 2**63}, b"x")
    yield "entry", "negative", entry(b"{}", INFO | {"compile_ms": -0.0, "created_unix": -1}, b"x")
    yield "entry", "missing", entry(b"{}", {"kernel": "saxpy"}, b"x")
    yield "entry", "unicode", entry(b"{}", INFO | {"body": "\u00e9\U0001f600\ud800"}, b"x")
    yield "entry", "sizes", entry(sample, INFO, b"code")[:20] + b"\xff" * 8 + entry(sample, INFO, b"code")[28:]
    yield "key", "sample", sample
    yield "key", "bare", key(headers=[], options=[], defines=[], source="").encode()
    yield "key", "flags", key(contract=True, fast_math=True, runtime="glibc 2.36").encode()
    yield "key", "latin1", key(source={"latin1": "\u00ff\n"}).encode()
    yield "key", "twice", key(headers=[["a", "1"], ["a", "2"]]).encode()
    yield "key", "schema", key(schema="2").encode()
    yield "key", "spaced", json.dumps(json.loads(sample), indent=1).encode()
    yield "key", "depth", b"[" * 5000
    for name, kernels in MANIFESTS.items():
        yield "manifest", name, json.dumps({"kiln_manifest": 2, "kernels": kernels}).encode()
    yield "manifest", "version", b'{"kiln_manifest": 1, "kernels": []}'
    yield "manifest", "twice", b'{"kiln_manifest": 2, "kernels": [], "kernels": []}'
    yield "manifest", "number", b'{"kiln_manifest": 2e0, "kernels": [{"rank": 99999999999999999999}]}'
    yield "manifest", "depth", b"[" * 5000
    plain = bytes([0, 2, 2, 64, 1, 0, 0, 2, 1, 3, 1, 1, 1, 0, 0, 0, 0])  # a tensor: its flags, axes, dtype, device, extents
    yield "c_interface", "plain", plain * 2 + bytes(40)
    yield "c_interface", "strange", bytes([0x2F]) + struct.pack("<iBBHiB5q", 3, 2, 64, 1, 2, 0, 4, -1, 2**62, 0, 1) + plain + bytes(range(40))
    yield "c_interface", "overflowing", bytes([0x62]) + struct.pack("<BBBHB10q", 2, 2, 64, 1, 0, *[2**61, 2**61] * 5) + plain + bytes(40)
    yield "tuning", "one", tuning(SHAPE)
    yield "tuning", "two", tuning(SHAPE, SHAPE | {"device": "\u00e9\u0007", "model": True, "ms": 1e300})
    yield "tuning", "none", tuning()
    yield "tuning", "limits", tuning(SHAPE | {"elements": 2**63 - 1, "block": 1024, "accesses": 16, "measured_unix": 0})
    yield "tuning", "beyond", tuning(SHAPE | {"elements": 2**64 - 1, "block": -64, "accesses": 2**32})
    yield "tuning", "depth", b"[" * 5000
    yield "bundle", "none", bundle([])
    one, two = bytes(range(16)), bytes(range(1, 17))
    yield "bundle", "two", bundle([(one, b"first"), (two, b"the second")])
    yield "bundle", "twice", bundle([(one, b"first"), (one, b"first")])
    yield "bundle", "unsorted", bundle([(two, b"first"), (one, b"second")])
    yield "bundle", "newer", bundle([(one, b"first")], version=2)
    yield "bundle", "count", bundle([(one, b"first")])[:-40] + b"\xff" * 8 + bytes(32)
    yield "bundle", "entry", bundle([(one, entry(sample, INFO, b"code"))])


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "corpus"
    for old in folder.glob("*/*"):
        if not old.name.startswith("found-"):
            old.unlink()
    count = 0
    for target, name, data in seeds():
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / name).write_bytes(data)
        count += 1
    print(f"{count} seeds in {folder}")


if __name__ == "__main__":
    main()
