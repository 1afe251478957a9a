#!/usr/bin/env python3
"""Holds every place that names kiln's version to project(VERSION): the header, the newest release of CHANGELOG.md, find_package() in README.md and in the
CMake files of users, and the test of `kiln --version`. With a build folder also what is made there: kiln.pc and find_package's version file.

usage: version_test.py ROOT [BUILD]      (exit status 1 and one line for each place that differs)
       version_test.py --self-test       (changes each place in a scratch copy and wants it found)
"""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROJECT = re.compile(r"^project\(kiln VERSION (\d+\.\d+\.\d+)", re.M)
# File: (what is read there, whether it is the whole version, "0.2.0", or major and minor, "0.2").
PLACES = {
    "include/kiln/version.hpp": (r'#define KILN_VERSION "([^"]+)"', True),
    "lib/clang/VERSION": (r"^(.*)$", True),
    "lib/emulator/VERSION": (r"^(.*)$", True),
    "CHANGELOG.md": (r"^## \[(\d[^\]]*)\]", True),
    "tests/cli/usage_test.cpp": (r'"kiln (\d[\d.]*)\\n"', True),
    "README.md": (r"find_package\(kiln ([\d.]+)", False),
    "docs/install.md": (r"find_package\(kiln ([\d.]+)", False),
    "examples/CMakeLists.txt": (r"find_package\(kiln ([\d.]+)", False),
    "examples/snippets/how-to/project/CMakeLists.txt": (r"find_package\(kiln ([\d.]+)", False),
    "tests/package/find_package/CMakeLists.txt": (r"find_package\(kiln ([\d.]+)", False),
}
BUILT = {"kiln.pc": r"^Version: (.*)$", "kilnConfigVersion.cmake": r'set\(PACKAGE_VERSION "([^"]+)"\)'}


def differing(root, build=None):
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    project = PROJECT.search(text)
    if project is None:
        return ["CMakeLists.txt: no project(kiln VERSION x.y.z)"]
    version = project[1]
    found = []

    def hold(name, text, pattern, wanted):
        match = re.search(pattern, text, re.M)
        if match is None:
            found.append(f"{name}: no version there ({pattern})")
        elif match[1] != wanted:
            found.append(f"{name} says {match[1]}, and project(VERSION) {version}: write {wanted}")

    for name, (pattern, whole) in PLACES.items():
        hold(name, (root / name).read_text(encoding="utf-8"), pattern, version if whole else version.rpartition(".")[0])
    header = (root / "include/kiln/version.hpp").read_text(encoding="utf-8")
    numbers = [re.search(rf"KILN_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    if None in numbers or ".".join(number[1] for number in numbers) != version:
        found.append(f"include/kiln/version.hpp: KILN_VERSION_MAJOR, _MINOR and _PATCH are not {version}")
    for name, pattern in BUILT.items() if build else ():
        hold(f"{build}/{name}", (pathlib.Path(build) / name).read_text(encoding="utf-8"), pattern, version)
    return found


def self_test():
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for name in ["CMakeLists.txt", *PLACES]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        assert not differing(root), differing(root)
        for name, (pattern, _) in PLACES.items():
            text = (root / name).read_text(encoding="utf-8")
            match = re.search(pattern, text, re.M)
            (root / name).write_text(text[:match.start(1)] + "9.9.9" + text[match.end(1):], encoding="utf-8")
            found = differing(root)
            assert len(found) == 1 and found[0].startswith(f"{name} says 9.9.9"), found
            (root / name).write_text(text, encoding="utf-8")
        (root / "kiln.pc").write_text("Version: 9.9.9\n")
        (root / "kilnConfigVersion.cmake").write_text("")
        assert len(differing(root, root)) == 2, differing(root, root)
    print(f"{len(PLACES) + 2} planted differences found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    found = differing(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) == 3 else None)
    print("\n".join(found) or "one version everywhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
