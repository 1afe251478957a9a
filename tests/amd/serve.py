"""A device for libamdhip.so: requests on standard input, answers on standard output, memory in a file that both map.

KILN_AMD_SEED is the seed of the order of workgroups and waves (1; 0: in order).
"""
import json
import mmap
import os
import struct
import sys
import traceback

import numpy as np

import device
import faults
import run


def read(count):
    data = b""
    while len(data) < count:
        part = os.read(0, count - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def sized():
    return read(struct.unpack("<Q", read(8))[0])


def answer(request, data, state):
    operation = request["op"]
    if operation == "memory":
        mapped = mmap.mmap(int(sys.argv[1]), request["bytes"])
        state["device"] = device.Device(request["arch"], request["base"], np.frombuffer(mapped, np.uint8))
        return {}
    here = state["device"]
    if operation == "load":
        number = here.load(data)
        module = here.modules[number]
        return {"module": number, "kernels": {
            name: {"bytes": max((at + size for at, size in kernel.explicit()), default=0), "arguments": kernel.explicit()}
            for name, kernel in module.object.kernels.items()},
            "variables": {name: (module.base + at, size) for name, (at, size) in module.object.variables.items()}}
    if operation == "unload":
        here.unload(request["module"])
        return {}
    folder = os.environ.get("KILN_AMD_DUMP")
    path = folder and f"{folder}/{os.getpid()}-{state['launches']}.npz"
    state["launches"] += 1
    if path:
        run.save(path, here, request["module"], request, data)
    here.launch(request["module"], request["kernel"], request["grid"], request["block"], request["shared"], data, request["buffers"],
                int(os.environ.get("KILN_AMD_SEED", "1")))
    if path and not os.environ.get("KILN_AMD_DUMP_ALL"):
        os.remove(path)
    return {}


def main():
    state = {"launches": 0}
    while True:
        request, data = json.loads(sized()), sized()
        try:
            reply = {"status": 0, **answer(request, data, state)}
        except faults.Fault as fault:
            print(f"kiln's AMD executor: {fault.text}", file=sys.stderr, flush=True)
            reply = {"status": fault.status}
        except Exception:  # noqa: BLE001
            print("kiln's AMD executor failed:", file=sys.stderr)
            traceback.print_exc()
            reply = {"status": 999}
        text = json.dumps(reply).encode()
        os.write(1, struct.pack("<Q", len(text)) + text)


if __name__ == "__main__":
    main()
