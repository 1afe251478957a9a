"""Global memory with its allocations, LDS and scratch: what loads, stores and atomics reach, and whether they may."""
import numpy as np

import faults

VIEWS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Space:
    """Bytes from `base` on. An access of more than 4 bytes is several of 4."""

    def __init__(self, name, base, bytes_):
        self.name, self.base, self.bytes = name, base, bytes_
        self.views = {size: bytes_[:len(bytes_) // size * size].view(type_) for size, type_ in VIEWS.items()}

    def check(self, addresses, size, what, lanes):
        raise NotImplementedError

    def load(self, addresses, size, lanes):
        """A list of words, uint32 each. Memory may be read and written at any address: amdhsa's unaligned access mode."""
        self.check(addresses, size, "a load from", lanes)
        unit = min(size, 4)
        offsets = addresses - self.base
        if unit > 1 and (offsets & (unit - 1)).any():
            return [sum(self.bytes[offsets + word + byte].astype(np.uint32) << (8 * byte) for byte in range(unit))
                    for word in range(0, max(size, unit), 4)]
        at, view = offsets >> (unit.bit_length() - 1), self.views[unit]
        return [view[at + word].astype(np.uint32, copy=False) for word in range(max(size // 4, 1))]

    def store(self, addresses, size, words, lanes):
        self.check(addresses, size, "a store to", lanes)
        unit = min(size, 4)
        offsets = addresses - self.base
        if unit > 1 and (offsets & (unit - 1)).any():
            for word in range(max(size // 4, 1)):
                for byte in range(unit):
                    self.bytes[offsets + 4 * word + byte] = words[word] >> (8 * byte) & 0xff
            return
        at, view = offsets >> (unit.bit_length() - 1), self.views[unit]
        for word in range(max(size // 4, 1)):
            view[at + word] = words[word]

    def atomic(self, addresses, size, change, lanes):
        """change(index in lanes, old) gives what is stored, one lane after the other. The old values."""
        self.check(addresses, size, "an atomic on", lanes)
        view = self.views[size]
        before = np.empty(len(addresses), view.dtype)
        offsets = addresses - self.base
        if (offsets & (size - 1)).any():
            at = int(np.flatnonzero(offsets & (size - 1))[0])
            raise faults.misaligned(f"an atomic on {self.name}", int(addresses[at]), size, int(lanes[at]))
        for lane, index in enumerate((offsets // size).tolist()):
            old = int(view[index])
            before[lane] = old
            view[index] = change(lane, old)
        return before


class Allocations(Space):
    """Global memory: an access lies in one allocation."""

    def __init__(self, base, bytes_):
        super().__init__("global memory", base, bytes_)
        self.set([])

    def set(self, blocks):
        """(begin, bytes) of each."""
        blocks = sorted(tuple(block) for block in blocks)
        self.begins = np.array([0] + [begin for begin, _ in blocks], np.int64)
        self.ends = np.array([0] + [begin + size for begin, size in blocks], np.int64)

    def check(self, addresses, size, what, lanes):
        at = np.searchsorted(self.begins, addresses, "right") - 1
        # Of a word that has a small element: all that the allocation has of it. Allocations are rounded up to more than that.
        outside = addresses + size > self.ends[at] + (-self.ends[at] & 3 if size == 4 else 0)
        if outside.any():
            at = int(np.flatnonzero(outside)[0])
            raise faults.out_of_bounds(f"{what} {self.name}", int(addresses[at]), size, int(lanes[at]))

    def word(self, address, words):
        """Scalar loads: `words` of 32 bits."""
        at = int(np.searchsorted(self.begins, address, "right")) - 1
        if address + 4 * words > self.ends[at]:
            raise faults.out_of_bounds("a scalar load from global memory", address, 4 * words)
        if address & 3:
            raise faults.misaligned("a scalar load from global memory", address, 4 * words)
        first = (address - self.base) >> 2
        return self.views[4][first:first + words].tolist()


class Local(Space):
    """A workgroup's LDS: addresses from 0."""

    def __init__(self, size):
        super().__init__("LDS", 0, np.full((size + 7) // 8 * 8, 0xa5, np.uint8))
        self.size = size

    def check(self, addresses, size, what, lanes):
        outside = (addresses + size > self.size) | (addresses < 0)
        if outside.any():
            at = int(np.flatnonzero(outside)[0])
            raise faults.Fault(faults.ILLEGAL_ADDRESS, f"{what} LDS of {size} bytes at {int(addresses[at]):#x}, past its {self.size}",
                               int(lanes[at]))


class Private(Space):
    """A wave's scratch: each lane has its own, from 0."""

    def __init__(self, size, lanes):
        self.size = (size + 15) // 16 * 16
        super().__init__("scratch", 0, np.full(self.size * lanes, 0xa5, np.uint8))

    def of_lane(self, addresses, size, lanes):
        outside = (addresses + size > self.size) | (addresses < 0)
        if outside.any():
            at = int(np.flatnonzero(outside)[0])
            raise faults.Fault(faults.ILLEGAL_ADDRESS,
                               f"an access of {size} bytes at {int(addresses[at]):#x} of scratch, past its {self.size}", int(lanes[at]))
        return addresses + lanes * self.size

    def check(self, addresses, size, what, lanes):
        pass

    def load(self, addresses, size, lanes):
        return super().load(self.of_lane(addresses, size, lanes), size, lanes)

    def store(self, addresses, size, words, lanes):
        super().store(self.of_lane(addresses, size, lanes), size, words, lanes)
