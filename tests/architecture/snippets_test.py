#!/usr/bin/env python3
"""Holds the code that pages show to files that run. A block behind `<!-- snippet: FILE#NAME -->` is the part of FILE between lines with `snippet: NAME` and `end`
(all of it without NAME). Behind `<!-- output -->` stands what that part prints.

usage: snippets_test.py ROOT                         (the blocks are the files'; exit status 1 and one line for each fault)
       snippets_test.py ROOT --run python [PYTHON]   (the Python files run, and print what pages show)
       snippets_test.py ROOT --run binaries FOLDER   (FOLDER has the programs and the tool: C++ and shell)
       snippets_test.py --self-test
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"<!-- snippet: (\S+?)(?:#(\w+))? -->\n```\w*\n(.*?)```\n(?:<!-- output -->\n```\w*\n(.*?)```\n)?", re.S)
FENCED = re.compile(r"^```", re.M)
# Blocks of README.md and docs/ that no file holds. May only fall.
WITHOUT_FILE = 223
# Pages that a script makes of texts with tests of their own: docstrings, and the command's help.
MADE = ("c-reference.md", "command-reference.md", "errors.md", "python-reference.md")
MARK = re.compile(r"^\s*(?:#|//) (?:snippet: (\w+)|end)\s*$")


def parts_of(text):
    """Name to lines; "" is the whole file."""
    parts, current = {"": text}, None
    for line in text.splitlines(keepends=True):
        if mark := MARK.match(line):
            current = mark[1]
            if current:
                parts[current] = ""
        elif current:
            parts[current] += line
    return parts


def pages_of(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def blocks_of(root):
    """(page, file, name, code, output)"""
    for page in pages_of(root):
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield page.relative_to(root), match[1], match[2] or "", match[3], match[4]


def faults(root):
    for page, file, name, code, _ in blocks_of(root):
        path = root / file
        if not path.is_file():
            yield f"{page} shows {file}, which is not there"
            continue
        part = parts_of(path.read_text(encoding="utf-8")).get(name)
        if part is None:
            yield f"{page} shows {file}#{name}, and the file has no \"snippet: {name}\""
        elif part != code:
            yield f"{page} does not show {file}{'#' + name if name else ''} as it is"


def without_file(root):
    fences = sum(len(FENCED.findall(page.read_text(encoding="utf-8"))) for page in pages_of(root) if page.name not in MADE) // 2
    held = sum(1 + (output is not None) for *_, output in blocks_of(root))
    return fences - held


def shown(root, suffixes):
    """File to the outputs that pages show, in the order of its parts."""
    outputs = {}
    for _, file, name, _, output in blocks_of(root):
        if output is not None and pathlib.Path(file).suffix in suffixes:
            outputs.setdefault(file, {})[name] = output
    for file, by_name in outputs.items():
        order = list(parts_of((root / file).read_text(encoding="utf-8")))
        yield file, "".join(by_name[name] for name in order if name in by_name)


def wrong_outputs(root, suffixes, command, environment):
    for file, expected in shown(root, suffixes):
        run = subprocess.run(command(root / file), capture_output=True, text=True, env=environment, cwd=tempfile.gettempdir())
        if run.returncode != 0:
            yield f"{file} fails:\n{run.stdout}{run.stderr}"
        elif run.stdout != expected:
            yield f"{file} prints\n{run.stdout}and pages show\n{expected}"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "README.md").write_text("```\nx\n```\n")
        (root / "a.py").write_text("# snippet: one\nprint(1)\n# end\n")
        page = "<!-- snippet: a.py#{} -->\n```python\n{}\n```\n<!-- output -->\n```text\n{}\n```\n"
        for name, code, output, fault in (("one", "print(1)", "1", None), ("one", "print(2)", "1", "does not show"), ("two", "print(1)", "1", "has no"),
                                          ("one", "print(1)", "2", "prints")):
            (root / "docs/a.md").write_text(page.format(name, code, output))
            found = [*faults(root), *wrong_outputs(root, (".py",), lambda file: [sys.executable, file], os.environ)]
            assert (len(found) == 0) if fault is None else any(fault in each for each in found), (name, code, found)
        assert without_file(root) == 1
    print("each fault is found")


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1]).resolve()
    found = list(faults(root))
    environment = {**os.environ}
    if sys.argv[2:3] == ["--run"] and sys.argv[3] == "python":
        python = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else sys.executable
        found += wrong_outputs(root, (".py",), lambda file: [python, file], environment)
    elif sys.argv[2:3] == ["--run"]:
        folder = pathlib.Path(sys.argv[4]).resolve()
        environment["PATH"] = f"{folder}:{environment['PATH']}"
        found += wrong_outputs(root, (".cpp", ".sh"), lambda file: ["sh", file] if file.suffix == ".sh" else [folder / "examples" / f"snippet_{file.stem}"], environment)
    count = without_file(root)
    if count != WITHOUT_FILE:
        found.append(f"{count} blocks of pages are held by no file, and WITHOUT_FILE is {WITHOUT_FILE}: " +
                     ("lower it" if count < WITHOUT_FILE else "give the new one a file"))
    print("\n".join(found) or f"{len(list(blocks_of(root)))} blocks are held by files, {count} are not yet")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
