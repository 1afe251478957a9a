"""Scalar and vector arithmetic: an instruction's pseudocode with its operands bound."""
import importlib
import re

import numpy as np

import dpp
import faults
import natives
import operands
import pseudocode
from operands import EXEC, VCC

_functions = {}


def base_name(name):
    return re.sub(r"_(E32|E64|SDWA|DPP)$", "", name).replace("V_DUAL_", "V_")


def table(family):
    module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{family}.str_pcode")
    if family not in _texts:
        _texts[family] = {}
        for operation, text in module.PCODE.items():
            _texts[family].setdefault(base_name(operation.name), text)
    return _texts[family]


_texts = {}


def function(family, name, bits, scalar):
    """bits: operand → width. Translated once for a name and its widths."""
    key = (family, name, tuple(sorted(bits.items())), scalar)
    if key not in _functions:
        if name in natives.NATIVE:
            native = natives.NATIVE[name]
            count = native.call.__code__.co_argcount - 1
            names = native.call.__code__.co_varnames[:count]
            _functions[key] = (native, names)
        else:
            text = natives.CORRECTED.get(name) or table(family).get(name)
            if text is None:
                raise faults.unknown(name)
            if name in natives.REPLACED:
                old, new = natives.REPLACED[name]
                if old not in text:
                    raise faults.unknown(f"{name} in the words of another version of the tables")
                text = text.replace(old, new)
            names = [operand for operand in bits if used(operand, text)]
            try:
                _functions[key] = (pseudocode.translate(text, {n: bits[n] for n in names}, scalar), names)
            except pseudocode.Untranslatable as why:
                raise faults.unknown(f"{name}: {why}") from why
    return _functions[key]


def used(operand, text):
    word = {"VCCL": "VCC", "EXECL": "EXEC"}.get(operand, operand)
    return re.search(rf"\b{word}\b", text) is not None


# Scalar.

def scalar(inst, family, name, rdna):
    """SOP1, SOP2, SOPC and SOPK."""
    sizes = inst.op_bits
    literal = inst._literal
    fields = {field for field, _ in inst._fields}
    bits, readers = {}, {}
    for operand, field in (("S0", "ssrc0"), ("S1", "ssrc1")):
        if field in fields:
            bits[operand] = 64 if sizes.get(field, 32) == 64 else 32
            format_ = inst.operands.get(field)
            kind = format_[0].name.rpartition("_")[2] if format_ else ""
            readers[operand] = operands.numpy_scalar(getattr(inst, field).offset, bits[operand], rdna, kind, literal)
    width = 64 if sizes.get("sdst", 32) == 64 else 32
    destination = inst.sdst.offset if "sdst" in fields else None
    if "simm16" in fields:
        # The destination is the first source as well; CDNA's pseudocode has the number in S0 or S1, RDNA's in SIMM16.
        number = np.uint32(inst.simm16)
        old = operands.numpy_scalar(destination, 32, rdna, "", None)
        text = natives.CORRECTED.get(name) or table(family).get(name, "")
        given = {"SIMM16": number} if "SIMM16" in text else {"S1": number} if "S1" in text else {"S0": number}
        for operand in ("D0", "S0", "S1", "SIMM16"):
            if operand in given:
                bits[operand], readers[operand] = 32, lambda w: number
            elif operand in ("D0", "S0"):
                bits[operand], readers[operand] = 32, old
    elif destination is not None:
        bits["D0"], readers["D0"] = width, operands.numpy_scalar(destination, width, rdna, "", None)
    bits.update(SCC=1, EXEC=64, VCC=64)
    readers["SCC"] = lambda w: np.bool_(w.scc)
    readers["EXEC"] = operands.numpy_scalar(EXEC, 64, rdna, "", None)
    readers["VCC"] = operands.numpy_scalar(VCC, 64, rdna, "", None)
    if "EXEC_LO" in table(family).get(name, ""):
        bits["EXEC_LO"] = 32
        readers["EXEC_LO"] = operands.numpy_scalar(EXEC, 32, rdna, "", None)
    executed, names = function(family, name, bits, True)
    reads = [readers[n] for n in names]
    writers = []
    for output in executed.outputs:
        if output == "D0":
            write = operands.scalar_writer(destination, width, rdna)
            writers.append(lambda w, value, write=write: write(w, int(value)))
        elif output == "SCC":
            writers.append(lambda w, value: setattr(w, "scc", bool(value)))
        elif output in ("EXEC", "VCC"):
            write = operands.scalar_writer(EXEC if output == "EXEC" else VCC, 64, rdna)
            writers.append(lambda w, value, write=write: write(w, int(value)))
        else:
            raise faults.unknown(f"{name}, which writes {output}")
    call = executed.call

    def run(w):
        for write, value in zip(writers, call(*[read(w) for read in reads])):
            write(w, value)
    return run


# Vector.

def modified(read, bits, kind, negate, absolute, half):
    """With the half of the register that it takes, and its sign."""
    if half:
        upper = read
        read = lambda w: upper(w) >> 16  # noqa: E731
    if not (negate or absolute):
        return read
    sign = {"F16": 0x8000, "F64": 1 << 63}.get(kind, 1 << 63 if bits == 64 else 0x80000000)
    sign = np.uint64(sign) if bits == 64 else np.uint32(sign)

    def signed(w):
        value = read(w)
        if absolute:
            value = value & ~sign
        return value ^ sign if negate else value
    return signed


def selected(read, selector, extended):
    """SDWA's part of a source: a byte, a word or all."""
    if selector == 6:
        return read
    shift, size = (8 * selector, 8) if selector < 4 else (16 * (selector - 4), 16)
    if extended:
        return lambda w: (read(w).view(np.int32) << (32 - size - shift) >> (32 - size)).view(np.uint32)
    return lambda w: read(w) >> shift & ((1 << size) - 1)


def packed(read, low, high, negate_low, negate_high, kind):
    """Both halves of a VOP3P source: each is one of the register's halves, with its sign."""
    def halves(w):
        value = read(w)
        if value.dtype == np.uint64:
            a, b = (value >> np.uint64(32 * which) & np.uint64(0xffffffff) for which in (low, high))
            if kind == "F32":
                a, b = a ^ np.uint64(0x80000000 * negate_low), b ^ np.uint64(0x80000000 * negate_high)
            return a | b << np.uint64(32)
        a, b = (value >> 16 * which & 0xffff for which in (low, high))
        if kind == "F16":
            a, b = a ^ 0x8000 * negate_low, b ^ 0x8000 * negate_high
        return a | b << 16
    return halves


def mixed(read, half, upper, negate, absolute):
    """A source of V_FMA_MIX: a float, or one half of the register made one."""
    def single(w):
        value = read(w)
        if half:
            value = (value >> 16 * upper).astype(np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
        if absolute:
            value = value & 0x7fffffff
        return value ^ 0x80000000 if negate else value
    return single


def sources(inst, name, rdna, lanes, indexed, selection):
    """S0, S1, S2 → (bits, reader)."""
    cls = type(inst).__name__
    fields = {field for field, _ in inst._fields}
    sizes = inst.op_bits
    found = {}
    for number, choices in enumerate((("src0",), ("src1", "vsrc1"), ("src2",))):
        field = next((f for f in choices if f in fields), None)
        described = inst.operands.get(field) or inst.operands.get(f"src{number}") or inst.operands.get(f"vsrc{number}")
        if field is None or described is None:
            continue
        bits = 64 if sizes.get(field, described[1]) == 64 else 32
        if described[1] > 64:
            raise faults.unknown(f"{name}: an operand of {described[1]} bits")
        kind = described[0].name.rpartition("_")[2]
        offset = getattr(inst, field).offset
        if "SDWA" in cls:
            if number == 0:
                offset = inst.vsrc0.offset - 256 * inst.s0
            elif inst.s1:
                offset -= 256
        elif "DPP" in cls and number == 0:
            offset = inst.vsrc0.offset
        is_indexed = indexed is not None and offset >= 256 and indexed >> number & 1
        read = operands.vector_reader(offset, bits, rdna, kind, inst._literal, is_indexed)
        if "SDWA" in cls:
            read = selected(read, getattr(inst, f"src{number}_sel"), getattr(inst, f"src{number}_sext"))
            read = modified(read, bits, kind, getattr(inst, f"src{number}_neg"), getattr(inst, f"src{number}_abs"), False)
        elif "DPP" in cls:
            if number == 0:
                read = selection.reader(read)
            read = modified(read, bits, kind, getattr(inst, f"src{number}_neg"), getattr(inst, f"src{number}_abs"), False)
        elif cls.startswith("VOP3P"):
            high = inst.opsel_hi >> number & 1 if number < 2 else inst.opsel_hi2
            base = kind.rpartition("PK2")[2] or kind
            if name.startswith("V_PK_"):
                fixed = operands.constant(offset, 32, "F16" if "F16" in name else "", None) if offset != 255 else None
                if fixed is not None and bits == 32 and offset >= 240:
                    read = lambda w, value=np.uint32(fixed): value  # noqa: E731
                elif offset < 256 and bits == 64:
                    # CDNA's scalars and constants: a constant is both halves.
                    fixed = operands.constant(offset, 32, "F32", inst._literal)
                    if fixed is not None:
                        read = lambda w, value=np.uint64(fixed | fixed << 32): value  # noqa: E731
                read = packed(read, inst.opsel >> number & 1, high, inst.neg >> number & 1, inst.neg_hi >> number & 1,
                              "F16" if "F16" in name else "F32" if "F32" in name else base)
            elif "_MIX" in name:
                read = mixed(read, high, inst.opsel >> number & 1, inst.neg >> number & 1, inst.neg_hi >> number & 1)
            else:
                raise faults.unknown(name)
        elif cls.startswith("VOP3"):
            negate = inst.neg >> number & 1
            absolute = inst.abs >> number & 1 if "abs" in fields else 0
            read = modified(read, bits, kind, negate, absolute, "opsel" in fields and inst.opsel >> number & 1)
        found[f"S{number}"] = (bits, read, offset)
    return found


def vector(inst, family, name, rdna, lanes, indexed=None):
    """VOP1, VOP2, VOPC, VOP3 and their kin. indexed: which operands M0 moves (S_SET_GPR_IDX_ON), or None."""
    cls = type(inst).__name__
    fields = {field for field, _ in inst._fields}
    compares = name.startswith("V_CMP")
    if getattr(inst, "omod", 0) or (getattr(inst, "clmp", 0) and "V_CMP" not in name):
        raise faults.unknown(f"{name} with clamp or an output modifier")
    selection = None
    if "DPP" in cls:
        if not cls.endswith("DPP16"):
            raise faults.unknown(f"{name} ({cls})")
        selection = dpp.Selection(inst, lanes, rdna)
        if compares and not selection.writes_all:
            raise faults.unknown(f"{name} with DPP that leaves bits of a mask")
    found = sources(inst, name, rdna, lanes, indexed, selection)
    bits = {operand: width for operand, (width, _, _) in found.items()}
    readers = {operand: read for operand, (_, read, _) in found.items()}
    described = inst.operands.get("vdst")
    out_bits = 64 if described and described[1] == 64 else 32
    carry_in = VCC
    if not compares:
        bits["D0"] = out_bits
        readers["D0"] = operands.vector_reader(inst.vdst.offset, out_bits, rdna)
    # The lane mask that an instruction reads stands in its last source, where it has one.
    if name in ("V_CNDMASK_B32", "V_CNDMASK_B16") or re.search(r"_(ADDC|SUBB|SUBBREV|.*_CI)_", name):
        if "src2" in fields:
            carry_in = inst.src2.offset
            bits.pop("S2", None)
    bits["VCCL"] = 1
    readers["VCCL"] = operands.mask_reader(carry_in, lanes, rdna)
    if inst._literal is not None:
        bits["SIMM32"] = 32
        readers["SIMM32"] = lambda w, value=np.uint32(inst._literal): value
    executed, names = function(family, name, bits, False)
    reads = [readers[n] for n in names]
    call = executed.call
    writers = []
    for output in executed.outputs:
        if output == "D0":
            writers.append(result_writer(inst, name, rdna, cls, fields, out_bits, indexed))
        elif output == "D0L":
            offset = VCC
            if cls.startswith("VOP3"):
                offset = inst.vdst.offset - (256 if inst.vdst.offset >= 256 else 0)
            elif "SDWA_SDST" in cls and inst.sd:
                offset = inst.sdst.offset
            writers.append(operands.mask_writer(offset, lanes, rdna))
        elif output == "VCCL":
            offset = inst.sdst.offset if "sdst" in fields else VCC
            writers.append(operands.mask_writer(offset, lanes, rdna))
        elif output == "EXECL":
            writers.append(operands.mask_writer(EXEC, lanes, rdna))
        else:
            raise faults.unknown(f"{name}, which writes {output}")
    if len(writers) == 1:
        write = writers[0]

        def run_one(w):
            write(w, call(*[read(w) for read in reads], LANES=lanes)[0])
        return selection.runner(run_one) if selection else run_one

    def run(w):
        for write, value in zip(writers, call(*[read(w) for read in reads], LANES=lanes)):
            write(w, value)
    return selection.runner(run) if selection else run


def result_writer(inst, name, rdna, cls, fields, out_bits, indexed):
    """Results of 16 bits: RDNA keeps the other half of the register, CDNA makes it 0 unless a half was chosen."""
    offset = inst.vdst.offset
    moved = indexed is not None and bool(indexed & 8)
    if "SDWA" in cls and inst.dst_sel != 6:
        return part_writer(offset, inst.dst_sel, inst.dst_unused, rdna)
    high = cls.startswith("VOP3") and not cls.startswith("VOP3P") and "opsel" in fields and bool(inst.opsel & 8)
    whole = operands.vector_writer(offset, out_bits, rdna, indexed=moved)
    half = operands.vector_writer(offset, 16, rdna, high=high or "MIXHI" in name, keeps=rdna or "_MIX" in name)

    def write(w, value):
        if value.dtype.itemsize <= 2:
            half(w, value)
        else:
            whole(w, value)
    return write


def part_writer(offset, selector, unused, rdna):
    """SDWA's part of the destination; the rest is 0, the sign, or stays."""
    shift, size = (8 * selector, 8) if selector < 4 else (16 * (selector - 4), 16)
    mask = (1 << size) - 1
    write = operands.vector_writer(offset, 32, rdna)
    row = offset - 256

    def part(w, value):
        field = value.astype(np.uint32) & mask
        if unused == 2:
            result = w.rows[row] & (0xffffffff ^ mask << shift) | field << shift
        elif unused == 1:
            result = ((field << 32 - size).view(np.int32) >> 32 - size - shift).view(np.uint32)
        else:
            result = field << shift
        write(w, result)
    return part
