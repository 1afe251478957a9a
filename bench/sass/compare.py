#!/usr/bin/env python3
"""kiln's GPU kernels beside hand-written ones by their machine code: predicted shares of the device's limit. No GPU is needed, and nothing runs.

Compiles the kernels of kernels.py with kiln, and those of expert*.cu with nvcc where that is installed, reads their SASS, and prints a table.
README.md says what the columns mean and what was left out.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import kernels
import listing
import model

HERE = pathlib.Path(__file__).resolve().parent
NEAR = 95  # percent of the expert's


def tool(name, required=True):
    found = os.environ.get(name.upper()) or shutil.which(name)
    if not found and required:
        sys.exit(f"compare.py: {name} is not in PATH; ${name.upper()} may name it (README.md says where it comes from)")
    return found


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"compare.py: {' '.join(map(str, words))} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


class Code:
    """A compiled kernel, and what one of its elements takes."""

    def __init__(self, kernel, registers, threads, shared, stack):
        self.kernel, self.registers, self.threads, self.shared, self.stack = kernel, registers, threads, shared, stack

    def work(self, row, rule, arch):
        found = self.in_phases(rule) if rule.phases else self.along_the_hottest(row)
        instructions, flight, special = found
        resident = model.occupancy(self.registers, rule.threads or self.threads, rule.shared or self.shared, arch)
        return model.Work(row.read, row.write, rule.extra, instructions + rule.more, flight, resident, special, rule.cache)

    def along_the_hottest(self, row):
        kernel, loop = self.kernel, self.kernel.hot()
        path = loop.path if loop else kernel.straight()
        counts = kernel.counts(path)
        elements = (counts.get("store", 0) / row.write if row.write else counts.get("load", 0) / row.read) or 1
        before, behind = kernel.around(loop) if loop else (0, 0)
        return (before + len(path) + behind) / elements, kernel.flight(path, loop is not None), counts.get("MUFU", 0) / elements

    def in_phases(self, rule):
        kernel = self.kernel
        loops = [phase.find(kernel) for phase in rule.phases]
        instructions = special = loaded = waited = 0
        for phase, loop in zip(rule.phases, loops):
            elements = phase.elements(loop)
            instructions += len(loop.path) / elements
            special += loop.counts.get("MUFU", 0) / elements
            if loop.counts.get("load") and not phase.cached:
                amount = loop.counts["load"] / elements
                loaded, waited = loaded + amount, waited + amount / kernel.flight(loop.path)
        flight = loaded / waited if waited else kernel.flight(kernel.straight(), False)
        return instructions + self.once(loops) / rule.elements, flight, special

    def once(self, loops):
        """Instructions of a thread's way outside of the loops over elements."""
        outer = max((one for one in self.kernel.loops if loops[0].members <= one.members), key=lambda one: len(one.members))
        inside = set().union(*(one.members for one in self.kernel.loops if one.inner), *(one.members for one in loops))
        return sum(self.kernel.around(outer)) + sum(i not in inside for i in outer.path)


def of_kiln(kiln, arch, out):
    """row's name -> Code."""
    environment = {**os.environ, "KILN_CACHE_DIR": str(out / "cache"), "PATH": f"{pathlib.Path(tool('nvdisasm')).parent}:{os.environ['PATH']}"}
    manifest = out / "kernels.json"
    manifest.write_text(json.dumps({"kiln_manifest": 2, "kernels": [row.kernel for row in kernels.ROWS]}, indent=1))
    run(kiln, "compile", manifest, "--target", arch, "--quiet", env=environment)
    planned = json.loads(run(kiln, "inspect", manifest, "--target", arch, "--json", env=environment))["kernels"]
    others = json.loads(run(kiln, "cache", "list", "--target", arch, "--json", env=environment))["entries"]
    found = {}
    for row in kernels.ROWS:
        ids = {entry["id"] for entry in (others if row.variant else planned) if entry["kernel"] == row.name and row.variant in entry["variant"]}
        if len(ids) != 1:
            sys.exit(f"compare.py: {len(ids)} kernels are {row.name} with \"{row.variant}\" in their variant")
        entry = ids.pop()
        has = json.loads(run(kiln, "inspect", entry, "--json", env=environment))["kernels"][0]["resources"]
        text = json.loads(run(kiln, "inspect", entry, "--as", "sass", "--json", env=environment))["kernels"][0]["text"]
        found[row.name] = Code(listing.functions(text)["kiln_kernel"], has["registers"], has.get("max_threads", 256), has["shared_bytes"], has["local_bytes"])
    return found


def of_expert(arch, out):
    """expert's name -> Code; nothing without nvcc."""
    nvcc, found = tool("nvcc", False), {}
    for source in sorted(HERE.glob("expert_*.cu")) if nvcc else ():
        cubin = out / f"{source.stem}_{arch}.cubin"
        run(nvcc, "-std=c++17", "-O3", f"-arch={arch}", "-cubin", "-o", cubin, source)
        has = listing.resources(cubin.read_bytes())
        for name, kernel in listing.functions(run(tool("nvdisasm"), "-c", cubin)).items():
            shared = max(0, has[name]["shared"] - (1024 if int(arch[3:]) >= 90 else 0))  # less the system's own
            found[name] = Code(kernel, has[name]["registers"], has[name]["threads"], shared, has[name]["stack"])
    return found


def shares(row, code, rule, arch, devices):
    work = code.work(row, rule, arch)
    return work, [model.share(work, device) for device in devices.values()]


def rows(kiln, arch, out):
    """row's name -> its part of the table."""
    devices = {name: device for name, device in model.DEVICES.items() if device.arch == arch}
    own, expert, lines = of_kiln(kiln, arch, out), of_expert(arch, out), {}
    for row in kernels.ROWS:
        code = own[row.name]
        work, found = shares(row, code, row.rule, arch, devices)
        lines[row.name] = {"registers": code.registers, "stack": code.stack, "instructions": work.instructions, "in_flight": work.flight * work.resident / 1024,
                           "kiln": {name: each[0] for name, each in zip(devices, found)}, "limit": {name: each[1] for name, each in zip(devices, found)}, "expert": {}, "why": row.why}
        other = row.expert or row.name
        if other in expert:
            beside = next((each for each in kernels.ROWS if each.name == other), row)
            _, found = shares(beside, expert[other], kernels.EXPERTS.get(other, kernels.Rule()), arch, devices)
            lines[row.name]["expert"] = {name: each[0] for name, each in zip(devices, found)}
    return lines


def joined(parts):
    """Lines of several architectures as one: shares side by side, all else of the first."""
    first = parts[0]
    for part in parts[1:]:
        for name, line in part.items():
            for key in ("kiln", "limit", "expert"):
                first[name][key].update(line[key])
    return first


def below(line):
    """device -> percent of the expert's, where one is less than it should be."""
    found = {name: 100 * line["kiln"][name] / share for name, share in line["expert"].items()}
    return found if any(percent < NEAR for percent in found.values()) else {}


def table(lines):
    devices = list(next(iter(lines.values()))["kiln"])
    text = ["| kernel | registers | stack | instructions | in flight, KiB | " + " | ".join(f"{name} %" for name in devices) + " | limit | expert's % |",
            "| --- |" + " ---: |" * (4 + len(devices)) + " --- | --- |"]
    for name, line in lines.items():
        cells = [name, line["registers"], line["stack"], f"{line['instructions']:.1f}", f"{line['in_flight']:.0f}", *(f"{line['kiln'][device]:.0f}" for device in devices),
                 line["limit"][devices[-1]], ", ".join(f"{share:.0f}" for share in line["expert"].values()) or "–"]
        text.append("| " + " | ".join(map(str, cells)) + " |")
    text += ["", f"Below {NEAR} % of the expert's on {', '.join(devices)}:", ""]
    for name, line in lines.items():
        if found := below(line):
            text.append(f"- {name}, {', '.join(f'{percent:.0f}' for percent in found.values())} %: {line['why'] or 'instructions of each element'}.")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kiln", required=True, help="the program, PREFIX/bin/kiln")
    parser.add_argument("--arch", nargs="+", default=["sm_90", "sm_100"], choices=sorted({device.arch for device in model.DEVICES.values()}))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "kiln-sass", help="where compiled kernels are kept")
    parser.add_argument("--json", type=pathlib.Path, help="write the values to a file, too")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines = joined([rows(options.kiln, arch, options.out) for arch in options.arch])
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")
    print(table(lines))


if __name__ == "__main__":
    main()
