#!/usr/bin/env python3
"""Writes npy/: files that numpy.save wrote, for every dtype, both orders, and the versions of the format.

npy/NAME.npy holds what npy/expected.txt says: "NAME dtype shape order hex", the elements in C order, little-endian.
With a folder as argument it checks instead that NumPy reads that folder's NAME.npy files (written by kiln) as the same arrays.
Needs numpy and ml_dtypes.
"""
import io
import pathlib
import sys

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).parent / "npy"
DTYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
          "float16 bfloat16 float32 float64 complex64 complex128").split()


def values(name, shape):
    n = int(np.prod(shape, dtype=np.int64))
    rng = np.random.default_rng(len(name) * 100 + n)
    dt = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    if name == "bool":
        return rng.integers(0, 2, n).astype(bool).reshape(shape)
    if dt.kind in "iu":
        info = np.iinfo(dt)
        return rng.integers(info.min, info.max, n, dtype=dt, endpoint=True).reshape(shape)
    if dt.kind == "c":
        return (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(dt).reshape(shape)
    return rng.normal(size=n).astype(dt).reshape(shape)


def cases():
    for name in DTYPES:
        yield f"{name}_c", values(name, (2, 3)), None
    for name in ("bool", "float16", "bfloat16", "float32", "complex128"):
        yield f"{name}_f", np.asfortranarray(values(name, (2, 3, 2))), None
    for name in ("int16", "uint64", "float32", "complex64"):
        a = values(name, (5,))
        yield f"{name}_big", a.astype(a.dtype.newbyteorder(">")), None
    yield "scalar", np.array(2.5), None
    yield "one", np.array([7], dtype=np.int32), None
    yield "empty", np.zeros((0, 3), dtype=np.float32), None
    yield "rank5", values("int8", (1, 2, 1, 3, 2)), None
    yield "version2", values("float32", (4,)), (2, 0)
    yield "version3", values("float32", (2, 2)), (3, 0)
    # NumPy leaves room for a growing axis: a header that just does not fit into 128 bytes with it.
    for order in "CF":
        for n in range(100):
            a = np.zeros((1, *[1] * (n // 3), *[10] * (n % 3)), dtype=np.int8, order=order)
            f = io.BytesIO()
            np.save(f, a)
            if len(f.getvalue()) - a.size > 128:
                yield f"growth_{order.lower()}", a, None
                break
    yield "big_f", np.asfortranarray(values("int32", (3, 2)).astype(">i4")), None


def bits(a):
    a = np.ascontiguousarray(a)
    if a.dtype.byteorder == ">":
        a = a.astype(a.dtype.newbyteorder("<"))
    return a.tobytes().hex() or "-"


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    lines = []
    HERE.mkdir(exist_ok=True)
    for name, a, version in cases():
        if folder is None:
            with open(HERE / f"{name}.npy", "wb") as f:
                np.lib.format.write_array(f, a, version=version, allow_pickle=False)
            order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
            shape = ",".join(map(str, a.shape)) or "-"
            lines.append(f"{name} {a.dtype.name} {shape} {order} {bits(a)}")
        else:
            got = np.load(folder / f"{name}.npy")
            if a.dtype == ml_dtypes.bfloat16:
                got = got.view(ml_dtypes.bfloat16)
            assert got.shape == a.shape and got.dtype.name == a.dtype.name and bits(got) == bits(a), name
    if folder is None:
        (HERE / "expected.txt").write_text("\n".join(lines) + "\n")


main()
