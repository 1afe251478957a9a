"""Waves and workgroups: decoding a kernel's instructions once, and running them one wave at a time from barrier to barrier.

The order of workgroups, and of the waves of each, is shuffled by a seed: where a barrier is missing, another seed gives other
numbers. Registers and LDS hold garbage at first.
"""
import collections
import random
import time

import numpy as np
from tinygrad.renderer.amd import decode_inst

import alu
import faults
import memory
import operands
import transfer
from lanes import crossing, dual, nothing

END, BARRIER = -1 << 40, -2 << 40
GARBAGE = 0xa5a5a5a5


class Architecture:
    def __init__(self, name):
        self.name = name.partition(":")[0]
        if self.name in ("gfx942", "gfx950"):
            self.family, self.rdna = "cdna", False
        elif self.name.startswith("gfx11"):
            self.family, self.rdna = "rdna3", True
        else:
            raise faults.unknown(f"the architecture {name}")


class Wave:
    def __init__(self, lanes, registers, memory_, lds, private):
        self.s = [GARBAGE] * 128
        self.s[124] = 0
        self.v = np.full((registers, lanes), GARBAGE, np.uint32)
        self.rows = list(self.v)
        self.scc = False
        self.at = 0  # the next instruction
        self.lanes = lanes
        self.memory, self.lds, self.private = memory_, lds, private
        self.index_register = operands.M0_CDNA
        self.all = (1 << lanes) - 1

    def exec_bits(self):
        return self.s[126] | self.s[127] << 32 if self.lanes == 64 else self.s[126]

    def refresh(self):
        bits = self.exec_bits()
        self.full = bits == self.all
        self.mask = self.lanes_of(bits)
        self.active = np.flatnonzero(self.mask)

    def lanes_of(self, bits):
        return np.unpackbits(np.frombuffer((bits & self.all).to_bytes(self.lanes // 8, "little"), np.uint8), bitorder="little").view(bool)

    def bits_of(self, bools):
        return int.from_bytes(np.packbits(bools & self.mask, bitorder="little").tobytes(), "little")

    def index(self):
        return self.s[self.index_register] & 0xff

    def lane(self):
        """The first that is active; 0 where none is."""
        return int(self.active[0]) if len(self.active) else 0


_bound = collections.defaultdict(dict)


class Program:
    """A kernel's instructions as functions of a wave, made when they are first reached.

    A function gives None, END, BARRIER, or how many words to jump from the instruction behind it: it knows no place, and serves
    every kernel that has the same instruction.
    """

    def __init__(self, code, entry, architecture, lanes, base):
        self.begin, self.text = code
        self.architecture, self.lanes, self.base = architecture, lanes, base
        self.entry = (entry - self.begin) // 4
        self.steps = {}
        self.falls = {}
        self.gpr_index = None  # which operands S_SET_GPR_IDX_ON moves

    def step(self, at):
        """(function, the instruction behind it, the instruction)."""
        step = self.steps.get(at)
        if step is None:
            step = self.steps[at] = self.build(at)
        return step

    def behind(self, at):
        """Past instructions that do nothing."""
        try:
            while self.step(at)[0] is nothing:
                at = self.step(at)[1]
        except faults.Fault:
            pass  # it may never be reached
        return at

    def build(self, at):
        a = self.architecture
        data = self.text[4 * at:4 * at + 16]
        if len(data) < 4:
            raise faults.Fault(faults.LAUNCH_FAILURE, "the program counter is outside the kernel's code")
        if a.rdna and data[2:4] in (b"\xac\xe0", b"\xb0\xe0"):
            return (lambda w: None), at + 2, "buffer_gl_inv"  # of caches that are not here
        # Kernels are alike: most instructions of one were bound for another.
        known = _bound[a.family, self.lanes]
        for size in (4, 8, 12):
            if data[:size] in known and self.gpr_index is None:
                function, inst = known[data[:size]]
                return function, at + size // 4, inst
        try:
            inst = decode_inst(data.ljust(16, b"\0"), a.family)
            following = at + inst.size() // 4
            function = self.bound(inst, following)
        except (ValueError, AssertionError) as why:
            raise faults.unknown(f"the instruction {data[:8].hex()}: {why}") from why
        if self.gpr_index is None and getattr(inst, "op_name", "") != "S_SET_GPR_IDX_ON":
            known[data[:inst.size()]] = function, inst
        return function, following, inst

    def bound(self, inst, following):
        a, cls = self.architecture, type(inst).__name__
        if cls.startswith("VOPD"):
            return dual(inst, a, self.lanes)
        name = alu.base_name(inst.op_name)
        if cls.startswith("SOPP"):
            return self.control(inst, name)
        if cls.startswith("SMEM"):
            return nothing if name.startswith(("S_DCACHE", "S_GL1", "S_ICACHE")) else transfer.scalar_load(inst, name, a.rdna)
        if cls.startswith(("GLOBAL", "FLAT", "SCRATCH")):
            return transfer.vector_transfer(inst, name, a.rdna)
        if cls.startswith("DS"):
            return transfer.local_transfer(inst, name, a.rdna)
        if cls.startswith("MUBUF") and name in ("BUFFER_INV", "BUFFER_WBL2"):
            return nothing
        if cls.startswith("SOP"):
            return self.scalar(inst, name, following)
        if cls.startswith("VOP"):
            special = crossing(inst, name, a, self.lanes)
            return special or alu.vector(inst, a.family, name, a.rdna, self.lanes, self.gpr_index)
        raise faults.unknown(f"{name} ({cls})")

    def scalar(self, inst, name, following):
        rdna = self.architecture.rdna
        if name == "S_GETPC_B64":
            write = operands.scalar_writer(inst.sdst.offset, 64, rdna)
            return lambda w: write(w, w.code + 4 * w.at + 4)
        if name in ("S_SETPC_B64", "S_SWAPPC_B64"):
            read = operands.scalar_reader(inst.ssrc0.offset, 64, rdna)
            write = operands.scalar_writer(inst.sdst.offset, 64, rdna) if name == "S_SWAPPC_B64" else None

            def jump(w):
                behind = w.code + 4 * w.at + 4
                target = read(w)
                if write:
                    write(w, behind)
                return (target - behind) // 4
            return jump
        if name == "S_SET_GPR_IDX_ON":
            # The instructions up to S_SET_GPR_IDX_OFF, which stand behind this one, are bound with moved operands.
            read = operands.numpy_scalar(inst.ssrc0.offset, 32, rdna, "", inst._literal)
            mode = inst.ssrc1.offset & 15
            self.index_until_off(following, mode)

            def start(w):
                w.s[operands.M0_CDNA] = w.s[operands.M0_CDNA] & 0xffff0f00 | int(read(w)) & 0xff | mode << 12
            return start
        if name.startswith("S_WAITCNT"):
            return nothing
        if name in ("S_BITSET0_B32", "S_BITSET1_B32"):
            read = operands.numpy_scalar(inst.ssrc0.offset, 32, rdna, "", inst._literal)
            row, on = inst.sdst.offset, name == "S_BITSET1_B32"
            write = operands.scalar_writer(row, 32, rdna)
            return lambda w: write(w, w.s[row] | 1 << int(read(w)) % 32 if on else w.s[row] & ~(1 << int(read(w)) % 32))
        return alu.scalar(inst, self.architecture.family, name, rdna)

    def index_until_off(self, at, mode):
        self.gpr_index = mode
        while True:
            step = self.steps[at] = self.build(at)
            if getattr(step[2], "op_name", "") == "S_SET_GPR_IDX_OFF":
                break
            at = step[1]
        self.gpr_index = None

    def control(self, inst, name):
        target = transfer.signed(inst.simm16, 16)
        conditions = {
            "S_BRANCH": lambda w: True,
            "S_CBRANCH_SCC0": lambda w: not w.scc,
            "S_CBRANCH_SCC1": lambda w: w.scc,
            "S_CBRANCH_VCCZ": lambda w: not (w.s[106] | (w.s[107] if w.lanes == 64 else 0)),
            "S_CBRANCH_VCCNZ": lambda w: w.s[106] | (w.s[107] if w.lanes == 64 else 0),
            "S_CBRANCH_EXECZ": lambda w: not len(w.active),
            "S_CBRANCH_EXECNZ": lambda w: len(w.active),
        }
        if name in conditions:
            condition = conditions[name]
            return lambda w: target if condition(w) else None
        if name == "S_ENDPGM":
            return lambda w: END
        if name == "S_BARRIER":
            return lambda w: BARRIER
        if name == "S_TRAP":
            def trap(w):
                raise faults.Fault(faults.LAUNCH_FAILURE, "a trap")
            return trap
        # Waiting, scheduling, and messages that only say that registers are free.
        if name.startswith(("S_NOP", "S_WAITCNT", "S_DELAY_ALU", "S_CLAUSE", "S_SENDMSG", "S_SET_INST_PREFETCH", "S_SLEEP", "S_SETPRIO",
                            "S_SET_GPR_IDX_OFF", "S_CODE_END", "S_INST_PREFETCH", "S_ICACHE_INV")):
            return nothing
        raise faults.unknown(name)


class Launch:
    """One launch. `arguments` is the address of the kernel's arguments, `dispatch` of the packet that describes the launch."""

    def __init__(self, kernel, program, memory_, grid, block, dynamic_lds, arguments, dispatch, seed, seconds):
        self.kernel, self.program, self.memory = kernel, program, memory_
        self.grid, self.block = grid, block
        self.lds_bytes = kernel.lds + dynamic_lds
        self.arguments, self.dispatch = arguments, dispatch
        self.random = random.Random(seed) if seed else None
        self.deadline = time.process_time() + seconds
        self.lanes = kernel.lanes

    def run(self):
        threads = self.block[0] * self.block[1] * self.block[2]
        if threads > self.kernel.max_threads or self.lds_bytes > 65536 or threads == 0:
            raise faults.Fault(faults.INVALID_CONFIGURATION,
                               f"{threads} threads and {self.lds_bytes} bytes of LDS: the kernel takes {self.kernel.max_threads} and 65536")
        groups = [(x, y, z) for z in range(self.grid[2]) for y in range(self.grid[1]) for x in range(self.grid[0])]
        if self.random:
            self.random.shuffle(groups)
        with np.errstate(all="ignore"):
            for group in groups:
                self.run_group(group, threads)

    def run_group(self, group, threads):
        lds = memory.Local(self.lds_bytes)
        waves = [self.wave(group, first, min(self.lanes, threads - first), lds) for first in range(0, threads, self.lanes)]
        waiting = list(enumerate(waves))
        while waiting:
            if self.random:
                self.random.shuffle(waiting)
            arrived = {}
            for number, wave in waiting:
                try:
                    reached = self.run_wave(wave)
                except faults.Fault as fault:
                    lane = "" if fault.lane is None else f", lane {fault.lane}"
                    step = self.program.steps.get(wave.at)
                    raise faults.Fault(fault.status, f"{self.kernel.name}, workgroup {group}, wave {number}{lane}, instruction at "
                                       f"{self.program.begin + 4 * wave.at:#x} ({step[2] if step else '?'}): {fault.text}") from fault
                arrived.setdefault(reached, []).append((number, wave))
            arrived.pop(END, None)  # a barrier does not wait for waves that have ended
            waiting = [each for some in arrived.values() for each in some]
            if len(arrived) > 1:
                where = ", ".join(f"{self.program.begin + 4 * at:#x}" for at in arrived)
                raise faults.Fault(faults.LAUNCH_FAILURE, f"{self.kernel.name}, workgroup {group}: "
                                   f"waves wait at different barriers ({where})")

    def run_wave(self, wave):
        """Up to a barrier, of which it gives the place, or the end."""
        program, at, count = self.program, wave.at, 0
        steps, falls = program.steps, program.falls
        while True:
            wave.at = at
            if at not in falls:
                falls[at] = program.behind(program.step(at)[1])
            function, following, _ = steps[at]
            reached = function(wave)
            if reached is None:
                at = falls[at]
            elif reached > END:
                at = following + reached
                count += 1
                if count & 0xff == 0 and time.process_time() > self.deadline:
                    raise faults.Fault(faults.TIME_OUT, "the kernel does not end")
            elif reached == BARRIER:
                wave.at = following
                return at
            else:
                return END

    def wave(self, group, first, count, lds):
        kernel, lanes = self.kernel, self.lanes
        wave = Wave(lanes, 512 if not self.program.architecture.rdna else 256, self.memory, lds,
                    memory.Private(kernel.private, lanes) if kernel.private else None)
        if self.program.architecture.rdna:
            wave.index_register = operands.M0_RDNA
        at = 0

        def put(*words):
            nonlocal at
            for word in words:
                wave.s[at] = word & 0xffffffff
                at += 1

        properties = kernel.properties
        if properties & 1:
            put(0, 0, 0, 0)
        for bit, value in ((1, self.dispatch), (2, 0), (3, self.arguments), (4, 0), (5, 0)):
            if properties >> bit & 1:
                put(value, value >> 32)
        if properties >> 6 & 1:
            put(kernel.private)
        at = max(at, kernel.rsrc2 >> 1 & 31)
        for axis in range(3):
            if kernel.rsrc2 >> (7 + axis) & 1:
                put(group[axis])
        if kernel.rsrc2 >> 10 & 1:
            raise faults.unknown("a kernel that asks for workgroup information")
        ids = np.arange(first, first + lanes, dtype=np.uint32)
        x, y, z = ids % self.block[0], ids // self.block[0] % self.block[1], ids // (self.block[0] * self.block[1])
        wave.rows[0][:] = x | y << 10 | z << 20
        bits = (1 << count) - 1
        wave.s[126], wave.s[127] = bits & 0xffffffff, bits >> 32
        wave.refresh()
        wave.at = self.program.entry
        wave.code = self.program.base + self.program.begin
        return wave
