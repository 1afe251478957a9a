"""How instructions reach registers: readers and writers, bound once for an operand of an instruction.

A reader gives unsigned integers, 32 or 64 bits each: an array for a vector register, one number for what all lanes share.
"""
import struct

import numpy as np

import faults

VCC, NULL_RDNA, M0_CDNA, M0_RDNA, EXEC = 106, 124, 124, 125, 126
SHARED_APERTURE, PRIVATE_APERTURE = 0x10000, 0x20000  # the high halves of generic addresses
FLOATS = {240: 0.5, 241: -0.5, 242: 1.0, 243: -1.0, 244: 2.0, 245: -2.0, 246: 4.0, 247: -4.0, 248: 0.15915494309189535}
FORMATS = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def constant(offset, bits, kind, literal):
    """The bits of an inline constant or a literal; None for registers. kind: the operand's type, as F64."""
    if 128 <= offset <= 208:
        number = offset - 128 if offset <= 192 else 192 - offset
        return number & ((1 << max(bits, 32)) - 1)
    if offset in FLOATS:
        size = int(kind[1:]) if kind[:1] == "F" and kind[1:] in ("16", "32", "64") else min(bits, 64)
        to, back = FORMATS[16 if kind == "F16" else size]
        return struct.unpack(back, struct.pack(to, FLOATS[offset]))[0]
    if offset == 255:
        if literal is None:
            raise faults.unknown("a literal of this encoding")
        if bits == 64 and kind == "F64":
            return literal << 32
        if bits == 64 and kind == "I64" and literal >> 31:
            return literal | 0xffffffff00000000
        return literal
    return None


def scalar_reader(offset, bits, rdna):
    """A function of the wave that gives a Python integer."""
    if 108 <= offset < 124:
        raise faults.unknown("trap registers")
    if rdna and offset == NULL_RDNA:
        return lambda w: 0
    if offset < 128:
        if bits == 64:
            return lambda w: w.s[offset] | w.s[offset + 1] << 32
        return lambda w: w.s[offset]
    special = {
        235: lambda w: SHARED_APERTURE << 32, 237: lambda w: PRIVATE_APERTURE << 32,
        236: lambda w: (SHARED_APERTURE + 1 << 32) - 1, 238: lambda w: (PRIVATE_APERTURE + 1 << 32) - 1,
        251: lambda w: int(w.s[VCC] | w.s[VCC + 1] << 32 == 0), 252: lambda w: int(not w.exec_bits()), 253: lambda w: int(w.scc),
    }
    if offset not in special:
        raise faults.unknown(f"source operand {offset}")
    if bits == 32 and 235 <= offset <= 238:
        return lambda w, wide=special[offset]: wide(w) >> 32
    return special[offset]


def numpy_scalar(offset, bits, rdna, kind, literal):
    """A function of the wave that gives a NumPy number of 32 or 64 bits."""
    type_ = np.uint64 if bits == 64 else np.uint32
    fixed = constant(offset, bits, kind, literal)
    if fixed is not None:
        number = type_(fixed)
        return lambda w: number
    read = scalar_reader(offset, bits, rdna)
    return lambda w: type_(read(w))


def vector_reader(offset, bits, rdna, kind="", literal=None, indexed=False):
    if offset < 256:
        return numpy_scalar(offset, bits, rdna, kind, literal)
    first = offset - 256
    if indexed:
        if bits != 32:
            raise faults.unknown("an indexed register pair")
        return lambda w: w.rows[first + w.index()]
    if bits == 64:
        wide, shift = np.uint64, np.uint64(32)
        return lambda w: w.rows[first + 1].astype(wide) << shift | w.rows[first]
    return lambda w: w.rows[first]


def words_reader(offset, count, rdna):
    """A list of words, for stores."""
    if offset < 256:
        raise faults.unknown("a scalar register in a store")
    return lambda w: [w.rows[offset - 256 + i] for i in range(count)]


def scalar_writer(offset, bits, rdna):
    """Takes a Python integer."""
    if rdna and offset == NULL_RDNA:
        return lambda w, value: None
    if 108 <= offset < 124 or offset >= 128:
        raise faults.unknown(f"destination operand {offset}")
    executes = offset in (EXEC, EXEC + 1)

    def write(w, value):
        w.s[offset] = value & 0xffffffff
        if bits == 64:
            w.s[offset + 1] = value >> 32 & 0xffffffff
        if executes:
            w.refresh()
    return write


def mask_writer(offset, lanes, rdna):
    """Takes a bool for each lane; those that are off give 0."""
    write = scalar_writer(offset, lanes, rdna)
    return lambda w, bools: write(w, w.bits_of(bools))


def mask_reader(offset, lanes, rdna):
    read = scalar_reader(offset, lanes, rdna)
    return lambda w: w.lanes_of(read(w))


def vector_writer(offset, bits, rdna, high=False, keeps=False, indexed=False):
    """Takes unsigned integers of that many bits. `high`: of 16 bits, to the upper half; `keeps`: the other half stays."""
    first = offset - 256
    if first < 0:
        raise faults.unknown("a scalar destination of a vector instruction")
    copyto = np.copyto

    def put(w, row, value):
        if w.full:
            w.rows[row][:] = value
        else:
            copyto(w.rows[row], value, where=w.mask)

    if indexed:
        if bits != 32:
            raise faults.unknown("an indexed register pair")
        return lambda w, value: put(w, first + w.index(), value)
    if bits == 64:
        def pair(w, value):
            put(w, first, (value & 0xffffffff).astype(np.uint32))
            put(w, first + 1, (value >> 32).astype(np.uint32))
        return pair
    if bits <= 16 and high:
        return lambda w, value: put(w, first, w.rows[first] & 0xffff | value.astype(np.uint32) << 16)
    if bits <= 16 and keeps:
        return lambda w, value: put(w, first, w.rows[first] & 0xffff0000 | value)
    return lambda w, value: put(w, first, value)
