"""What AMD's pseudocode takes for granted, over NumPy's arrays and scalars."""
import ctypes
import ctypes.util

import numpy as np

LANES = {count: np.arange(count, dtype=np.uint32) for count in (32, 64)}

_libm = ctypes.CDLL(ctypes.util.find_library("m"))
_libm.fma.restype = ctypes.c_double
_libm.fma.argtypes = [ctypes.c_double] * 3
_fma64 = np.frompyfunc(_libm.fma, 3, 1)

_UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}
_MANTISSA = {2: 10, 4: 23, 8: 52}


def raw(x):
    return x.view(_UNSIGNED[x.dtype.itemsize])


def isNAN(x):
    return np.isnan(x)


def isQuietNAN(x):
    quiet = 1 << (_MANTISSA[x.dtype.itemsize] - 1)
    return np.isnan(x) & (raw(x) & quiet != 0)


def isSignalNAN(x):
    quiet = 1 << (_MANTISSA[x.dtype.itemsize] - 1)
    return np.isnan(x) & (raw(x) & quiet == 0)


def exponent(x):
    """With its bias; 0 of zeros and denormals."""
    size = x.dtype.itemsize
    field = {2: 0x1f, 4: 0xff, 8: 0x7ff}[size]
    return ((raw(x) >> _MANTISSA[size]) & field).astype(np.int32)


def denormal(x):
    return (exponent(x) == 0) & (x != 0)


def fract(x):
    return x - np.floor(x)


def fma(a, b, c):
    """Rounded once."""
    if a.dtype == np.float64:
        return np.asarray(_fma64(a, b, c)).astype(np.float64)
    # The product is exact in float64. The sum is rounded to odd there, so that the second rounding is that of the exact sum.
    product = a.astype(np.float64) * b.astype(np.float64)
    addend = c.astype(np.float64)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    bits = np.asarray(total).view(np.int64)
    inexact = (error != 0) & np.isfinite(total) & (bits & 1 == 0)
    towards = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(inexact, bits + towards, bits).view(np.float64).astype(a.dtype)


def to_integer(x, dtype):
    """Towards zero, NaN to 0, what is too large to the nearest."""
    limits = np.iinfo(dtype)
    wide = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
    return np.clip(wide, limits.min, limits.max).astype(dtype)


def minimum(a, b):
    if a.dtype.kind != "f":
        return np.minimum(a, b)
    return np.where(np.isnan(a), b, np.where(np.isnan(b) | (a < b) | ((a == b) & np.signbit(a)), a, b))


def maximum(a, b):
    if a.dtype.kind != "f":
        return np.maximum(a, b)
    return np.where(np.isnan(a), b, np.where(np.isnan(b) | (a > b) | ((a == b) & ~np.signbit(a)), a, b))


def left(x, count):
    """0 for counts past the width."""
    bits = x.dtype.itemsize * 8
    return np.where((count >= 0) & (count < bits), x << (count & (bits - 1)), x.dtype.type(0))[()]


def right(x, count):
    bits = x.dtype.itemsize * 8
    return np.where((count >= 0) & (count < bits), x >> (count & (bits - 1)), x.dtype.type(0))[()]


def reversed_bits(x):
    size = x.dtype.itemsize
    bytes_ = np.atleast_1d(np.asarray(x)).view(np.uint8).reshape(-1, size)
    flipped = np.packbits(np.unpackbits(bytes_, axis=1, bitorder="little")[:, ::-1], axis=1, bitorder="little")
    result = flipped.copy().view(x.dtype).reshape(-1)
    return result if np.ndim(x) else result[0]


def bit_counts(x):
    return np.bitwise_count(x)


def trailing_zeros(x):
    """Of no bit: all ones, as AMD's."""
    lowest = x & (~x + x.dtype.type(1))
    return np.where(x == 0, np.uint32(0xffffffff), np.bitwise_count(lowest - x.dtype.type(1)).astype(np.uint32))[()]


def leading_zeros(x):
    for distance in (1, 2, 4, 8, 16, 32):
        if distance < x.dtype.itemsize * 8:
            x = x | (x >> distance)
    count = x.dtype.itemsize * 8 - np.bitwise_count(x).astype(np.uint32)
    return np.where(x == 0, np.uint32(0xffffffff), count)[()]
