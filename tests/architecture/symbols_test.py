#!/usr/bin/env python3
"""Reads the symbols of the layers' static libraries: no layer needs a symbol that only a layer above it, or beside it, defines.

usage: symbols_test.py ROOT FOLDER_OF_ARCHIVES [NM]
       symbols_test.py --self-test (plants symbols of two layers, and wants the upward one found)
"""
import collections
import pathlib
import subprocess
import sys
import tempfile

import layers as the_layers

def symbols(archive, nm):
    """What the archive's objects need, what they define, and what they define weakly, as templates and inline functions do."""
    needs, strong, weak = set(), set(), set()
    for line in subprocess.run([nm, "-P", archive], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) < 2 or len(words[1]) != 1:
            continue
        {"U": needs, "V": weak, "W": weak, "u": weak}.get(words[1], strong if words[1].isupper() else set()).add(words[0])
    return needs - strong - weak, strong, weak


def upward(layers, archives, nm="nm"):
    """{(who needs, who defines): names}"""
    needs, owner = {}, {}
    weak_of = collections.defaultdict(set)
    for layer, archive in archives.items():
        needs[layer], strong, weak = symbols(archive, nm)
        owner.update(dict.fromkeys(strong, layer))
        for name in weak:
            weak_of[name].add(layer)
    found = collections.defaultdict(set)
    for layer, names in needs.items():
        below = the_layers.reachable(layers, layer)
        for name in names:
            other = owner.get(name)
            if other is not None and other not in below and not weak_of[name] & below:
                found[layer, other].add(name)
    return found


PLANTED = {  # layer: what `nm -P` prints of it
    "base": "file T 0 8\nlate U\nshared W 0 8\n",
    "types": "dtype T 0 8\nfile U\nshared W 0 8\nmalloc U\n",
    "array": "late T 0 8\ndtype U\nfile U\nshared U\n",
    "cache": "entry D 0 8\nlate U\ndtype U\n",
}


def self_test():
    layers = {"base": [], "types": ["base"], "array": ["types"], "cache": ["types"]}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        nm = folder / "nm"
        nm.write_text("#!/bin/sh\ncat \"$2\"\n")
        nm.chmod(0o755)
        archives = {layer: folder / layer for layer in layers}
        for layer, text in PLANTED.items():
            archives[layer].write_text(text)
        found = upward(layers, archives, nm)
        # From below, and from beside.
        assert found == {("base", "array"): {"late"}, ("cache", "array"): {"late"}}, found
    print("2 planted pairs found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    layers = the_layers.read(sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    archives = {layer: folder / f"libkiln-{layer.replace('/', '-')}.a" for layer in layers}
    missing = [str(file) for file in archives.values() if not file.is_file()]
    if missing or not layers:
        print("not there: " + (", ".join(missing) or "any layer"))
        return 1
    found = upward(layers, archives, *sys.argv[3:])
    for (layer, other), names in sorted(found.items()):
        plain = subprocess.run(["c++filt"], input="\n".join(sorted(names)), capture_output=True, text=True, check=True).stdout.splitlines()
        print(f"lib/kiln/{layer} needs what lib/kiln/{other} defines, which it may not use: " + "; ".join(plain))
    print(f"{len(layers)} layers, {len(found)} upward pairs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
