"""Data parallel primitives: an instruction whose first source is another lane's register. AMD's ISA documents, "DPP"."""
import numpy as np

import faults


def source_lanes(control, lanes, rdna):
    """(the lane that each lane reads, whether there is one)."""
    lane = np.arange(lanes)
    place, row = lane & 15, lane & ~15
    shift = control & 15
    if control < 0x100:
        return lane & ~3 | control >> 2 * (lane & 3) & 3, np.ones(lanes, bool)
    if 0x101 <= control <= 0x10f:  # row_shl
        return np.minimum(lane + shift, lanes - 1), place + shift < 16
    if 0x111 <= control <= 0x11f:  # row_shr
        return np.maximum(lane - shift, 0), place >= shift
    if 0x121 <= control <= 0x12f:  # row_ror
        return row | place - shift & 15, np.ones(lanes, bool)
    if control == 0x140:  # row_mirror
        return row | 15 - place, np.ones(lanes, bool)
    if control == 0x141:  # row_half_mirror
        return lane ^ 7, np.ones(lanes, bool)
    if not rdna and control == 0x130:  # wave_shl
        return np.minimum(lane + 1, lanes - 1), lane + 1 < lanes
    if not rdna and control == 0x138:  # wave_shr
        return np.maximum(lane - 1, 0), lane >= 1
    if rdna and 0x150 <= control <= 0x15f:  # row_share
        return row | shift, np.ones(lanes, bool)
    if rdna and 0x160 <= control <= 0x16f:  # row_xmask
        return lane ^ shift, np.ones(lanes, bool)
    raise faults.unknown(f"DPP with control {control:#x}")


class Selection:
    """Of an instruction: which lanes' values it reads, and which lanes it writes."""

    def __init__(self, inst, lanes, rdna):
        self.lane, self.there = source_lanes(inst.dpp, lanes, rdna)
        self.from_inactive = bool(getattr(inst, "fi", 0))
        self.zeros = bool(inst.bc)  # where no lane is there to read; else the destination stays
        index = np.arange(lanes)
        self.kept = (inst.row_mask >> (index >> 4 & 3) & 1 == 0) | (inst.bank_mask >> (index >> 2 & 3) & 1 == 0)
        self.writes_all = self.zeros and not self.kept.any()

    def valid(self, w):
        active = w.lanes_of(w.exec_bits())
        return self.there if self.from_inactive else self.there & active[self.lane]

    def reader(self, read):
        def selected(w):
            value = read(w)
            return np.where(self.valid(w), value[self.lane], value.dtype.type(0))
        return selected

    def runner(self, run):
        if self.writes_all:
            return run

        def some(w):
            mask, full = w.mask, w.full
            w.mask, w.full = mask & ~self.kept & (self.zeros | self.valid(w)), False
            try:
                run(w)
            finally:
                w.mask, w.full = mask, full
        return some
