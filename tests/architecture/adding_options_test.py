#!/usr/bin/env python3
"""Holds what an option of a definition, of a compile or of a call and a dtype cost: the patches in tests/architecture/adding apply to the tree and touch no more
files than before, and no more files than before name a dtype in their code.

usage: adding_options_test.py ROOT              (exit status 1 and one line for each fault)
       adding_options_test.py ROOT --run FOLDER (also applies each patch to a copy of the tree in FOLDER, builds its tests and runs them)
       adding_options_test.py --self-test       (plants faults and wants them found)
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from adding_a_kind_test import apply, command_line, copy_tree, touched

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = "tests/architecture/adding"


class Example:
    """A patch. `most` may only fall: where the tree needs fewer files, write the smaller number here. `goal` is what is wanted."""

    def __init__(self, name, most, goal, targets):
        self.name, self.most, self.goal, self.targets = name, most, goal, targets
        self.patch = f"{FOLDER}/{name}.patch"


EXAMPLES = (
    Example("definition", 8, 10, ("kiln-test-ufunc", "kiln-test-manifest")),
    Example("compile_option", 10, 10, ("kiln-test-cache", "kiln-test-program", "kiln-test-manifest")),
    Example("call_option", 6, 6, ("kiln-test-ufunc",)),
)

# A dtype costs the files whose code names the youngest one.
DTYPE = "bfloat16"
MOST_DTYPE_FILES = 8
GOAL_DTYPE_FILES = 8
CODE = ("include", "lib", "kernels-src", "tools")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def names_dtype(text):
    """In code: not in comments, nor in messages, which are texts with words that no comma separates."""
    code = COMMENT_OR_TEXT.sub(lambda match: "" if match[0][0] == "/" or re.search(r"\w \w", match[0]) else match[0], text)
    return re.search(rf"\b{DTYPE}\b", code) is not None


def dtype_files(root):
    return [file.relative_to(root).as_posix() for folder in CODE for file in sorted((root / folder).rglob("*"))
            if file.suffix in (".hpp", ".cpp", ".h", ".inc") and names_dtype(file.read_text(encoding="utf-8"))]


def faults(root, examples=EXAMPLES, most_dtype_files=MOST_DTYPE_FILES):
    found = []

    def count(what, files, most, goal):
        known = "" if files <= goal else f"; the goal of {goal} is missed, which is known"
        print(f"{what} touches {files} files{known}")
        if files > most:
            found.append(f"{what} touches {files} files, and {most} were enough before")
        elif files < most:
            found.append(f"{what} touches {files} files: lower the limit of {most} in tests/architecture/adding_options_test.py")

    for example in examples:
        patch = (root / example.patch).read_text(encoding="utf-8")
        why = apply(root, patch, "--check")
        if why:
            found.append(f"{example.patch} does not apply: {why}; apply it with --reject to the tree, repair it, and write `git diff -U1` there")
        made, edited = touched(patch)
        count(example.patch, len(made) + len(edited), example.most, example.goal)
    files = dtype_files(root)
    count("a dtype", len(files), most_dtype_files, GOAL_DTYPE_FILES)
    if len(files) != most_dtype_files:
        print("\n".join(f"  {name}" for name in files))
    return found


def run(root, folder):
    for example in EXAMPLES:
        # The build lies where that of the tree does, so that ccache knows what is the same in both.
        source, build = folder / example.name / "source", folder / example.name / "source/build/release"
        source.mkdir(parents=True, exist_ok=True)
        copy_tree(root, source, example.patch)
        environment = os.environ | ({"CCACHE_BASEDIR": str(source)} if "CCACHE_BASEDIR" in os.environ else {})
        call = lambda *command, **more: subprocess.run([str(word) for word in command], check=True, env=environment, **more)
        call("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16",
             "-DKILN_TESTS=ON", "-DKILN_WERROR=ON", stdout=subprocess.DEVNULL)
        call("cmake", "--build", build, "--target", *example.targets)
        for target in example.targets:
            call(build / "bin" / target)
    return 0


def self_test():
    assert not faults(ROOT), faults(ROOT)
    assert names_dtype('f("bfloat16")') and names_dtype("DType::bfloat16")
    assert names_dtype('"float16, bfloat16"')
    assert not names_dtype("// bfloat16\n/* bfloat16\n*/ int a;") and not names_dtype('fail("float16 or bfloat16");')
    with tempfile.TemporaryDirectory() as scratch:
        spoiled = pathlib.Path(scratch)
        copy_tree(ROOT, spoiled, EXAMPLES[0].patch)
        found = faults(spoiled)
        assert any("does not apply" in each for each in found), found
    more = [Example(each.name, each.most - 1, each.goal, each.targets) for each in EXAMPLES]
    assert all("were enough before" in each for each in faults(ROOT, more)) and len(faults(ROOT, more)) == len(more)
    less = [Example(each.name, each.most + 1, each.goal, each.targets) for each in EXAMPLES]
    assert all("lower the limit" in each for each in faults(ROOT, less)) and len(faults(ROOT, less)) == len(less)
    assert any("were enough before" in each for each in faults(ROOT, (), MOST_DTYPE_FILES - 1))
    print("planted faults found")
    return 0


if __name__ == "__main__":
    sys.exit(command_line(__doc__, self_test, faults, run, "the patches apply"))
