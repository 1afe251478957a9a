#!/usr/bin/env python3
"""Each file of lib/clang/passes and lib/clang/spmd has a test beside it, <file>.ll or <file>.<what>.ll, and each pass has a name for opt.

usage: pass_tests_test.py ROOT        (exit status 1 and one line for each rule that is broken)
       pass_tests_test.py --self-test (plants one violation of each rule in a scratch tree and wants it found)
"""
import pathlib
import re
import sys
import tempfile

FOLDERS = ("lib/clang/passes", "lib/clang/spmd")
PLUGIN = "lib/clang/passes/opt_plugin.cpp"
# Files that have no test yet.
KNOWN = set()

REGISTERS = re.compile(r"^void (\w+)\(llvm::PassBuilder&", re.M)


def broken(root):
    found = []
    for folder in FOLDERS:
        sources = {path.stem for path in (root / folder).glob("*.cpp")} - {pathlib.Path(PLUGIN).stem}
        tests = sorted((root / folder).glob("*.ll"))
        tested = {path.name.split(".")[0] for path in tests}
        found += [f"{folder}/{name}.cpp: no {name}.ll or {name}.<what>.ll beside it" for name in sorted(sources - tested - KNOWN)]
        found += [f"{folder}/{name}.cpp: it has a test; take it out of KNOWN" for name in sorted(KNOWN & sources & tested)]
        found += [f"{path.relative_to(root)}: there is no {path.name.split('.')[0]}.cpp" for path in tests if path.name.split(".")[0] not in sources]
        for path in tests:
            lines = path.read_text(encoding="utf-8").splitlines()
            if not lines or not lines[0].startswith("; ") or lines[0].startswith("; RUN"):
                found.append(f"{path.relative_to(root)}: the first line says what the file shows")
            if not any(line.startswith("; RUN: ") for line in lines) or not any(re.match(r"; [A-Z]+(-[A-Z]+)?: ", line) and "RUN" not in line for line in lines):
                found.append(f"{path.relative_to(root)}: no line with RUN, or none that FileCheck looks for")
        for header in sorted((root / folder).glob("*.hpp")):
            for name in REGISTERS.findall(header.read_text(encoding="utf-8")):
                if not re.search(rf"\b{name}\b", (root / PLUGIN).read_text(encoding="utf-8")):
                    found.append(f"{header.relative_to(root)}: {name}() has no name in {PLUGIN}")
    return found


def self_test():
    good = "; It shows this.\n; RUN: opt %s\n; CHECK: ret\n"
    files = {PLUGIN: "{\"kiln-a\", add_a}", "lib/clang/passes/a.cpp": "", "lib/clang/passes/a.hpp": "void add_a(llvm::PassBuilder& builder);\n",
             "lib/clang/passes/a.ll": good, "lib/clang/spmd/b.cpp": "", "lib/clang/spmd/b.one.ll": good}
    planted = [("lib/clang/spmd/c.cpp", "", "c.cpp: no c.ll"), ("lib/clang/spmd/d.ll", good, "d.ll: there is no d.cpp"),
               ("lib/clang/passes/a.ll", "; RUN: opt\n; CHECK: ret\n", "a.ll: the first line"), ("lib/clang/passes/a.ll", "; It shows.\n; RUN: opt\n", "a.ll: no line"),
               ("lib/clang/passes/a.hpp", "void add_b(llvm::PassBuilder& builder);\n", "add_b() has no name")]
    failures = []
    for path, text, wanted in [(None, None, None), *planted]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in {**files, **({path: text} if path else {})}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content, encoding="utf-8")
            lines = broken(root)
            if (wanted is None and lines) or (wanted is not None and not (len(lines) == 1 and wanted in lines[0])):
                failures.append(f"planted {path}: wanted {wanted!r}, found {lines}")
    return failures


def main():
    lines = self_test() if sys.argv[1] == "--self-test" else broken(pathlib.Path(sys.argv[1]))
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
