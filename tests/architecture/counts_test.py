#!/usr/bin/env python3
"""Counts what a change costs and what a reader meets, and fails where a count is above its limit. A limit marked `known` is above its
goal and may only fall: where the count is lower, the limit has to be lowered with it.

usage: counts_test.py ROOT
       counts_test.py --self-test
"""
import pathlib
import re
import sys
import tempfile

import includes

# What an edit of a header recompiles: sources that include it, directly or in turn. (header, limit, goal)
DEPENDENTS = [(f"lib/kiln/kernel/{kind}/spec.hpp", 30, 30) for kind in ("elementwise", "gufunc", "raw", "reduction", "scan", "scatter")]
# The same as a share of all sources, in percent: these are in kiln.hpp, which each new test includes.
SHARES = [("include/kiln/error.hpp", 42.0, 42), ("include/kiln/cache.hpp", 24.0, 24)]
PRECOMPILED = re.compile(r"target_precompile_headers\(\S+ PRIVATE ([^)]*)\)")
# Helpers that tests write again: a function that gives the text of an error which any call throws.
COPIES = re.compile(r"^(?:template <.*>\n)?(?:inline )?std::string \w+\((?:const )?(?:auto|Call|Work|Action|F)(?:&&?)? (\w+)\) \{\n\s*try \{\n\s*\1\(\);", re.M)
ARCHITECTURE_LINES = (150, 150)
README_LINES = (90, 90)
# Sources and headers of lib/ that are longer than style allows: name to lines. May only shrink.
LONG = {}
LONGEST = 400
# Lines of text below tests/, packed ones not counted: what a script makes is packed (tests/golden/pack.py).
TEST_LINES = (99225, 85000)


def check(what, count, limit, goal):
    """A message where the count is above its limit, or a known limit is above the count; else None."""
    if count > limit:
        return f"{what}: {count}, {limit} are allowed"
    if limit > goal and count < limit - 2:
        return f"{what}: {count}, and the limit is still {limit}: lower it"
    return None


def add_precompiled(root, direct):
    """Adds what each folder precompiles to the includes of its sources."""
    for lists in root.glob("*/**/CMakeLists.txt"):
        folder = lists.parent.relative_to(root).as_posix() + "/"
        if folder.startswith(("build/", ".")):
            continue
        for headers in PRECOMPILED.findall(lists.read_text()):
            own = {f"include/{name}" for name in re.findall(r"<(kiln/[^>]+)>", headers)}
            for name in direct:
                if name.startswith(folder) and name.endswith(".cpp"):
                    direct[name] |= own


def text_lines(folder):
    """Lines of all files below that are text."""
    total = 0
    for file in folder.rglob("*"):
        if file.is_file() and file.suffix != ".pyc" and b"\0" not in (content := file.read_bytes()):
            total += content.count(b"\n")
    return total


def self_test():
    assert check("x", 30, 30, 30) is None and check("x", 3, 30, 30) is None
    assert check("x", 31, 30, 30) == "x: 31, 30 are allowed"
    assert check("x", 54, 55, 42) is None
    assert check("x", 50, 55, 42) == "x: 50, and the limit is still 55: lower it"
    assert COPIES.search("template <class Call>\nstd::string text_of(const Call& call) {\n  try {\n    call();\n")
    assert not COPIES.search("std::string text_of(const Call& call) {\n  try {\n    shape_of(call);\n")
    users = includes.users({"a.cpp": {"a.hpp"}, "a.hpp": {"b.hpp"}, "b.hpp": set(), "b.cpp": {"b.hpp"}})
    assert users["b.hpp"] == {"a.cpp", "a.hpp", "b.cpp"} and users["a.hpp"] == {"a.cpp"}, users
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "text").write_text("a\nb\n")
        (folder / "code.xz").write_bytes(b"a\n\0\n")
        assert text_lines(folder) == 2
    print("limits, copies, users and lines of text are found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[1]).resolve()
    wrong, rows = [], []

    def add(what, count, limit, goal):
        rows.append(f"{what:52} {count:5} limit {limit:4} goal {goal:4}{'' if count <= goal else '  known'}")
        wrong.append(check(what, count, limit, goal))

    direct = includes.graph(root)
    add_precompiled(root, direct)
    users = includes.users(direct)
    for header, limit, goal in DEPENDENTS:
        if header not in direct:
            wrong.append(f"{header}: counts_test.py counts what includes it, and it is not there")
            continue
        add(f"sources behind {header}", sum(user.endswith(".cpp") for user in users.get(header, ())), limit, goal)
    # Snippets are the text of pages, and each includes all of kiln.hpp.
    sources = [name for name in direct if name.endswith(".cpp") and not name.startswith("examples/snippets/")]
    for header, limit, goal in SHARES:
        add(f"percent of sources behind {header}", round(100 * sum(user in users.get(header, ()) for user in sources) / len(sources), 1), limit, goal)
    copies = sum(len(COPIES.findall(path.read_text())) for path in (root / "tests").rglob("*.[ch]pp") if path != root / "tests/support/message.hpp")
    add("copies of tests/support/message.hpp", copies, 0, 0)
    add("lines of ARCHITECTURE.md", len((root / "ARCHITECTURE.md").read_text().splitlines()), *ARCHITECTURE_LINES)
    add("lines of README.md", len((root / "README.md").read_text().splitlines()), *README_LINES)
    add("lines of text below tests", text_lines(root / "tests"), *TEST_LINES)
    long = {}
    for path in sorted((root / "lib").rglob("*.[ch]pp")):
        lines = len(path.read_text().splitlines())
        if lines > LONGEST:
            long[path.relative_to(root).as_posix()] = lines
    for name, lines in long.items():
        if lines > LONG.get(name, LONGEST):
            wrong.append(f"{name}: {lines} lines, {LONG.get(name, LONGEST)} are allowed")
    for name in sorted(set(LONG) - set(long)):
        wrong.append(f"{name} is no longer too long: take it out of LONG")
    rows.append(f"{'files of lib/ with more than 400 lines':52} {len(long):5} limit {len(LONG):4} goal    0")
    print("\n".join(rows))
    wrong = [each for each in wrong if each]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
