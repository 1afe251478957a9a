"""An AMD code object: its segments, and of each kernel the descriptor and the arguments. LLVM's "User Guide for AMDGPU Backend"."""
import struct

import faults


class Kernel:
    """What a launch needs to know."""

    def __init__(self, name, descriptor, entry, metadata):
        self.name, self.entry = name, entry
        (self.lds, self.private, self.argument_bytes) = struct.unpack_from("<III", descriptor, 0)
        self.rsrc3, self.rsrc1, self.rsrc2 = struct.unpack_from("<III", descriptor, 44)
        self.properties, self.preload = struct.unpack_from("<HH", descriptor, 56)
        self.argument_bytes = max(self.argument_bytes, metadata.get(".kernarg_segment_size", 0))
        self.arguments = [argument for argument in metadata.get(".args", [])]
        self.max_threads = metadata.get(".max_flat_workgroup_size", 1024)
        self.lanes = metadata.get(".wavefront_size", 64)

    def explicit(self):
        """(offset, bytes) of those that the caller gives, in order."""
        return [(a[".offset"], a[".size"]) for a in self.arguments if not a[".value_kind"].startswith("hidden_")]


class CodeObject:
    def __init__(self, data):
        if data[:4] != b"\x7fELF" or struct.unpack_from("<H", data, 18)[0] != 224:
            raise faults.Fault(faults.INVALID_IMAGE, "this is no AMD code object")
        self.data = data
        headers, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        fields = [struct.unpack_from("<IIQQQQIIQQ", data, headers + i * size) for i in range(count)]
        strings = fields[names][4]
        self.sections = {self.string(strings + f[0]): f for f in fields}
        self.target = ""
        self.kernels = {}
        metadata = self.metadata()
        symbols = self.symbols()
        self.variables = {name: (at, size) for name, (at, size, kind) in symbols.items() if kind == 1 and not name.endswith(".kd")}
        for kernel in metadata.get("amdhsa.kernels", []):
            if kernel[".symbol"] not in symbols:
                raise faults.Fault(faults.INVALID_IMAGE, f"no descriptor {kernel['.symbol']}")
            at = symbols[kernel[".symbol"]][0]
            descriptor = self.at(at, 64)
            entry = at + struct.unpack_from("<q", descriptor, 16)[0]
            self.kernels[kernel[".name"]] = Kernel(kernel[".name"], descriptor, entry, kernel)
        self.target = metadata.get("amdhsa.target", "")

    def string(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode()

    def at(self, address, size):
        """The file's bytes that are loaded there."""
        for name, section in self.sections.items():
            begin, offset, length = section[3], section[4], section[5]
            if section[1] != 8 and begin and begin <= address and address + size <= begin + length:
                return self.data[offset + address - begin:offset + address - begin + size]
        raise faults.Fault(faults.INVALID_IMAGE, f"nothing is loaded at {address:#x}")

    def text(self):
        """(address, bytes) of the instructions."""
        section = self.sections[".text"]
        return section[3], self.data[section[4]:section[4] + section[5]]

    def image(self):
        """What is in memory when it runs, from address 0: constants, and variables of the module."""
        kept = [s for s in self.sections.values() if s[2] & 2]
        end = max((s[3] + s[5] for s in kept), default=0)
        image = bytearray(end)
        for section in kept:
            if section[1] != 8:
                image[section[3]:section[3] + section[5]] = self.data[section[4]:section[4] + section[5]]
        return bytes(image)

    def symbols(self):
        """(address, bytes, ELF's type of symbol) by name."""
        table, strings = self.sections[".dynsym"], self.sections[".dynstr"]
        found = {}
        for at in range(table[4], table[4] + table[5], 24):
            name, kind, _, _, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
            found[self.string(strings[4] + name)] = (value, size, kind & 15)
        return found

    def metadata(self):
        section = self.sections[".note"]
        at, end = section[4], section[4] + section[5]
        while at < end:
            owner, size, kind = struct.unpack_from("<III", self.data, at)
            body = at + 12 + (owner + 3 & ~3)
            if self.data[at + 12:at + 18] == b"AMDGPU" and kind == 32:
                return unpacked(self.data[body:body + size])
            at = body + (size + 3 & ~3)
        raise faults.Fault(faults.INVALID_IMAGE, "no metadata")


def unpacked(data):
    """MessagePack, as far as LLVM writes it."""
    def value(at):
        tag = data[at]
        if tag < 0x80:
            return tag, at + 1
        if tag < 0x90:
            return mapping(at + 1, tag & 15)
        if tag < 0xa0:
            return sequence(at + 1, tag & 15)
        if tag < 0xc0:
            return data[at + 1:at + 1 + (tag & 31)].decode(), at + 1 + (tag & 31)
        if tag >= 0xe0:
            return tag - 256, at + 1
        if tag in (0xc0, 0xc2, 0xc3):
            return {0xc0: None, 0xc2: False, 0xc3: True}[tag], at + 1
        numbers = {0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: ">b", 0xd1: ">h", 0xd2: ">i", 0xd3: ">q", 0xca: ">f", 0xcb: ">d"}
        if tag in numbers:
            size = struct.calcsize(numbers[tag])
            return struct.unpack_from(numbers[tag], data, at + 1)[0], at + 1 + size
        sizes = {0xd9: ">B", 0xda: ">H", 0xdb: ">I", 0xdc: ">H", 0xdd: ">I", 0xde: ">H", 0xdf: ">I"}
        if tag not in sizes:
            raise faults.Fault(faults.INVALID_IMAGE, f"metadata with tag {tag:#x}")
        count = struct.unpack_from(sizes[tag], data, at + 1)[0]
        begin = at + 1 + struct.calcsize(sizes[tag])
        if tag <= 0xdb:
            return data[begin:begin + count].decode(), begin + count
        return (sequence if tag <= 0xdd else mapping)(begin, count)

    def sequence(at, count):
        items = []
        for _ in range(count):
            item, at = value(at)
            items.append(item)
        return items, at

    def mapping(at, count):
        items = {}
        for _ in range(count):
            key, at = value(at)
            items[key], at = value(at)
        return items, at

    return value(0)[0]
