#!/usr/bin/env python3
"""Holds the packages to the tree: the functions of debian/libkiln0.symbols, dependencies of the build, debian/tests, and the notices of what is inside.

usage: packages_test.py [ROOT]
       packages_test.py --self-test      (plants a fault of each kind in a copy, and wants it found)
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def faults(root):
    def read(name):
        return (root / name).read_text(encoding="utf-8")

    found = []
    exported = set(re.findall(r"\b(kiln_\w+);", read("lib/kiln/kiln.map")))
    listed = set(re.findall(r"(?m)^ (kiln_\w+)@", read("debian/libkiln0.symbols")))
    found += [f"debian/libkiln0.symbols lacks {name}: add ' {name}@KILN_0 ' and the version" for name in sorted(exported - listed)]
    found += [f"debian/libkiln0.symbols has {name}, which libkiln.so has not" for name in sorted(listed - exported)]

    control = read("debian/control")
    needed = control.partition("Build-Depends:")[2].partition("Standards-Version:")[0]
    builds = re.search(r"(?s)\nbuild=\((.*?)\)", read("scripts/install-deps.sh"))[1].split()
    found += [f"debian/control does not build with {name}" for name in builds if name.endswith("-dev") and name != "libpng-dev" and name not in needed]

    tests = set(re.findall(r"(?m)^Tests: (\S+)", read("debian/tests/control")))
    scripts = {path.name for path in (root / "debian/tests").iterdir() if path.is_file() and os.access(path, os.X_OK)}
    found += [f"debian/tests/{name} is in one of control and the folder only, or cannot be run" for name in sorted(tests ^ scripts)]

    notices = read("THIRD-PARTY-NOTICES.txt")
    for component in tomllib.loads(read("packaging/components.toml"))["component"]:
        entry = (f"\n{component['name']}\n  Copyright: {component['copyright']}\n  License: {component['license']}\n"
                 f"  In: {', '.join(component['in'])} ({component['how']})\n")
        if entry not in notices:
            found.append(f"THIRD-PARTY-NOTICES.txt has not: {entry.strip()}")
        # Of a choice the first is taken.
        for license in re.split(r" (?:WITH|AND) ", component["license"].split(" OR ")[0]):
            if f"\n{license}\n{'-' * 78}\n" not in notices and not license.startswith("GPL-3.0"):
                found.append(f"THIRD-PARTY-NOTICES.txt has no text of {license}")
    return found


def self_test():
    plants = [("debian/libkiln0.symbols", " kiln_version@", " kiln_verzion@", 2), ("debian/control", "libxxhash-dev", "libother-dev", 1), ("debian/tests/control", "Tests: tool", "Tests: tools", 2),
              ("THIRD-PARTY-NOTICES.txt", "\nxxHash\n", "\nxxHush\n", 1), ("THIRD-PARTY-NOTICES.txt", "\nLLVM-exception\n", "\nLLVM\n", 1)]
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch) / "tree"
        root.mkdir()
        for name in ["THIRD-PARTY-NOTICES.txt", "lib/kiln/kiln.map", "scripts/install-deps.sh"]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        shutil.copytree(ROOT / "debian", root / "debian")
        shutil.copytree(ROOT / "packaging", root / "packaging")
        assert not faults(root), faults(root)
        for name, old, new, count in plants:
            text = (root / name).read_text(encoding="utf-8")
            assert old in text, (name, old)
            (root / name).write_text(text.replace(old, new, 1), encoding="utf-8")
            found = faults(root)
            assert len(found) == count, (name, new, found)
            (root / name).write_text(text, encoding="utf-8")
    print(f"{len(plants)} planted faults found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = faults(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    print("\n".join(found) or "the packages hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
