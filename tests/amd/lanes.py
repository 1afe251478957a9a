"""Vector instructions that are two, that reach other lanes' registers, or registers by number."""
import numpy as np

import alu
import operands


def nothing(w):
    return None


def dual(inst, architecture, lanes):
    """Two instructions that read before either writes."""
    literal = inst._literal
    halves = []
    for part in "xy":
        name = alu.base_name(getattr(inst, f"op{part}").name)
        bits, readers = {}, {}
        for operand, field in (("S0", f"src{part}0"), ("S1", f"vsrc{part}1")):
            bits[operand] = 32
            kind = "F32" if "F32" in name else "B32"
            readers[operand] = operands.vector_reader(getattr(inst, field).offset, 32, architecture.rdna, kind, literal)
        target = getattr(inst, f"vdst{part}").offset
        bits["D0"], readers["D0"] = 32, operands.vector_reader(target, 32, architecture.rdna)
        bits["VCCL"], readers["VCCL"] = 1, operands.mask_reader(operands.VCC, lanes, architecture.rdna)
        if literal is not None:
            bits["SIMM32"], readers["SIMM32"] = 32, lambda w: np.uint32(literal)
        executed, names = alu.function(architecture.family, name, bits, False)
        halves.append((executed.call, [readers[n] for n in names], operands.vector_writer(target, 32, architecture.rdna)))

    def run(w):
        results = [np.array(call(*[read(w) for read in reads], LANES=lanes)[0]) for call, reads, _ in halves]
        for (_, _, write), result in zip(halves, results):
            write(w, result)
    return run


def between_rows(inst, rdna, lanes):
    """Each lane of a row reads the lane of the other row of its 32 that its 4 bits of the selectors name."""
    low = operands.numpy_scalar(inst.src1.offset, 32, rdna, "", inst._literal)
    high = operands.numpy_scalar(inst.src2.offset, 32, rdna, "", inst._literal)
    source, target = inst.src0.offset - 256, inst.vdst.offset - 256
    from_inactive, zeros = inst.opsel & 1, inst.opsel & 2
    lane = np.arange(lanes)

    def permute(w):
        selectors = int(low(w)) | int(high(w)) << 32
        chosen = np.array([selectors >> 4 * place & 15 for place in range(16)])[lane & 15] | (lane & ~15 ^ 16)
        valid = w.mask[chosen] | bool(from_inactive)
        values = np.where(valid, w.rows[source][chosen], np.uint32(0))
        np.copyto(w.rows[target], values, where=w.mask & (valid | bool(zeros)))
    return permute


def crossing(inst, name, architecture, lanes):
    """Instructions that reach other lanes' registers, or registers by number."""
    rdna = architecture.rdna
    if name == "V_READFIRSTLANE_B32":
        offset = inst.src0.offset
        destination = inst.vdst.offset - (256 if inst.vdst.offset >= 256 else 0)
        write = operands.scalar_writer(destination, 32, rdna)
        if offset < 256:
            read = operands.numpy_scalar(offset, 32, rdna, "", inst._literal)
            return lambda w: write(w, int(read(w)))
        return lambda w: write(w, int(w.rows[offset - 256][w.lane()]))
    if name in ("V_READLANE_B32", "V_WRITELANE_B32"):
        lane = operands.numpy_scalar(inst.src1.offset, 32, rdna, "", inst._literal)
        if name == "V_READLANE_B32":
            destination = inst.vdst.offset - (256 if inst.vdst.offset >= 256 else 0)
            write = operands.scalar_writer(destination, 32, rdna)
            row = inst.src0.offset - 256
            return lambda w: write(w, int(w.rows[row][int(lane(w)) % lanes]))
        value = operands.numpy_scalar(inst.src0.offset, 32, rdna, "", inst._literal)
        row = inst.vdst.offset - 256

        def write_lane(w):
            w.rows[row][int(lane(w)) % lanes] = value(w)
        return write_lane
    if name == "V_PERMLANEX16_B32":
        return between_rows(inst, rdna, lanes)
    if name in ("V_MOVRELS_B32", "V_MOVRELD_B32"):
        source, target = inst.src0.offset, inst.vdst.offset
        if name == "V_MOVRELS_B32":
            read = operands.vector_reader(source, 32, rdna, indexed=True)
            write = operands.vector_writer(target, 32, rdna)
        else:
            read = operands.vector_reader(source, 32, rdna, "", inst._literal)
            write = operands.vector_writer(target, 32, rdna, indexed=True)
        return lambda w: write(w, read(w))
    if name == "V_SWAP_B32":
        first, second = inst.vdst.offset - 256, inst.src0.offset - 256

        def swap(w):
            a, b = w.rows[first].copy(), w.rows[second].copy()
            np.copyto(w.rows[first], b, where=w.mask)
            np.copyto(w.rows[second], a, where=w.mask)
        return swap
    if name.startswith("V_NOP"):
        return nothing
    return None
