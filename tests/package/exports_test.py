#!/usr/bin/env python3
"""Reads what kiln's libraries export and need: kiln's own names alone, no newer glibc than they say.

usage: exports_test.py ROOT LIBRARY…
"""
import pathlib
import re
import subprocess
import sys

import yaml

GLIBC, GLIBCXX = (2, 34), (3, 4, 30)
EXPORTS = {"libkiln.so": r"_Z(N|NK|NKR|NO|NR|TIN|TSN|TVN|TTN|TCN|GVN|Thn\d+_N|Tv0_n\d+_N)4kiln.*@@KILN_CXX_0|kiln_[a-z0-9_]+@@KILN_\d+|KILN_(CXX_)?\d+@@.*",
           "libkiln-emulator.so": r"cu[A-Z]\w*|kilnEmulator\w+", "libkiln-clang.so": "kiln_clang(_release)?"}


def dynamic(library, *options):
    out = subprocess.run(["nm", "-D", *options, library], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1] for line in out.splitlines()]


def version(text):
    return tuple(int(part) for part in text.split("."))


root, libraries = pathlib.Path(sys.argv[1]), [pathlib.Path(path) for path in sys.argv[2:]]
faults = []
for library in libraries:
    name = library.name.split(".so")[0] + ".so"
    exported = dynamic(library, "--defined-only")
    faults += [f"{name} exports {symbol}" for symbol in exported if not re.fullmatch(EXPORTS[name], symbol) and not symbol.startswith("KILN_")]
    for symbol in dynamic(library, "--undefined-only"):
        for what, most in (("GLIBC_", GLIBC), ("GLIBCXX_", GLIBCXX)):
            needed = re.search(rf"@{what}([0-9.]+)$", symbol)
            if needed and version(needed[1]) > most:
                faults.append(f"{name} needs {symbol}")
    if name == "libkiln.so":
        spec = yaml.safe_load((root / "include/kiln/c/kiln.yml").read_text())
        wanted = {f["name"] for group in spec["groups"] for f in group["functions"]}
        there = {symbol.split("@")[0] for symbol in exported if symbol.startswith("kiln_")}
        faults += [f"{name} does not export {symbol}" for symbol in wanted - there]
        faults += [f"{name} exports {symbol}, which kiln.yml does not have" for symbol in there - wanted]
for fault in faults:
    print(fault)
print(f"{len(libraries)} libraries, {len(faults)} faults")
sys.exit(1 if faults else 0)
