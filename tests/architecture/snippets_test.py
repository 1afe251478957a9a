#!/usr/bin/env python3
"""Holds the blocks of pages to files that run.

A block behind `<!-- snippet: FILE#NAME -->` is the part of FILE between lines with `snippet: NAME` and `end`, or all of FILE without NAME. Stretches of
one NAME are one part, and lose the indentation that their lines share. Behind `<!-- output -->` stands what it prints. `<!-- output: FILE#NAME -->` shows what a
part prints that is on no page. What a file prints is shown, all of it.
A block of the language `console` has the part in the lines that begin with `$ ` or `> `, and what it prints in the others.
    …        in an output stands for the rest of a word, at the end of a line behind a space for the rest of the line, and alone in a line for any lines.
    varies   `<!-- output varies -->`, or at the end of the marker of a console block: numbers, their units, identifiers of 8 hexadecimal digits or more,
             the widths of gaps, and a plural's s may be others.
    compiled `<!-- snippet: FILE#NAME compiled -->`: nobody runs the part here, as it needs a GPU or what is not installed. Shell is parsed, CUDA compiled.
A block behind `<!-- quoted: FILE -->` stands in FILE, which other tests hold, but for white space, a last semicolon, and the + of lines of a patch.
A block of Python that begins with >>> is run by doctest, with the names of the blocks before it on the page.

Files are run by their suffix: .cpp and .c are programs, .sh scripts, .py Python's, .json manifests for `kiln compile`. nvcc compiles .cu. Grammars, .ebnf, and
their examples are checked by grammar.py, and the examples by kiln. A program that ends with status 77 has not run, and says why on standard error.

usage: snippets_test.py ROOT                         (the blocks are the files'; exit status 1 and one line for each fault)
       snippets_test.py ROOT --run python [PYTHON]   (the Python files run, and print what pages show)
       snippets_test.py ROOT --run binaries FOLDER   (FOLDER has the programs and the tool: C++, C, shell, manifests)
       snippets_test.py --examples PAGE              (the page's blocks with >>> run)
       snippets_test.py --self-test
"""
import concurrent.futures
import doctest
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import typing

import grammar

# Blocks of README.md and docs/ that no file holds. May only fall.
WITHOUT_FILE = 0
# Blocks that are compiled or parsed, and not run. May only fall, but for pages about what no test machine has.
COMPILED_ONLY = 17

FENCED = re.compile(r"^```", re.M)
BLOCK = re.compile(r"^<!-- (?P<kind>snippet|output|quoted): (?P<file>[^\s#]+)(?:#(?P<name>\w+))?(?P<compiled> compiled)?(?P<varies> varies)? -->\n"
                   r"```(?P<language>\w*)\n(?P<code>.*?)^```$\n?"
                   r"(?:<!-- output(?P<output_varies> varies)? -->\n```\w*\n(?P<output>.*?)^```$)?", re.S | re.M)
EXAMPLE = re.compile(r"^```python\n(>>>.*?)^```$", re.S | re.M)
MARK = re.compile(r"^\s*(?:#|//|/\*|\(\*) (?:snippet: (\w+)|end)\s*(?:\*/|\*\))?$")


class Block(typing.NamedTuple):
    page: pathlib.PurePath
    kind: str  # snippet, output or quoted
    file: str
    name: str
    code: str | None  # what stands in the file
    output: str | None
    varies: bool
    compiled: bool
    fences: int


def parts_of(text):
    """Name to lines, in the order of the file; "" is the whole file. Stretches of one name are one part."""
    stretches, current = {}, None
    for line in text.splitlines(keepends=True):
        if mark := MARK.match(line):
            current = mark[1]
            if current:
                stretches.setdefault(current, []).append("")
        elif current:
            stretches[current][-1] += line
    return {"": text, **{name: "".join(map(textwrap.dedent, each)) for name, each in stretches.items()}}


# Pages that a script makes of texts with tests of their own: docstrings, and the command's help and errors.
MADE = ("command-reference.md", "errors.md", "python-reference.md")


def pages_of(root):
    return [root / "README.md", *(page for page in sorted((root / "docs").rglob("*.md")) if page.name not in MADE)]


def block_of(page, match):
    code, output, varies = match["code"], match["output"], match["varies"] or match["output_varies"]
    fences = 1 + (output is not None)
    if match["kind"] == "output":
        code, output = None, code
    elif match["language"] == "console":
        lines = code.splitlines(keepends=True)
        commands = [line for line in lines if line.startswith(("$ ", "> "))]
        code, output = "".join(line[2:] for line in commands), "".join(line for line in lines if line not in commands) or output
    return Block(page, match["kind"], match["file"], match["name"] or "", code, output, bool(varies), bool(match["compiled"]), fences)


def blocks_of(root):
    for page in pages_of(root):
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield block_of(page.relative_to(root), match)


def one_line(text):
    return " ".join(text.split())


def faults(root):
    for block in blocks_of(root):
        path = root / block.file
        if not path.is_file():
            yield f"{block.page} shows {block.file}, which is not there"
            continue
        text = path.read_text(encoding="utf-8")
        if block.kind == "quoted":
            if path.suffix == ".patch":
                text = re.sub(r"^\+", "", text, flags=re.M)
            if path.suffix == ".md" or one_line(block.code).removesuffix(";") not in one_line(text):
                yield f"{block.page} quotes of {block.file} what does not stand there: {one_line(block.code)[:60]}"
            continue
        part = parts_of(text).get(block.name)
        if part is None:
            yield f"{block.page} shows {block.file}#{block.name}, and the file has no \"snippet: {block.name}\""
        elif block.code is not None and part != block.code:
            yield f"{block.page} does not show {block.file}{'#' + block.name if block.name else ''} as it is"


def wrong_grammars(root):
    for file in sorted({block.file for block in blocks_of(root) if block.file.endswith(".ebnf")}):
        yield from grammar.faults(root / file)


def without_file(root):
    texts = [page.read_text(encoding="utf-8") for page in pages_of(root)]
    fences = sum(len(FENCED.findall(text)) for text in texts) // 2
    return fences - sum(block.fences for block in blocks_of(root)) - sum(len(EXAMPLE.findall(text)) for text in texts)


GAP, NUMBER, IDENTIFIER = r"[ \t]+", r"(?:\d[\d.,]*(?:e[+-]?\d+)?(?: ?(?:ns|us|ms|s|min|h|d|B|[KMG]i?B)\b)?|\bnow\b)", r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b"
VARYING = re.compile(rf"(?P<IDENTIFIER>{IDENTIFIER})|(?P<NUMBER>{NUMBER})|(?P<GAP>{GAP})|(?P<PLURAL>(?<=[a-z])s\b)")


def line_pattern(line, varies):
    pattern = ""
    for text in re.split("(…)", line.rstrip("\n")):
        if text == "…":
            pattern += r"\S*"
        elif varies:
            at = 0
            for match in VARYING.finditer(text):
                pattern += re.escape(text[at:match.start()]) + {"IDENTIFIER": IDENTIFIER, "NUMBER": NUMBER, "GAP": GAP, "PLURAL": "s?"}[match.lastgroup]
                at = match.end()
            pattern += re.escape(text[at:])
        else:
            pattern += re.escape(text)
    if re.search(r"\s…\n?$", line):
        pattern = pattern.removesuffix(r"\S*") + ".*"
    return pattern + "\n"


def output_pattern(output, varies):
    """What an output on a page stands for, as a regular expression."""
    return "".join("(?:.*\n)*?" if line.strip() == "…" else line_pattern(line, varies) for line in output.splitlines())


def files_to_run(root, suffixes):
    """File, whether it is only parsed, the text that pages show of what it prints, in the order of its parts, and that as a regular expression."""
    by_file = {}
    for block in blocks_of(root):
        if block.kind != "quoted" and pathlib.Path(block.file).suffix in suffixes:
            by_file.setdefault(block.file, []).append(block)
    for file, blocks in sorted(by_file.items()):
        order = list(parts_of((root / file).read_text(encoding="utf-8")))
        shown = {block.name: block for block in blocks if block.output is not None and not block.compiled}
        in_order = [shown[name] for name in order if name in shown]
        yield (file, all(block.compiled for block in blocks), "".join(block.output for block in in_order),
               "".join(output_pattern(block.output, block.varies) for block in in_order))


def wrong_output(file, command, expected, pattern, environment):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, cwd=folder)
    if run.returncode == 77:
        print(f"{file} did not run: {run.stderr.strip()}", file=sys.stderr)
        return []
    if run.returncode != 0:
        return [f"{file} fails with status {run.returncode}:\n{run.stdout}{run.stderr}"]
    if not re.fullmatch(pattern, run.stdout):
        return [f"{file} prints\n{run.stdout}and pages show\n{expected}"]
    return []


def wrong_outputs(root, suffixes, command, environment):
    """`command` takes a file, and whether it is only parsed."""
    jobs = [(file, command(root / file, parsed), expected, pattern) for file, parsed, expected, pattern in files_to_run(root, suffixes)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for found in threads.map(lambda job: wrong_output(*job, environment) if job[1] else [], jobs):
            yield from found


def wrong_examples(page):
    names = {}
    for block in EXAMPLE.findall(page.read_text(encoding="utf-8")):
        test = doctest.DocTestParser().get_doctest(block, names, str(page), str(page), 0)
        test.globs = names
        report = []
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=report.append, clear_globs=False)
        if report:
            yield from report
            return


def python_command(python, file, parsed):
    return [python, "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", file] if parsed else [python, file]


def binary_command(root, folder, file, parsed):
    if file.suffix == ".sh":
        return ["bash", "-n", file] if parsed else ["bash", "-e", file]
    if file.suffix == ".cu":
        nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
        ccache = ["ccache"] if shutil.which("ccache") else []
        return [*ccache, nvcc, "-std=c++20", "-arch=sm_90", f"-I{root}/include", "-c", file, "-o", "object.o"] if nvcc else ["bash", "-c", "echo nvcc is not there >&2; exit 77"]
    if file.suffix == ".ebnf":
        return [folder / "snippets/snippet_grammar", file]
    if file.suffix == ".json":
        return ["kiln", "compile", file, "--target", "native", "--quiet"]
    name = "_".join(file.relative_to(root / "examples/snippets").with_suffix("").parts)
    return [] if parsed else [folder / "snippets" / f"snippet_{name}{'_c' if file.suffix == '.c' else ''}"]


def run(root, kind, where):
    environment = {**os.environ, "KILN_DEVICE": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}  # pages show what the CPU gives
    if kind == "python":
        found = list(wrong_outputs(root, (".py",), lambda file, parsed: python_command(where, file, parsed), environment))
        for page in pages_of(root):
            if EXAMPLE.search(page.read_text(encoding="utf-8")):
                examples = subprocess.run([where, __file__, "--examples", page], capture_output=True, text=True, env=environment)
                found += [examples.stdout + examples.stderr] if examples.returncode != 0 else []
        return found
    folder = pathlib.Path(where).resolve()
    environment["PATH"] = f"{folder}:{environment['PATH']}"
    environment["ROOT"] = str(root)
    environment.setdefault("KILN_CACHE_DIR", str(folder.parent / "snippets-cache"))
    return list(wrong_outputs(root, (".cpp", ".c", ".cu", ".sh", ".json", ".ebnf"), lambda file, parsed: binary_command(root, folder, file, parsed), environment))


def wrong_count(name, limit, count, what):
    if count == limit:
        return []
    return [f"{count} blocks of pages are {what}, and {name} is {limit}: " + ("lower it" if count < limit else "give the new one a file that runs")]


MATCHES = [  # output of a page, with varies, what is printed, whether it matches
    ("a 1.5\n", False, "a 1.5\n", True),
    ("a 1.5\n", False, "a 1.6\n", False),
    ("in /tmp/…/x\n", False, "in /tmp/ab12/x\n", True),
    ("in /tmp/…/x\n", False, "in /tmp/a b/x\n", False),
    ("first; …\n", False, "first; and the rest\n", True),
    ("first;…\n", False, "first; and the rest\n", False),
    ("one\n…\nfour\n", False, "one\ntwo\nthree\nfour\n", True),
    ("one\n…\nfour\n", False, "one\ntwo\nfive\n", False),
    ("took 1.5 ms  x\n", True, "took 23 us x\n", True),
    ("took 1.5 ms\n", True, "takes 1.5 ms\n", False),
    ("50 kernels for 64 ranks\n", True, "1 kernel for 2 ranks\n", True),
    ("50 kernels for 64 ranks\n", False, "50 kernel for 64 ranks\n", False),
    ("3f2a10bc  saxpy\n", True, "91c04f77beef saxpy\n", True),
    ("3f2a10bc  saxpy\n", True, "91c04f77 wave\n", False),
    ("12 compiled, 0 failed\n", True, "12 compiled\n", False),
    ("saxpy   3 h\n", True, "saxpy  now\n", True),
    ("a 1\nb 2\n", True, "a 3\n\nb 4\n", False),
]


GRAMMARS = [  # a grammar, and a part of its fault's words
    ('a = { "x" , [ b ] } ;\nb = digit , { digit } ;\n(* yes a: x 12x *)\n(* no a: x 1 2 *)\n', None),
    ('a = "(" , a , ")" | "x" ;\n(* yes a: ((x)) *)\n(* no a: ((x) *)\n', None),
    ('a = "x" ;\n(* yes a: y *)\n', "does not match y"),
    ('a = "x" ;\n(* no a: x *)\n', "matches x"),
    ('a = b ;\n(* yes a: x *)\n', "the rule b is missing"),
    ('a = "x"\n(* yes a: x *)\n', "is wanted"),
    ('a = "x" ;\n', "has no examples"),
]


def self_test():
    for output, varies, printed, matches in MATCHES:
        assert bool(re.fullmatch(output_pattern(output, varies), printed)) == matches, (output, printed)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs/sub").mkdir(parents=True)
        (root / "README.md").write_text("```\nx\n```\n")
        (root / "a.py").write_text("# snippet: one\nprint(1)\n# end\nif True:\n    # snippet: two\n    print(2)\n    # end\n# snippet: three\n# end\n# snippet: two\n0\n# end\n")
        (root / "a.sh").write_text("# snippet: one\necho 1\n# end\n")
        (root / "b.sh").write_text("# snippet: two\necho \\\n  2\n# end\n")
        (root / "a.patch").write_text("+int f(int a,\n+      int b);\n")
        two = "<!-- output: a.py#two -->\n```text\n2\n```\n"
        page = "<!-- snippet: a.py#{} -->\n```python\n{}\n```\n<!-- output -->\n```text\n{}\n```\n" + two
        cases = [  # a page, and a part of its fault's words
            (page.format("one", "print(1)", "1"), None),
            (page.format("one", "print(2)", "1"), "does not show"),
            (page.format("four", "print(1)", "1"), "has no"),
            (page.format("one", "print(1)", "2"), "prints"),
            (two, "prints"),
            (page.format("one", "print(1)", "1").replace("a.py#one", "b.py#one"), "not there"),
            ("<!-- snippet: a.py#two compiled -->\n```python\nprint(2)\n0\n```\n", None),
            ("<!-- snippet: a.sh#one -->\n```console\n$ echo 1\n1\n```\n", None),
            ("<!-- snippet: a.sh#one -->\n```console\n$ echo 2\n1\n```\n", "does not show"),
            ("<!-- snippet: a.sh#one -->\n```console\n$ echo 1\n2\n```\n", "prints"),
            ("<!-- snippet: b.sh#two -->\n```console\n$ echo \\\n>   2\n2\n```\n", None),
            ("<!-- snippet: a.sh#one varies -->\n```console\n$ echo 1\n2\n```\n", None),
            ("<!-- snippet: a.sh#one -->\n```console\n$ echo 1\n```\n", "prints"),
            ("<!-- quoted: a.patch -->\n```c\nint f(int a, int b);\n```\n", None),
            ("<!-- quoted: a.patch -->\n```c\nint f(int a, long b);\n```\n", "does not stand there"),
            ("```python\n>>> 1 + 1\n2\n```\n", None),
            ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ]
        for text, fault in cases:
            (root / "docs/sub/a.md").write_text(text)
            found = [*faults(root), *wrong_examples(root / "docs/sub/a.md")]
            found += wrong_outputs(root, (".py", ".sh"), lambda file, parsed: python_command(sys.executable, file, parsed) if file.suffix == ".py"
                                   else binary_command(root, root, file, parsed), os.environ) if not found else []
            assert (len(found) == 0) if fault is None else any(fault in each for each in found), (text, found)
            assert without_file(root) == 1, text
        for text, fault in GRAMMARS:
            (root / "a.ebnf").write_text(text)
            found = list(grammar.faults(root / "a.ebnf"))
            assert (len(found) == 0) if fault is None else any(fault in each for each in found), (text, found)
        assert wrong_count("LIMIT", 1, 2, "bad") and wrong_count("LIMIT", 2, 1, "bad") and not wrong_count("LIMIT", 1, 1, "bad")
    print(f"{len(MATCHES)} outputs and {len(cases)} pages: each fault is found")


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    if sys.argv[1] == "--examples":
        report = "".join(wrong_examples(pathlib.Path(sys.argv[2])))
        print(report, end="")
        sys.exit(1 if report else 0)
    root = pathlib.Path(sys.argv[1]).resolve()
    found = [*faults(root), *wrong_grammars(root)]
    if sys.argv[2:3] == ["--run"] and sys.argv[3] == "python":
        found += run(root, "python", os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else sys.executable)
    elif sys.argv[2:3] == ["--run"]:
        found += run(root, "binaries", sys.argv[4])
    count, compiled = without_file(root), sum(block.compiled for block in blocks_of(root))
    found += wrong_count("WITHOUT_FILE", WITHOUT_FILE, count, "held by no file")
    found += wrong_count("COMPILED_ONLY", COMPILED_ONLY, compiled, "compiled and not run")
    print("\n".join(found) or f"{len(list(blocks_of(root)))} blocks are held by files, {compiled} of them compiled and not run; {count} are not yet")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
