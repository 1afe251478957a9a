#!/usr/bin/env python3
"""Helps scripts/coverage.sh.

usage: coverage_table.py programs BUILD PATTERN     the programs of the tests whose names match, relative to BUILD, one a line
       coverage_table.py table COVERAGE.json ROOT   what `llvm-cov export --summary-only` found, as a table by folder of lib/
"""
import collections
import json
import pathlib
import re
import sys

TEST = re.compile(r'^\s*add_test\(\[*=*\[?"?([^\]"\s]+)"?\]*=*\]?\s+"([^"]+)"', re.M)
KINDS = ("lines", "functions", "branches")


def programs(build, pattern):
    """ctest does not name programs that are not built yet: its own files do."""
    build = pathlib.Path(build).resolve()
    found = set()
    for file in build.rglob("CTestTestfile.cmake"):
        for name, program in TEST.findall(file.read_text(encoding="utf-8")):
            if re.search(pattern, name) and pathlib.Path(program).is_relative_to(build):
                found.add(str(pathlib.Path(program).relative_to(build)))
    return sorted(found)


def folder_of(path):
    parts = path.parts  # lib/kiln/layout/axes.cpp, lib/emulator/ptx/parser.cpp, lib/shared/half_bits.hpp
    return "/".join(parts[:3] if parts[1] == "kiln" else parts[:2])


def table(export, root):
    counts = collections.defaultdict(lambda: {kind: [0, 0] for kind in KINDS})
    for file in export["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        if not path.is_relative_to(root):
            continue
        for name in (folder_of(path.relative_to(root)), "all"):
            for kind in KINDS:
                counts[name][kind][0] += file["summary"][kind]["covered"]
                counts[name][kind][1] += file["summary"][kind]["count"]
    lines = [f"{'folder':<22}{'lines':>8}{'functions':>11}{'branches':>10}{'of lines':>10}"]
    for name in sorted(counts, key=lambda name: (name == "all", name)):
        shares = [100 * covered / count if count else 100.0 for covered, count in counts[name].values()]
        lines.append(f"{name:<22}{shares[0]:>7.1f}%{shares[1]:>10.1f}%{shares[2]:>9.1f}%{counts[name]['lines'][1]:>10}")
    return "\n".join(lines)


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "programs":
        for program in programs(sys.argv[2], sys.argv[3]):
            print(program)
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == "table":
        print(table(json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")), pathlib.Path(sys.argv[3])))
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
