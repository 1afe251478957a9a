"""Runs a dumped launch again: run.py FILE [--seed N] [--trace]

KILN_AMD_DUMP=FOLDER keeps there the launches that fail, as they were before they began; KILN_AMD_DUMP_ALL=1 every launch.
"""
import argparse
import sys

import numpy as np

import device
import faults


def save(path, here, module, request, data):
    """What a launch reads: code, arguments, and the memory that it may touch."""
    buffers = [tuple(b) for b in request["buffers"]]
    np.savez_compressed(path, code=np.frombuffer(here.modules[module].object.data, np.uint8), kernel=request["kernel"],
                        architecture=here.architecture.name, grid=request["grid"], block=request["block"], shared=request["shared"],
                        arguments=np.frombuffer(data, np.uint8), base=here.base, buffers=np.array(buffers, np.int64).reshape(-1, 2),
                        **{f"buffer{i}": here.bytes[begin - here.base:begin - here.base + size] for i, (begin, size) in enumerate(buffers)})


def run(path, seed=1, trace=False):
    """The device after the launch, and the buffers' addresses and sizes. Raises faults.Fault."""
    saved = np.load(path)
    base, buffers = int(saved["base"]), [tuple(int(x) for x in b) for b in saved["buffers"]]
    end = max([begin + size for begin, size in buffers] + [base + device.IMAGES])
    here = device.Device(str(saved["architecture"]), base, np.zeros((end - base + 15) // 8 * 8, np.uint8))
    for i, (begin, size) in enumerate(buffers):
        here.bytes[begin - base:begin - base + size] = saved[f"buffer{i}"]
    number = here.load(saved["code"].tobytes())
    if trace:
        program = here.modules[number].program(str(saved["kernel"]), here.architecture)
        build = program.build

        def traced(at):
            function, following, inst = build(at)

            def run_traced(wave):
                print(f"{program.begin + 4 * at:#x} {inst}")
                return function(wave)
            return run_traced, following, inst
        program.build = traced
    here.launch(number, str(saved["kernel"]), saved["grid"].tolist(), saved["block"].tolist(), int(saved["shared"]),
                saved["arguments"].tobytes(), buffers, seed)
    return here, buffers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trace", action="store_true")
    chosen = parser.parse_args()
    try:
        run(chosen.file, chosen.seed, chosen.trace)
    except faults.Fault as fault:
        sys.exit(f"{fault.text} (status {fault.status})")


if __name__ == "__main__":
    main()
