"""Loads, stores and atomics: SMEM, GLOBAL, FLAT, SCRATCH and DS."""
import re

import numpy as np

import faults
import operands

# Bytes, and whether they are a signed number's; CDNA's names, then RDNA's.
LOADED = {"UBYTE": (1, False), "SBYTE": (1, True), "USHORT": (2, False), "SSHORT": (2, True), "SHORT": (2, False), "BYTE": (1, False),
          "DWORD": (4, False), "DWORDX2": (8, False), "DWORDX3": (12, False), "DWORDX4": (16, False),
          "U8": (1, False), "I8": (1, True), "U16": (2, False), "I16": (2, True), "B8": (1, False), "B16": (2, False),
          "B32": (4, False), "B64": (8, False), "B96": (12, False), "B128": (16, False)}
SCALAR = {"DWORD": 1, "DWORDX2": 2, "DWORDX4": 4, "DWORDX8": 8, "DWORDX16": 16, "B32": 1, "B64": 2, "B128": 4, "B256": 8, "B512": 16}


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def scalar_load(inst, name, rdna):
    words = SCALAR.get(name.rpartition("_")[2])
    if not name.startswith("S_LOAD_") or words is None:
        raise faults.unknown(name)
    base = operands.scalar_reader(inst.sbase.offset, 64, rdna)
    offset = signed(inst.offset, 21)
    moved = None
    if rdna:
        if inst.soffset.offset != operands.NULL_RDNA:
            moved = operands.scalar_reader(inst.soffset.offset, 32, rdna)
    elif inst.soffset_en:
        moved = operands.scalar_reader(inst.soffset.offset, 32, rdna)
    if not rdna and not inst.imm:
        offset = 0
        if moved is None:
            raise faults.unknown(f"{name} without an offset")
    first = inst.sdata.offset

    def run(w):
        address = base(w) + offset + (moved(w) if moved else 0)
        w.s[first:first + words] = w.memory.word(address & ~3, words)
    return run


# Atomics: old and data to new, on Python integers.

def _float(change, type_, bits):
    integer = np.dtype(f"u{bits // 8}")

    def run(old, data, width):
        a, b = (np.array(x, integer).view(type_) for x in (old, data))
        return int(np.asarray(change(a, b), type_).view(integer))
    return run


ATOMICS = {
    "SWAP": lambda old, data, width: data,
    "ADD": lambda old, data, width: (old + data) & ((1 << width) - 1),
    "SUB": lambda old, data, width: (old - data) & ((1 << width) - 1),
    "SMIN": lambda old, data, width: min(old, data, key=lambda x: signed(x, width)),
    "SMAX": lambda old, data, width: max(old, data, key=lambda x: signed(x, width)),
    "UMIN": lambda old, data, width: min(old, data),
    "UMAX": lambda old, data, width: max(old, data),
    "AND": lambda old, data, width: old & data,
    "OR": lambda old, data, width: old | data,
    "XOR": lambda old, data, width: old ^ data,
    "INC": lambda old, data, width: 0 if old >= data else old + 1,
    "DEC": lambda old, data, width: data if old == 0 or old > data else old - 1,
    **{f"{name}_F{bits}": _float(change, np.dtype(f"f{bits // 8}"), bits)
       for name, change in (("ADD", np.add), ("MIN", np.fmin), ("MAX", np.fmax)) for bits in (32, 64)},
}


def atomic_of(name):
    """(change, bytes, whether it compares) of GLOBAL_ATOMIC_ADD_X2 or GLOBAL_ATOMIC_ADD_U64 and the like."""
    operation = name.partition("ATOMIC_")[2]
    size = 8 if operation.endswith(("_X2", "64")) else 4
    operation = operation.removesuffix("_X2")
    rdna = re.fullmatch(r"(\w+?)_([UIBF])(32|64)", operation)
    if rdna:
        word, kind, bits = rdna.groups()
        operation = f"{word}_F{bits}" if kind == "F" else {"U": "U", "I": "S"}.get(kind, "") + word if word in ("MIN", "MAX") else word
    if operation == "CMPSWAP":
        return None, size, True
    if operation not in ATOMICS:
        raise faults.unknown(name)
    return ATOMICS[operation], size, False


def run_atomic(space, addresses, lanes, change, size, data):
    """data: rows of words for the lanes that are active; a compare has the new value first."""
    count = size // 4
    joined = [(words[0].astype(np.uint64) | (words[1].astype(np.uint64) << np.uint64(32)) if count == 2 else words[0]).tolist()
              for words in (data[i:i + count] for i in range(0, len(data), count))]
    if change is None:
        new, expected = joined
        return space.atomic(addresses, size, lambda lane, old: new[lane] if old == expected[lane] else old, lanes)
    new = joined[0]
    return space.atomic(addresses, size, lambda lane, old: change(old, new[lane], size * 8), lanes)


def put_words(w, first, words):
    for i, word in enumerate(words):
        w.rows[first + i][w.active] = word


def put_loaded(w, first, words, size, is_signed, half):
    if size >= 4:
        put_words(w, first, words)
        return
    value = words[0]
    if is_signed:
        shift = 32 - 8 * size
        value = (value << shift).view(np.int32) >> shift
    value = value.astype(np.uint32)
    row = w.rows[first]
    if half == "D16":
        value = row[w.active] & 0xffff0000 | value & 0xffff
    elif half == "D16_HI":
        value = row[w.active] & 0xffff | value << 16
    row[w.active] = value


def spaces(name, w, addresses):
    """Pairs of a space and which of the addresses are in it; generic addresses of LDS and scratch by their apertures."""
    if not name.startswith("FLAT_"):
        return [(w.memory, addresses, slice(None))]
    high = addresses >> 32
    found = []
    for aperture, space in ((operands.SHARED_APERTURE, w.lds), (operands.PRIVATE_APERTURE, w.private)):
        here = high == aperture
        if here.any():
            found.append((space, addresses[here] & 0xffffffff, here))
    rest = (high != operands.SHARED_APERTURE) & (high != operands.PRIVATE_APERTURE)
    if not found:
        return [(w.memory, addresses, slice(None))]
    if rest.any():
        found.append((w.memory, addresses[rest], rest))
    return found


def addresses_of(inst, name, rdna):
    """A function of the wave: an int64 for each active lane."""
    offset = signed(inst.offset, 13)
    vector = inst.addr.offset - 256
    none = operands.NULL_RDNA if rdna else 127
    scalar = None if inst.saddr.offset == none or name.startswith("FLAT_") else inst.saddr.offset
    if name.startswith("SCRATCH_"):
        read = None if scalar is None else operands.scalar_reader(scalar, 32, rdna)
        swizzled = bool(inst.sve)

        def scratch(w):
            base = offset + (signed(read(w), 32) if read else 0)
            if not swizzled:
                return np.full(len(w.active), base, np.int64)
            return w.rows[vector][w.active].view(np.int32).astype(np.int64) + base
        return scratch
    if scalar is not None:
        read = operands.scalar_reader(scalar, 64, rdna)
        return lambda w: w.rows[vector][w.active].astype(np.int64) + (read(w) + offset)
    if name.startswith("FLAT_"):
        offset = inst.offset & 0xfff

    def pair(w):
        high = w.rows[vector + 1][w.active].astype(np.int64)
        return (high << 32 | w.rows[vector][w.active]) + offset
    return pair


def vector_transfer(inst, name, rdna):
    """GLOBAL, FLAT and SCRATCH."""
    if getattr(inst, "acc", 0):
        raise faults.unknown(f"{name} with accumulation registers")
    where = addresses_of(inst, name, rdna)
    scratch = name.startswith("SCRATCH_")
    first = inst.vdst.offset - 256
    data = inst.data.offset - 256
    if "_ATOMIC_" in name:
        change, size, compares = atomic_of(name)
        count = size // 4 * (2 if compares else 1)
        returns = inst.glc if rdna else inst.sc0

        def atomic(w):
            if not len(w.active):
                return
            addresses = where(w)
            for space, here, which in spaces(name, w, addresses):
                lanes = w.active[which]
                words = [w.rows[data + i][lanes] for i in range(count)]
                old = run_atomic(space, here, lanes, change, size, words)
                if returns:
                    w.rows[first][lanes] = (old & 0xffffffff).astype(np.uint32)
                    if size == 8:
                        w.rows[first + 1][lanes] = (old >> np.uint64(32)).astype(np.uint32)
        return atomic
    kind = name.split("_", 2)[2]
    half = "D16_HI" if "D16_HI" in kind else "D16" if "D16" in kind else ""
    kind = re.sub(r"_?D16(_HI)?_?", "", kind)
    if kind not in LOADED:
        raise faults.unknown(name)
    size, is_signed = LOADED[kind]
    if "_LOAD_" in name:
        def load(w):
            if not len(w.active):
                return
            addresses = where(w)
            if scratch:
                put_loaded(w, first, w.private.load(addresses, size, w.active), size, is_signed, half)
                return
            parts = spaces(name, w, addresses)
            if len(parts) == 1:
                put_loaded(w, first, parts[0][0].load(parts[0][1], size, w.active), size, is_signed, half)
                return
            whole = [np.zeros(len(addresses), np.uint32) for _ in range(max(size // 4, 1))]
            for space, here, which in parts:
                for word, value in zip(whole, space.load(here, size, w.active[which])):
                    word[which] = value
            put_loaded(w, first, whole, size, is_signed, half)
        return load
    shift = 16 if half == "D16_HI" else 0

    def store(w):
        if not len(w.active):
            return
        addresses = where(w)
        for space, here, which in [(w.private, addresses, slice(None))] if scratch else spaces(name, w, addresses):
            lanes = w.active[which]
            words = [w.rows[data + i][lanes] >> shift for i in range(max(size // 4, 1))]
            space.store(here, size, words, lanes)
    return store


# LDS.

def local_transfer(inst, name, rdna):
    short = name.removeprefix("DS_").replace("READ", "LOAD").replace("WRITE", "STORE")
    if inst.gds or getattr(inst, "acc", 0):
        raise faults.unknown(f"{name} of GDS or accumulation registers")
    address, first = inst.addr.offset - 256, inst.vdst.offset - 256
    data = (inst.data0.offset - 256, inst.data1.offset - 256)
    offset = inst.offset0 | inst.offset1 << 8
    if short in ("BPERMUTE_B32", "PERMUTE_B32"):
        return permute(short, address, first, data[0], offset)
    if short == "SWIZZLE_B32":
        return swizzle(address, first, offset)

    def where(w, plus):
        return w.rows[address][w.active].astype(np.int64) + plus

    two = re.fullmatch(r"(LOAD|STORE)(?:2|2ST64|_2ADDR|_2ADDR_STRIDE64)_B(32|64)", short)
    if two:
        size = int(two[2]) // 8
        stride = size * (64 if "ST64" in short or "STRIDE64" in short else 1)
        offsets = (inst.offset0 * stride, inst.offset1 * stride)
        count = size // 4
        if two[1] == "LOAD":
            def load_two(w):
                words = []
                for plus in offsets:
                    words += w.lds.load(where(w, plus), size, w.active)
                put_words(w, first, words)
            return load_two

        def store_two(w):
            for plus, row in zip(offsets, data):
                w.lds.store(where(w, plus), size, [w.rows[row + i][w.active] for i in range(count)], w.active)
        return store_two
    plain = re.fullmatch(r"(LOAD|STORE)_(\w+?)(_D16)?(_HI)?", short)
    if plain and plain[2] in LOADED:
        size, is_signed = LOADED[plain[2]]
        half = "D16_HI" if plain[4] else "D16" if plain[3] else ""
        if plain[1] == "LOAD":
            return lambda w: put_loaded(w, first, w.lds.load(where(w, offset), size, w.active), size, is_signed, half)
        shift = 16 if half == "D16_HI" else 0
        return lambda w: w.lds.store(where(w, offset), size,
                                     [w.rows[data[0] + i][w.active] >> shift for i in range(max(size // 4, 1))], w.active)
    atomic = re.fullmatch(r"(ADD|SUB|MIN|MAX|AND|OR|XOR|INC|DEC)(_RTN)?_([UIBF])(32|64)", short)
    if atomic:
        change, size, _ = atomic_of(f"ATOMIC_{atomic[1]}_{atomic[3]}{atomic[4]}")

        def change_local(w):
            words = [w.rows[data[0] + i][w.active] for i in range(size // 4)]
            old = run_atomic(w.lds, where(w, offset), w.active, change, size, words)
            if atomic[2]:
                put_words(w, first, [(old >> old.dtype.type(32 * i)).astype(np.uint32) for i in range(size // 4)])
        return change_local
    compare = re.fullmatch(r"CMPST(ORE)?(_RTN)?_B(32|64)", short)
    if compare:
        size = int(compare[3]) // 8
        new, expected = data if compare[1] else data[::-1]  # RDNA 3's name is for the other order

        def compare_local(w):
            words = [w.rows[row + i][w.active] for row in (new, expected) for i in range(size // 4)]
            old = run_atomic(w.lds, where(w, offset), w.active, None, size, words)
            if compare[2]:
                put_words(w, first, [(old >> old.dtype.type(32 * i)).astype(np.uint32) for i in range(size // 4)])
        return compare_local
    raise faults.unknown(name)


def swizzle(row, first, offset):
    """A pattern within 32 lanes, or within 4; a lane that is off gives 0."""
    if offset >= 0xc000:
        raise faults.unknown(f"DS_SWIZZLE_B32 with offset {offset:#x}")

    def pull(w):
        lane = np.arange(len(w.mask))
        if offset & 0x8000:
            source = lane & ~3 | offset >> 2 * (lane & 3) & 3
        else:
            source = lane & 32 | (lane & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31
        w.rows[first][w.active] = np.where(w.mask[source], w.rows[row][source], 0)[w.active]
    return pull


def permute(short, address, first, data, offset):
    """Between the lanes of a wave; a lane that is off gives 0."""
    def pull(w):
        source = (w.rows[address] + np.uint32(offset) >> 2) & (len(w.mask) - 1)
        values = np.where(w.mask[source], w.rows[data][source], 0)
        w.rows[first][w.active] = values[w.active]

    def push(w):
        target = (w.rows[address] + np.uint32(offset) >> 2) & (len(w.mask) - 1)
        values = np.zeros(len(w.mask), np.uint32)
        values[target[w.active]] = w.rows[data][w.active]
        w.rows[first][w.active] = values[w.active]
    return pull if short == "BPERMUTE_B32" else push
