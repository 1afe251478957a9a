"""For MPI: ranks that compile each kernel once in all, and give it to each other in messages.

>>> import kiln.mpi
>>> f = kiln.vectorize("float64 f(float64 a) = a / 3")
>>> # report = kiln.mpi.warm(MPI.COMM_WORLD, [f]), with mpi4py
"""
import json
import os
import time

import numpy as np

from . import _kiln
from ._partial import accumulate_part, partial
from .errors import Error, RankError, ShapeError

__all__ = ["accumulate", "allreduce", "reduce", "warm"]

_LARGEST = 1 << 30  # bytes of a message: MPI counts in ints
_BYTES, _TO_ROOT, _FROM_ROOT = 32765, 32766, 32767
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
    The results have the same bits for any number of ranks and any cuts. `comm` is as in `warm`. Accumulators travel in log2 n steps of n
    ranks; those of every rank go to every rank where `comm` has only `allgather`.

    Raises RankError on every rank if `part` raises on one, or if a rank's accumulators are of another function; ShapeError if parts overlap or are missing.
    """
    with _Parts(comm, part, "kiln.mpi.allreduce", timeout) as parts:
        return parts.whole()


def reduce(comm, part, *, root=0, timeout=600.0):
    """Combines the accumulators of all ranks, as `allreduce` does, on rank `root` alone: the others get None. Collective.

    `root` is the same on all ranks. What is missing at an end of the array is an error of `finish`, which the root alone calls.

    Raises what `allreduce` does, and ValueError if there is no rank `root`.
    """
    size = comm.Get_size()
    if not 0 <= root < size:
        raise ValueError(f"kiln.mpi.reduce: there is no rank {root}: the ranks are 0 to {size - 1}")
    with _Parts(comm, part, "kiln.mpi.reduce", timeout, f"kiln.mpi.reduce to rank {root}") as parts:
        return parts.whole_on(root)


def accumulate(comm, function, x, *, axis=0, global_offset=0, global_size=None, timeout=600.0, **options):
    """Returns the running results of this rank's part of an array, which go on from the elements of all ranks before it. Collective.

    The arguments are those of kiln.accumulate_part, without `before`. The results have the same bits for any number of ranks and any cuts. Raises what `allreduce` does.
    """
    options.update(axis=axis, global_offset=global_offset, global_size=global_size)
    with _Parts(comm, lambda: partial(function, x, **options), "kiln.mpi.accumulate", timeout) as parts:
        before = parts.before()
    return accumulate_part(function, x, before, **options)


class _Parts:
    """The accumulators of all ranks on their way into one: each step combines those of neighbours. kiln/communicator.hpp does the same in C++."""

    def __init__(self, comm, part, what, timeout, call=None):
        self.what, call = what, call or what
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.ranks = _Ranks(comm, time.monotonic() + timeout) if hasattr(comm, "Iallgatherv") else None
        self.allgather = self.ranks.allgather if self.ranks else comm.allgather
        self.own, self.failure = None, b""
        try:
            made = part()
            self.own = _kiln.partial_read(made.function, made.bytes(), False)  # bytes wait for queued work, which combine does not
            message = f"+{self.own.begin} {self.own.end} {call}\n".encode() + (b"" if self.ranks else self.own.bytes())
        except Exception as error:
            message = b"-" + str(error).encode()
        self.messages = self.allgather(message)
        for rank, each in enumerate(self.messages):
            if each[:1] != b"+":
                self.fail(rank, each[1:].decode(errors="replace"))
        heads = [each[1:].partition(b"\n")[0].decode().split(" ", 2) for each in self.messages]
        for rank, (_, _, theirs) in enumerate(heads):
            if theirs != heads[0][2]:
                self.fail(rank, f"calls do not match: it makes {theirs}, and rank 0 {heads[0][2]}")
        ranges = [(int(begin), int(end)) for begin, end, _ in heads]
        self.order = sorted(range(self.size), key=lambda rank: (ranges[rank], rank))
        self.place = self.order.index(self.rank)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.ranks:
            self.ranks.free()

    def whole(self):
        if self.ranks is None:
            total = self.sum_of_messages(self.order)
            self.check(self.failure)
            return total
        result = self.ranks.broadcast(self.packed(self.sum_of_neighbours()), self.order[0])
        self.check(result)
        return _kiln.partial_read(self.own.function, result[1:], False)

    def whole_on(self, root):
        """Those of all ranks on rank `root`; None on others."""
        total = None
        if self.ranks is None:
            if self.rank == root:
                total = self.sum_of_messages(self.order)
        else:
            total, first = self.sum_of_neighbours(), self.order[0]
            if first != root and self.rank == first:
                self.ranks.send_to(self.packed(total), root)
            elif first != root and self.rank == root:
                total = self.read(first, self.ranks.receive_from(first))
        self.agree()
        return total if self.rank == root else None

    def before(self):
        """Those of the ranks before this one; None for the first."""
        if self.ranks is None:
            total = self.sum_of_messages(self.order[:self.place])
        else:
            total, everything, step = None, self.own, 1  # `everything` is with this rank, and `total` without it
            while step < self.size:
                if self.place + step < self.size:
                    self.ranks.send_to(self.packed(everything), self.order[self.place + step])
                if self.place >= step:
                    other = self.order[self.place - step]
                    theirs = self.read(other, self.ranks.receive_from(other))
                    total = self.combined(theirs, total) if total is not None else theirs
                    everything = self.combined(total, self.own)
                step *= 2
        self.agree()
        return total

    def sum_of_messages(self, ranks):
        """The sum of ranks that have sent theirs to all."""
        total = None
        for rank in ranks:
            total = self.combined(total, self.read(rank, b"+" + self.messages[rank].partition(b"\n")[2]))
        return total

    def sum_of_neighbours(self):
        """The sum of this rank and of those that send theirs to it: of all for the first in `order`."""
        total, step = self.own, 1
        while step < self.size:
            if self.place % (2 * step):
                self.ranks.send_to(self.packed(total), self.order[self.place - step])
                break
            if self.place + step < self.size:
                other = self.order[self.place + step]
                total = self.combined(total, self.read(other, self.ranks.receive_from(other)))
            step *= 2
        return total

    def agree(self):
        """Each tells the others whether it failed."""
        for failure in self.allgather(self.failure):
            self.check(failure)

    # A failure is text: "-" or "!", of a shape, the rank and the message.

    def combined(self, first, following):
        if self.failure or first is None or following is None:
            return first if following is None else following
        try:
            return first.combine(following)
        except ShapeError as error:
            self.failure = b"!%d " % self.rank + str(error).encode()
        except Error as error:
            self.failure = b"-%d " % self.rank + str(error).encode()
        return first

    def read(self, rank, message):
        if not self.failure and message[:1] != b"+":
            self.failure = message
        if self.failure:
            return None
        try:
            return _kiln.partial_read(self.own.function, message[1:], False)
        except Error as error:
            self.failure = b"-%d " % rank + str(error).encode()
        return None

    def packed(self, total):
        return self.failure or b"+" + total.bytes()

    def check(self, message):
        if message and message[:1] != b"+":
            rank, _, text = message[1:].decode(errors="replace").partition(" ")
            if message[:1] == b"!":
                raise ShapeError(text)
            self.fail(int(rank), text)

    def fail(self, rank, why):
        if self.ranks:
            self.ranks.free()
            self.ranks = None
        error = RankError(f"{self.what}: rank {rank} of {self.size}: {why}")
        error.rank = rank
        raise error


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

    def broadcast(self, message, root):
        self.meet(f"a broadcast from rank {root}")
        size = np.array([len(message)], np.int64)
        self.wait(self.comm.Ibcast(size, root), size)
        everything = np.empty(int(size[0]), np.uint8)
        if self.rank == root:
            everything[:] = np.frombuffer(message, np.uint8)
        for first in range(0, everything.size, _LARGEST):
            some = everything[first:first + _LARGEST]
            self.wait(self.comm.Ibcast([some, some.size, "B"], root), some)
        return everything.tobytes()

    def send_to(self, message, to):
        size = np.array([len(message)], np.int64)
        self.keep(self.comm.Isend(size, dest=to, tag=_BYTES), size)
        for first in range(0, len(message), _LARGEST):
            some = message[first:first + _LARGEST]
            self.keep(self.comm.Isend([some, len(some), "B"], dest=to, tag=_BYTES), some)

    def receive_from(self, sender):
        def receive(buffer):
            if not self.poll(self.deadline, lambda: self.comm.Iprobe(source=sender, tag=_BYTES)):
                error = RankError(f"kiln: rank {sender} of {self.size} did not come within the time limit")
                error.rank = sender
                raise error
            self.comm.Recv(buffer, source=sender, tag=_BYTES)

        size = np.zeros(1, np.int64)
        receive(size)
        everything = np.empty(int(size[0]), np.uint8)
        for first in range(0, everything.size, _LARGEST):
            some = everything[first:first + _LARGEST]
            receive([some, some.size, "B"])
        return everything.tobytes()

    def keep(self, request, buffer):
        self.sent = [each for each in self.sent if not each[0].Test()]
        self.sent.append((request, buffer))

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
        self.keep(self.signals().Isend([buffer, len(buffer), "B"], dest=to, tag=tag), buffer)

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
                        late.discard(sender)
                    elif word == "late":
                        # One of an earlier call that failed may still have been under way.
                        if number == here.get(sender, ("",))[0]:
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
