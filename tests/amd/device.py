"""A device: memory, the modules that are loaded into it, and launches."""
import struct

import numpy as np

import code_object
import faults
import machine
import memory

ARGUMENTS = 1 << 16  # bytes for a launch's arguments and packet, at the beginning of memory
SECONDS = 120.0      # of processor time that a launch may take
IMAGES = 256 << 20   # up to here are the modules' constants; the caller's allocations come behind


class Module:
    def __init__(self, data, device):
        self.object = code_object.CodeObject(data)
        self.programs = {}
        self.image = self.object.image()
        self.base = device.place(len(self.image))
        at = self.base - device.base
        device.bytes[at:at + len(self.image)] = np.frombuffer(self.image, np.uint8)

    def program(self, name, architecture):
        if name not in self.programs:
            kernel = self.object.kernels[name]
            self.programs[name] = machine.Program(self.object.text(), kernel.entry, architecture, kernel.lanes, self.base)
        return self.programs[name]


class Device:
    """`bytes_` is memory, which begins at the address `base`."""

    def __init__(self, architecture, base, bytes_):
        self.architecture = machine.Architecture(architecture)
        self.base, self.bytes = base, bytes_
        self.memory = memory.Allocations(base, bytes_)
        self.modules = {}
        self.count = 0

    def place(self, size):
        """Where an image of that size fits beside those of the other modules."""
        at = self.base + ARGUMENTS
        for begin, end in sorted((m.base, m.base + len(m.image)) for m in self.modules.values()):
            if at + size <= begin:
                break
            at = max(at, (end + 255) // 256 * 256)
        if at + size > self.base + IMAGES:
            raise faults.Fault(faults.INVALID_IMAGE, "no room for a module's constants")
        return at

    def load(self, data):
        module = Module(data, self)
        self.count += 1
        self.modules[self.count] = module
        return self.count

    def unload(self, number):
        del self.modules[number]

    def launch(self, number, name, grid, block, shared, arguments, buffers, seed=1):
        """arguments: the explicit ones, laid out. buffers: (address, bytes) of what the kernel may touch."""
        module = self.modules[number]
        kernel = module.object.kernels[name]
        laid_out = self.lay_out(kernel, grid, block, shared, arguments)
        dispatch = self.base + ARGUMENTS - 64
        packet = struct.pack("<HHHHHHIIIIIQQQQ", 0, 3, *block, 0, *(g * b for g, b in zip(grid, block)), kernel.private, kernel.lds + shared,
                             0, self.base, 0, 0)
        self.bytes[:len(laid_out)] = np.frombuffer(laid_out, np.uint8)
        self.bytes[ARGUMENTS - 64:ARGUMENTS - 64 + len(packet)] = np.frombuffer(packet, np.uint8)
        self.memory.set([*buffers, (self.base, len(laid_out)), (dispatch, 64), (module.base, len(module.image))])
        machine.Launch(kernel, module.program(name, self.architecture), self.memory, grid, block, shared, self.base, dispatch, seed,
                       SECONDS).run()

    def lay_out(self, kernel, grid, block, shared, explicit):
        """With the arguments that compilers add: LLVM's "User Guide for AMDGPU Backend", hidden arguments."""
        bytes_ = bytearray(max(kernel.argument_bytes, len(explicit)))
        bytes_[:len(explicit)] = explicit
        hidden = {"hidden_grid_dims": max(i + 1 for i in range(3) if i == 0 or grid[i] * block[i] > 1), "hidden_dynamic_lds_size": shared,
                  "hidden_private_base": 0x20000, "hidden_shared_base": 0x10000}
        for axis, letter in enumerate("xyz"):
            hidden[f"hidden_block_count_{letter}"] = grid[axis]
            hidden[f"hidden_group_size_{letter}"] = block[axis]
        for argument in kernel.arguments:
            if argument[".value_kind"].startswith("hidden_"):
                value = hidden.get(argument[".value_kind"], 0)
                size = argument[".size"]
                bytes_[argument[".offset"]:argument[".offset"] + size] = value.to_bytes(size, "little")
        return bytes(bytes_)
