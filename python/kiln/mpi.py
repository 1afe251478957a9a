"""For MPI: ranks that compile each kernel once in all, and give it to each other in messages.

>>> import kiln.mpi
>>> f = kiln.vectorize("float64 f(float64 a) = a / 3")
>>> # report = kiln.mpi.warm(MPI.COMM_WORLD, [f]), with mpi4py
"""
import functools
import json
import os
import time

import numpy as np

from . import _kiln
from .errors import Error, RankError

__all__ = ["allreduce", "warm"]

_LARGEST = 1 << 30  # bytes of a message: MPI counts in ints
_TO_ROOT, _FROM_ROOT = 32766, 32767
_SIGNAL_BYTES = 256


def warm(comm, kernels, *, targets=None, timeout=600.0, jobs=None, other_sizes=True, cache=None):
    """Compiles kernels, each once among all ranks, and puts them into the cache of every rank. Collective.

    `comm` is a communicator of mpi4py, or an object with `Get_rank`, `Get_size` and `allgather`. An object that has not mpi4py's
    `Idup`, `Iallgather` and `Iallgatherv` waits without a time limit. `kernels` is a list of functions, or a manifest: a
    dictionary, its JSON, or the path of a file. The other arguments are those of `kiln::WarmOptions` in C++, and are the same on all ranks.

    Returns a dictionary: who compiled what. Raises RankError on every rank if one fails, is late, or called something else.
    """
    options = {"targets": targets, "timeout_ms": int(timeout * 1000), "jobs": jobs, "other_sizes": other_sizes}
    rank, size = comm.Get_rank(), comm.Get_size()
    work = _kiln.Warming(rank, size, _manifest(kernels), json.dumps({name: value for name, value in options.items() if value is not None}), cache)
    ranks = _Ranks(comm, time.monotonic() + timeout) if hasattr(comm, "Iallgatherv") else None
    while (message := work.message()) is not None:
        work.receive(ranks.allgather(message) if ranks else comm.allgather(message))
    if ranks:
        ranks.free()
    return json.loads(work.report())


def allreduce(comm, part, *, timeout=600.0):
    """Combines the accumulators of all ranks, and returns those of the whole array on each. Collective.

    `part` is called without arguments on every rank, and returns its kiln.Partial. Ranks may hold parts in any order, and empty ones.
    The results have the same bits for any number of ranks and any cuts. `comm` is as in `warm`.

    Raises RankError on every rank if `part` raises on one, or if a rank's accumulators are of another function; ShapeError if parts overlap or are missing.
    """
    own, message = None, b""
    try:
        own = part()
        message = b"+" + own.bytes()
    except Exception as error:
        message = b"-" + str(error).encode()
    if hasattr(comm, "Iallgatherv"):
        ranks = _Ranks(comm, time.monotonic() + timeout)
        messages = ranks.allgather(message)
        ranks.free()
    else:
        messages = comm.allgather(message)
    parts = []

    def fail(rank, why):
        error = RankError(f"kiln.mpi.allreduce: rank {rank} of {len(messages)}: {why}")
        error.rank = rank
        raise error

    for rank, each in enumerate(messages):
        if each[:1] != b"+":
            fail(rank, each[1:].decode(errors="replace"))
    for rank, each in enumerate(messages):
        try:
            parts.append(_kiln.partial_read(own.function, each[1:], False))
        except Error as error:
            fail(rank, error)
    parts.sort(key=lambda each: (each.begin, each.end))
    return functools.reduce(_kiln.Partial.combine, parts)


def _manifest(kernels):
    if isinstance(kernels, dict):
        return json.dumps(kernels)
    if isinstance(kernels, str) and kernels.lstrip().startswith("{"):
        return kernels
    if isinstance(kernels, (str, os.PathLike)):
        with open(kernels, encoding="utf-8") as file:
            return file.read()
    return json.dumps({"kiln_manifest": 2, "kernels": [json.loads(each.definition) for each in kernels]})


class _Ranks:
    """Gathers bytes through mpi4py, and waits no longer than a deadline. kiln/mpi.hpp does the same in C++."""

    def __init__(self, comm, deadline):
        self.users, self.deadline = comm, deadline
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.comm, self.sent = None, []
        self.meet("a first call")
        made, request = comm.Idup()
        self.wait(request, made)
        self.comm = made

    def allgather(self, message):
        self.meet("an allgather")
        own = np.frombuffer(message, np.uint8)
        sizes = np.zeros(self.size, np.int64)
        count = np.array([own.size], np.int64)
        self.wait(self.comm.Iallgather(count, sizes), sizes, count)
        ends = np.cumsum(sizes)
        begins = ends - sizes
        everything = np.empty(int(ends[-1]), np.uint8)
        for first in range(0, everything.size, _LARGEST):
            last = min(first + _LARGEST, everything.size)
            low, high = np.clip(begins, first, last), np.clip(ends, first, last)
            sent = own[int(low[self.rank] - begins[self.rank]):][:int(high[self.rank] - low[self.rank])]
            received = everything[first:last]
            counts, places = (high - low).tolist(), (low - first).tolist()
            self.wait(self.comm.Iallgatherv([sent, sent.size, "B"], [received, (counts, places), "B"]), sent, everything, counts, places)
        return [everything[begin:end].tobytes() for begin, end in zip(begins, ends)]

    def free(self):
        self.sent = [each for each in self.sent if not each[0].Test()]
        _kept.extend(self.sent)
        self.comm.Free()

    @staticmethod
    def poll(deadline, done):
        """Calls done() the more seldom the longer it takes: other ranks need the processor."""
        start = time.monotonic()
        while not done():
            now = time.monotonic()
            if now >= deadline:
                return False
            time.sleep(min(max((now - start) / 16, 2e-5), 0.05))
        return True

    def wait(self, request, *used):
        """Waits for a request, which uses these objects. All ranks are there: one that is not is dead."""
        if not self.poll(self.deadline + 3, request.Test):
            _kept.append((request, used))  # MPI may still write there
            raise RankError(f"kiln: a rank of {self.size} stopped in the middle of an exchange")

    # A collective call of MPI that not all ranks make can never be taken back. So rank 0 hears from all others before each.

    def signals(self):
        return self.users if self.comm is None else self.comm

    def send(self, to, tag, text):
        buffer = bytearray(text.encode()[:_SIGNAL_BYTES].ljust(_SIGNAL_BYTES))
        self.sent = [each for each in self.sent if not each[0].Test()]
        self.sent.append((self.signals().Isend([buffer, len(buffer), "B"], dest=to, tag=tag), buffer))

    def receive(self, sender, tag):
        if not self.signals().Iprobe(source=sender, tag=tag):
            return None
        buffer = bytearray(_SIGNAL_BYTES)
        self.signals().Recv([buffer, len(buffer), "B"], source=sender, tag=tag)
        return buffer.decode(errors="replace").strip()

    def meet(self, call):
        answer = self.meet_all(call) if self.rank == 0 else self.meet_root(call)
        if answer != "ok":
            _kept.extend(self.sent)
            rank, _, message = answer.partition(" ")
            error = RankError("kiln: " + message)
            error.rank = int(rank)
            raise error

    def meet_root(self, call):
        number, answer = str(time.monotonic_ns()), []

        def answered():
            while (text := self.receive(0, _FROM_ROOT)) is not None:
                if text.startswith(number + " "):
                    answer.append(text.partition(" ")[2])
                    return True
            return False

        self.send(0, _TO_ROOT, f"here {number} {call}")
        if not self.poll(self.deadline, answered):
            self.send(0, _TO_ROOT, f"late {number}")
            if not self.poll(time.monotonic() + 3, answered):
                self.send(0, _TO_ROOT, f"gone {number}")
                return f"0 rank 0 of {self.size} did not come within the time limit"
        return answer[0]

    def meet_all(self, call):
        here, late = {}, set()

        def all_here():
            for sender in range(1, self.size):
                while (text := self.receive(sender, _TO_ROOT)) is not None:
                    word, number, theirs = (text + "  ").split(" ", 2)
                    if word == "here":
                        here[sender] = number, theirs.strip()
                    elif word == "late":
                        late.add(sender)
                    else:
                        here.pop(sender, None)
                        late.discard(sender)
            return late or len(here) == self.size - 1

        self.poll(self.deadline, all_here)
        missing = [each for each in range(1, self.size) if each not in here]
        others = [each for each in sorted(here) if here[each][1] != call]
        answer = "ok"
        if missing:
            names = ", ".join(map(str, missing)) if len(missing) <= 10 else f"{missing[0]} and {len(missing) - 1} more"
            answer = f"{missing[0]} rank{'s' if len(missing) > 1 else ''} {names} of {self.size} did not come within the time limit"
        elif others:
            answer = f"{others[0]} calls do not match: rank {others[0]} makes {here[others[0]][1]}, and rank 0 {call}"
        for each, (number, _) in here.items():
            self.send(each, _FROM_ROOT, f"{number} {answer}")
        return answer


_kept = []  # what MPI may still read or write
