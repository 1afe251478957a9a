"""SASS as nvdisasm prints it: instructions, loops, and the paths through them. Nothing is run.

A path never takes a back edge. Among all paths from a loop's head to its end it is the one that moves the most bytes of global memory, and of those the
shortest: slow paths of divisions and the like are not on it.
"""
import re
import struct

LINE = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;")
LABEL = re.compile(r"^(\.L_\S+|[\w$.]+):\s*$")
REGISTER = re.compile(r"\bR(\d+)(\.64)?")
WIDTHS = {"128": 16, "256": 32, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}
LOADS, STORES, ATOMICS = ("LDG", "LD"), ("STG", "ST"), ("RED", "ATOMG", "ATOM", "ATOMS")
COUNTED = ("LDS", "STS", "SHFL", "BAR", "LDL", "STL", "CALL", "ATOMS", "MUFU")


class Instruction:
    def __init__(self, text):
        match = re.match(r"(@!?U?P\w+)\s+(.*)", text)
        self.guard, rest = match.groups() if match else ("", text)
        self.op, _, self.operands = rest.partition(" ")
        self.base = self.op.split(".")[0]
        target = re.search(r"`\((\S+?)\)", self.operands)
        self.target = target.group(1) if target else None

    def width(self):
        return next((WIDTHS[word] for word in reversed(self.op.split(".")[1:]) if word in WIDTHS), 4)

    def moved(self):
        """Bytes of global memory for a thread."""
        return self.width() if self.base in (*LOADS, *STORES, "RED", "ATOMG", "ATOM", "LDGSTS") else 0

    @staticmethod
    def registers(text, count=1):
        return {int(n) + k for n, pair in REGISTER.findall(text) for k in range(2 if pair else count)}

    def written(self):
        if self.base in (*STORES, "STS", "STL", "RED", "ATOMS"):
            return set()
        wide = self.width() // 4 if self.base in (*LOADS, "LDS", "LDL", "LDC") else 2 if "WIDE" in self.op or self.base.startswith("D") else 1
        return self.registers(self.operands.split(",")[0], max(wide, 1))

    def read(self):
        if self.base in (*STORES, *ATOMICS, "STS", "STL"):
            address, _, value = self.operands.rpartition(",")
            return self.registers(address) | self.registers(value, max(1, self.width() // 4))
        doubles = self.base in ("DADD", "DMUL", "DFMA", "DSETP") or "F64" in self.op
        return self.registers(self.operands.partition(",")[2], 2 if doubles else 1)


class Loop:
    """A natural loop: `path` once through it, which goes once through each loop inside."""

    def __init__(self, kernel, head, tails, members):
        self.head, self.tails, self.members = head, tails, members
        self.kernel, self.path, self.inner = kernel, [], False

    def find_path(self, others):
        deeper = set().union(*(one.members for one in others if one.members < self.members))
        self.inner = not deeper
        self.path = self.kernel.way(self.head, self.members, lambda i: i in self.tails, True, deeper) or []
        self.counts = self.kernel.counts(self.path)


class Kernel:
    def __init__(self, code, labels):
        while code and (code[-1].base == "NOP" or code[-1].base == "BRA" and labels.get(code[-1].target) == len(code) - 1):
            code.pop()
        self.code, self.labels = code, labels
        self.next = [self.successors(i) for i in range(len(code))]
        self.back = set()
        self.loops = self.find_loops()
        self.back = {(tail, one.head) for one in self.loops for tail in one.tails}
        for one in self.loops:
            one.find_path(self.loops)

    def successors(self, i):
        x, after = self.code[i], [i + 1] if i + 1 < len(self.code) else []
        if x.base in ("EXIT", "RET", "TRAP") and not x.guard:
            return []
        if x.base in ("BRA", "JMP") and x.target in self.labels:
            to = [self.labels[x.target]] if self.labels[x.target] < len(self.code) else []
            conditional = x.guard or "," in x.operands or ".DIV" in x.op
            return [*after, *to] if conditional else to
        return after

    def postorder(self, start, follows):
        """What is reachable, each behind all that it leads to."""
        order, seen, stack = [], {start}, [(start, iter(self.next[start]))]
        while stack:
            at, nexts = stack[-1]
            for s in nexts:
                if s not in seen and follows(at, s):
                    seen.add(s)
                    stack.append((s, iter(self.next[s])))
                    break
            else:
                order.append(at)
                stack.pop()
        return order

    def find_loops(self):
        order = self.postorder(0, lambda a, b: True)[::-1]
        number = {n: k for k, n in enumerate(order)}
        before = {n: [] for n in order}
        for i in order:
            for s in self.next[i]:
                before[s].append(i)
        above = {0: 0}

        def common(a, b):
            while a != b:
                a, b = (above[a], b) if number[a] > number[b] else (a, above[b])
            return a

        changed = True
        while changed:  # Cooper, Harvey and Kennedy's dominators
            changed = False
            for i in order[1:]:
                known = [q for q in before[i] if q in above]
                new = known[0]
                for q in known[1:]:
                    new = common(new, q)
                changed = changed or above.get(i) != new
                above[i] = new

        tails = {}
        for i in order:
            for s in self.next[i]:
                if number[s] <= number[i] and common(s, i) == s:
                    tails.setdefault(s, []).append(i)
        loops = []
        for head, ends in tails.items():
            members, todo = {head}, list(ends)
            while todo:
                i = todo.pop()
                if i not in members:
                    members.add(i)
                    todo += before[i]
            loops.append(Loop(self, head, ends, members))
        return loops

    def way(self, start, inside, is_end, most_bytes, free=frozenset()):
        """The path from `start` to an end: with the most bytes, then the fewest instructions; or the fewest alone. Accesses in `free` do not count."""
        best = {}
        for i in self.postorder(start, lambda a, b: b in inside and (a, b) not in self.back):
            choice = (0, 0, None) if is_end(i) else None
            for s in self.next[i]:
                if s in best and (i, s) not in self.back and (choice is None or best[s][:2] > choice[:2]):
                    choice = (*best[s][:2], s)
            if choice is not None:
                best[i] = (choice[0] + (self.code[i].moved() if most_bytes and i not in free else 0), choice[1] - 1, choice[2])
        if start not in best:
            return None
        path, at = [], start
        while at is not None:
            path.append(at)
            at = best[at][2]
        return path

    def around(self, loop):
        """Instructions on the shortest way to a loop, and from it to the kernel's end."""
        outside = set(range(len(self.code))) - loop.members
        before = self.way(0, outside | {loop.head}, lambda i: i == loop.head, False) or [0]
        outs = [s for i in loop.members for s in self.next[i] if s not in loop.members]
        behind = [w for w in (self.way(s, outside, lambda i: self.code[i].base == "EXIT", False) for s in outs) if w]
        return len(before) - 1, min(map(len, behind), default=0)

    def straight(self):
        """The whole way through the kernel."""
        inside = set().union(*(one.members for one in self.loops))
        return self.way(0, set(range(len(self.code))), lambda i: self.code[i].base == "EXIT", True, inside) or []

    def hot(self):
        """The loop that moves the most bytes a trip; None where the way through the kernel moves more. Narrow accesses are those of a tail."""
        widest = max((x.moved() for x in self.code), default=0)

        def moved(path, free=frozenset()):
            return sum(x.moved() if x.moved() == widest else x.moved() / 64 for x in (self.code[i] for i in path if i not in free))

        inside = set().union(*(one.members for one in self.loops))
        found, most = None, moved(self.straight(), inside)
        for one in self.loops:
            deeper = set().union(*(other.members for other in self.loops if other.members < one.members))
            if moved(one.path, deeper) > most:
                found, most = one, moved(one.path, deeper)
        return found

    def flight(self, path, again=True):
        """The most bytes that a thread has asked for and not yet used, along a path; taken twice, for loads of the next trip."""
        pending, most = [], 0
        for i in path + (path if again else []):
            x = self.code[i]
            used = x.read() | x.written()
            pending = [p for p in pending if not p[0] & used]
            if x.base in LOADS:
                pending.append((x.written(), x.width()))
            most = max(most, sum(size for _, size in pending))
        return most

    def counts(self, path):
        """Accesses by width ("L128c": 16 bytes that nobody writes), bytes loaded and stored, and what else is worth knowing."""
        found = {}

        def add(key, amount=1):
            found[key] = found.get(key, 0) + amount

        for x in (self.code[i] for i in path):
            if x.base in LOADS:
                add(f"L{x.width() * 8}{'c' if '.CONSTANT' in x.op else ''}")
                add("load", x.width())
            elif x.base in STORES or x.base in ("RED", "ATOMG", "ATOM"):
                add(f"S{x.width() * 8}" if x.base in STORES else x.base)
                add("store", x.width())
            elif x.base in COUNTED:
                add(x.base)
        return found


def functions(text):
    """name -> Kernel, of what `nvdisasm -c` printed."""
    found, code, labels = {}, None, None
    for line in text.splitlines():
        section = re.match(r"//-+ \.text\.(\S+)\s", line)
        if section:
            code, labels = found.setdefault(section.group(1), ([], {}))
        elif code is not None and LABEL.match(line.strip()):
            labels[LABEL.match(line.strip()).group(1)] = len(code)
        elif code is not None and LINE.search(line):
            code.append(Instruction(LINE.search(line).group(2)))
    return {name: Kernel(*body) for name, body in found.items() if body[0]}


def resources(cubin):
    """name -> {registers, threads, shared, stack} of a cubin's bytes."""
    at, = struct.unpack_from("<Q", cubin, 40)
    size, count, names_at = struct.unpack_from("<HHH", cubin, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", cubin, at + k * size) for k in range(count)]

    def text(table, n):
        return cubin[table[4] + n:cubin.index(b"\0", table[4] + n)].decode()

    found, symbols = {}, []
    for s in sections:
        name = text(sections[names_at], s[0])
        if name.startswith(".text."):
            found.setdefault(name[6:], {"threads": 256, "shared": 0, "stack": 0})["registers"] = s[7] >> 24
        if s[1] == 2:
            symbols = [text(sections[s[6]], struct.unpack_from("<I", cubin, s[4] + k * 24)[0]) for k in range(s[5] // 24)]
    for s in sections:
        name = text(sections[names_at], s[0])
        if name.startswith(".nv.shared.") and name[11:] in found:
            found[name[11:]]["shared"] = s[5]
        at, end = (s[4], s[4] + s[5]) if name.startswith(".nv.info") else (0, 0)
        while at + 4 <= end:
            form, what, value = struct.unpack_from("<BBH", cubin, at)
            at += 4
            if form != 4:
                continue
            if what in (0x2F, 0x11):  # registers, and the least stack, of a symbol
                symbol, amount = struct.unpack_from("<II", cubin, at)
                found.get(symbols[symbol], {})["registers" if what == 0x2F else "stack"] = amount
            elif what in (0x05, 0x10) and name[9:] in found:  # threads of a block
                x, y, z = struct.unpack_from("<III", cubin, at)
                found[name[9:]]["threads"] = x * y * z
            at += value
    return found
