"""What the machine code of a kernel lets expect of it: a share of the device's limit, which is its memory's speed. A prediction; nothing is measured.

Three limits, each for itself and then joined by a norm of p = 5: bytes of memory at 92 % of the datasheet's rate; loads in flight by Little's law, with the
latency that kernels of one load a thread showed on an H200; issue slots at 85 % of 4 a cycle. Special functions and the second cache are two more
where a kernel uses them much.
"""
from dataclasses import dataclass

RATE, ISSUE, NORM = 0.92, 0.85, 5


@dataclass(frozen=True)
class Device:
    arch: str
    multiprocessors: int
    ghz: float
    tb: float  # TB/s of memory
    latency: float  # us
    cache_tb: float  # TB/s of the second cache


DEVICES = {
    "A100": Device("sm_80", 108, 1.41, 2.04, 0.80, 4.0),
    "H100": Device("sm_90", 132, 1.755, 3.35, 0.92, 5.2),
    "H200": Device("sm_90", 132, 1.755, 4.8, 0.92, 5.2),
    "B200": Device("sm_100", 148, 1.85, 8.0, 1.0, 9.0),
}


@dataclass
class Work:
    """Of one element, but for the flight, which is bytes of a thread."""

    read: float
    write: float
    extra: float  # bytes of memory beside what has to be
    instructions: float
    flight: float
    resident: int  # threads on a multiprocessor
    special: float = 0
    cache: float = 0  # bytes of the second cache, where more than of memory


def share(work, device):
    """(percent of the limit, what holds the kernel up)."""
    of_all = device.multiprocessors * device.ghz
    bound = (work.read + work.write) / (RATE * device.tb)  # ps
    parts = {
        "memory": (work.read + work.write + work.extra) / (RATE * device.tb),
        "loads": work.read * device.latency * 1e6 / (work.flight * work.resident * device.multiprocessors) if work.flight else 0,
        "issue": work.instructions / 32 / (of_all * 4 * ISSUE) * 1e3,
        "special": work.special / (of_all * 16) * 1e3,
        "cache": work.cache / device.cache_tb,
    }
    total = sum(part ** NORM for part in parts.values()) ** (1 / NORM)
    return 100 * bound / total, max(parts, key=parts.get)


def occupancy(registers, threads, shared, arch):
    """Threads that a multiprocessor holds at once."""
    most = 1536 if arch in ("sm_86", "sm_89", "sm_120") else 2048
    shared_all = {"sm_80": 164, "sm_86": 100, "sm_89": 100}.get(arch, 228) * 1024
    warps = -(-threads // 32)
    of_warp = -(-registers * 32 // 256)  # registers are given out by 256, and by the quarter of a multiprocessor
    by_registers = 16384 // 256 // of_warp * 4 // warps if registers else 32
    by_shared = shared_all // ((shared + 1024 + 127) // 128 * 128)
    return min(32, most // threads, by_registers, by_shared) * threads
