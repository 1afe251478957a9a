#!/usr/bin/env python3
"""Holds every place that names kiln's version to project(VERSION), or writes another version into all of them.

usage: version.py [--root FOLDER] [--build FOLDER]     prints what differs; status 1. --build: also kiln.pc and find_package's version file there
       version.py [--root FOLDER] --write X.Y.Z        for a release: also a section in CHANGELOG.md and debian/changelog
"""
import argparse
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
    "docs/stability.md": (r"find_package\(kiln ([\d.]+)", False),
    "examples/CMakeLists.txt": (r"find_package\(kiln ([\d.]+)", False),
    "examples/snippets/how-to/project/CMakeLists.txt": (r"find_package\(kiln ([\d.]+)", False),
    "tests/package/find_package/CMakeLists.txt": (r"find_package\(kiln ([\d.]+)", False),
    "packaging/conda/recipe.yaml": (r"^  version: (.*)$", True),
    "packaging/spack/packages/kiln/package.py": (r'^    version\("([^"]+)"\)', True),
    "packaging/vcpkg/kiln/vcpkg.json": (r'"version": "([^"]+)"', True),
    "debian/changelog": (r"^kiln \(([^)]+)\)", True),
    "debian/libkiln0.symbols": (r"^\| libkiln0 \(>= ([^)]+)\)", True),
}
BUILT = {"kiln.pc": r"^Version: (.*)$", "kilnConfigVersion.cmake": r'set\(PACKAGE_VERSION "([^"]+)"\)'}


def shortened(version, whole):
    return version if whole else version.rpartition(".")[0]


def differing(root, build=None):
    """What differs from project(VERSION), a line each."""
    project = PROJECT.search((root / "CMakeLists.txt").read_text(encoding="utf-8"))
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
        hold(name, (root / name).read_text(encoding="utf-8"), pattern, shortened(version, whole))
    header = (root / "include/kiln/version.hpp").read_text(encoding="utf-8")
    numbers = [re.search(rf"KILN_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    if None in numbers or ".".join(number[1] for number in numbers) != version:
        found.append(f"include/kiln/version.hpp: KILN_VERSION_MAJOR, _MINOR and _PATCH are not {version}")
    # Before 1.0 a minor version may break programs in C++.
    major, minor, _ = version.split(".")
    if f"libkiln0 (<< {major}.{int(minor) + 1}~)" not in (root / "debian/libkiln0.symbols").read_text(encoding="utf-8"):
        found.append(f"debian/libkiln0.symbols: C++ programs need libkiln0 (<< {major}.{int(minor) + 1}~), as minor versions may break them")
    for name, pattern in BUILT.items() if build else ():
        hold(f"{build}/{name}", (pathlib.Path(build) / name).read_text(encoding="utf-8"), pattern, version)
    return found


def write(root, version):
    """Writes the version into every place, and a section for it into both changelogs where they have none."""
    def edit(name, change):
        path = root / name
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")

    def put(pattern, wanted):
        compiled = re.compile(pattern, re.M)
        return lambda text: (lambda match: text[:match.start(1)] + wanted + text[match.end(1):])(compiled.search(text))

    def numbers(text):
        for part, number in zip(("MAJOR", "MINOR", "PATCH"), version.split(".")):
            text = re.sub(rf"(KILN_VERSION_{part}) \d+", rf"\1 {number}", text)
        return text

    day = time.strftime("%Y-%m-%d", time.gmtime())
    newest = re.compile(PLACES["CHANGELOG.md"][0], re.M)
    section = f"## [Unreleased]\n\n## [{version}] - {day}\n"
    edit("CHANGELOG.md", lambda text: text if newest.search(text)[1] == version else text.replace("## [Unreleased]\n", section, 1))
    now = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime())
    entry = (f"kiln ({version}) unstable; urgency=medium\n\n  * Version {version}; CHANGELOG.md says what users see.\n\n"
             f" -- The kiln authors <kiln@packages.invalid>  {now}\n\n")
    edit("debian/changelog", lambda text: text if text.startswith(f"kiln ({version})") else entry + text)
    edit("CMakeLists.txt", put(PROJECT.pattern, version))
    for name, (pattern, whole) in PLACES.items():
        if not name.upper().endswith(("CHANGELOG", "CHANGELOG.MD")):
            edit(name, put(pattern, shortened(version, whole)))
    edit("include/kiln/version.hpp", numbers)
    major, minor, _ = version.split(".")
    edit("debian/libkiln0.symbols", lambda text: re.sub(r"\(<< [^)]*~\)", f"(<< {major}.{int(minor) + 1}~)", re.sub(r"(KILN_CXX_0) [\d.]+", rf"\1 {version}", text)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--build")
    parser.add_argument("--write", metavar="X.Y.Z")
    given = parser.parse_args()
    if given.write is not None:
        if not re.fullmatch(r"\d+\.\d+\.\d+", given.write):
            parser.error(f"{given.write} is no version: write three numbers, as in 0.3.0")
        write(given.root, given.write)
        print(f"{given.write} stands everywhere. Build, run scripts/cli_pages.py build/release/bin/kiln for the manual pages, and commit.")
    found = differing(given.root, given.build)
    print("\n".join(found) or "one version everywhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
