#!/usr/bin/env python3
"""Makes data/: operands, and the results that NumPy has for them. Run by hand (NumPy 2); the files are committed."""

import pathlib
import struct

import numpy as np

folder = pathlib.Path(__file__).parent / "data"
rng = np.random.default_rng(20)


def save(name, array):
    np.save(folder / f"{name}.npy", array)


def save_raw(name, header, payload=b"", length=None):
    """A version 1 file whose header is whatever it is told to be."""
    text = header.encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    size = len(text) if length is None else length
    (folder / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", size) + text + payload)


# sqrt(b*b - 4*a*c) in float32, with nan where it is negative
a, b, c = (rng.uniform(low, high, 203).astype(np.float32) for low, high in ((1, 2), (-4, 8), (0, 2)))
with np.errstate(invalid="ignore"):
    disc = np.sqrt(b * b - np.float32(4) * a * c)
assert disc.dtype == np.float32 and np.isnan(disc).any()
for name, array in (("a", a), ("b", b), ("c", c), ("disc", disc)):
    save(name, array)

# int64 broadcasting, beyond 2^53
row = np.arange(4, dtype=np.int64) + (1 << 60)
column = np.array([[1], [-20], [300]], dtype=np.int64)
save("row", row)
save("column", column)
save("row_plus_column", row + column)

# two outputs
dividend = np.array([17, -17, 2147483647, 0, 6], dtype=np.int32)
save("dividend", dividend)
quotient = np.trunc(dividend / 7).astype(np.int32)
save("quotient", quotient)
save("remainder", dividend - 7 * quotient)

# layouts and sizes
matrix = np.arange(12, dtype=np.float64).reshape(3, 4) / 8
save("matrix", matrix)
save("matrix_f", np.asfortranarray(matrix))
save("matrix_squared", matrix * matrix)
save("big_endian", matrix.astype(">f8"))
save("zero_d", np.float64(1.5))
save("empty", np.zeros((0, 3), dtype=np.float32))
save("half", np.array([1, 2.5, 65504, 6e-8], dtype=np.float16))
save("bytes", np.array([0, 1, 200, 255], dtype=np.uint8))
save("flags", np.array([True, False, True]))
z = np.array([1 + 2j, -0.5j, 3], dtype=np.complex64)
save("z", z)
save("z_times", z * np.complex64(1 + 2j))

# methods
counts = np.arange(24, dtype=np.int16).reshape(2, 3, 4) - 7
save("counts", counts)
save("counts_sum", np.add.reduce(counts, axis=-1, keepdims=True))
save("counts_largest", np.maximum.reduce(counts, axis=(0, 2), initial=8))
save("counts_running", np.add.accumulate(counts, axis=1))
save("indices", np.array([0, 2, 1]))
save("counts_segments", np.multiply.reduceat(counts, [0, 2, 1], axis=1))
mask = np.array([[True], [False], [True]])
save("mask", mask)
save("counts_masked", np.add.reduce(counts, axis=None, where=mask))
save("masked_square", np.where(mask, matrix * matrix, 0))
save("outer", np.subtract.outer(dividend, quotient))

# generalized ufuncs
left = (np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7) - 3
right = (np.arange(20, dtype=np.float32).reshape(4, 5) % 5) - 1
save("left", left)
save("right", right)
save("product", left @ right)
save("product_axes", np.moveaxis(left @ right, (0, 1, 2), (1, 2, 0)))
save("convolved", np.stack([np.convolve(x, [1, -2, 0.5]) for x in matrix]))
save("weights", np.array([1, -2, 0.5]))
save("row_lengths", (matrix * matrix).sum(axis=1, keepdims=True))
save("row_largest", matrix.max(axis=1))
save("row_where", np.where(mask[:, 0], matrix.max(axis=1), 0))
save("row_mask", mask[:, 0])

# what must be refused
save_raw("object", "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", b"\x80\x04]q\x00.")
save_raw("strings", "{'descr': '<U3', 'fortran_order': False, 'shape': (1,), }", b"\0" * 12)
save_raw("negative", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", b"\0" * 16)
save_raw("overflow", "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", b"\0" * 16)
save_raw("long_header", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", b"\0" * 8, length=65535)
(folder / "truncated.npy").write_bytes((folder / "a.npy").read_bytes()[:-10])
(folder / "text.npy").write_text("1.0, 2.0, 3.0\n")
