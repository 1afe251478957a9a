"""The stubs: mypy and pyright read the examples, and every name of the package is in them."""
import ast
import json
import os
import re
import subprocess
import sys

import pytest

import kiln

PACKAGE = os.path.dirname(kiln.__file__)


def declared(name):
    with open(os.path.join(PACKAGE, name), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
    return names


def test_every_name_is_declared():
    assert set(kiln.__all__) <= declared("__init__.pyi")
    assert set(kiln.math._names()) == declared("math.pyi") - {"Ufunc"}
    assert {name for name in vars(kiln.cache) if not name.startswith("_") and name not in ("json", "os")} <= declared("cache.pyi")
    assert set(kiln.errors.__all__) <= declared("errors.pyi")
    assert set(kiln.xp.__all__) <= declared("xp.pyi")


def test_every_public_name_exists():
    for name in kiln.__all__:
        getattr(kiln, name)
    assert set(kiln.__all__) <= set(dir(kiln))


def members(name, file="_kiln.pyi"):
    """Returns the public members of a class in a stub."""
    with open(os.path.join(PACKAGE, file), encoding="utf-8") as text:
        classes = {node.name: node for node in ast.parse(text.read()).body if isinstance(node, ast.ClassDef)}
    found = {each.name if isinstance(each, ast.FunctionDef) else each.target.id for each in classes[name].body
             if isinstance(each, (ast.FunctionDef, ast.AnnAssign))}
    for base in classes[name].bases:
        found |= members(base.id, file)
    return found


@pytest.mark.parametrize("name", ["Array", "Ufunc", "Gufunc", "Reduction", "Kernel", "Stream", "Event"])
def test_members_of_classes_are_declared(name):
    kind = getattr(kiln, name)
    assert not [each for each in members(name) if not hasattr(kind, each)]
    public = {each for each in dir(kind) if not each.startswith("_")}
    assert public <= members(name), public - members(name)


@pytest.fixture
def program(tmp_path):
    """The examples of the page as a program."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "docs", "python.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
    lines = []
    for block in blocks:
        for line in block.splitlines():
            if line.startswith((">>> ", "... ")):
                lines.append(line[4:])
            elif line in (">>>", "..."):
                lines.append("")
    made = tmp_path / "examples.py"
    made.write_text("\n".join(lines) + "\n")
    return made


#: Lines that are wrong, and one that is right.
MISUSE = """import kiln
kiln.vectorize("float32 f(float32 a) = a", fastmath=True)
kiln.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", "x", axes=3)
kiln.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", "x", group="warp")
kiln.xp.add(3, 4, 5)
kiln.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", "x", group=64).reduce([1], axis=0)
"""


def mypy(*files):
    pytest.importorskip("mypy")
    folder = os.path.dirname(files[0])
    return subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(folder), "--allow-redefinition", *map(str, files)],
                          capture_output=True, text=True, env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})


def pyright(*arguments, folder):
    def start(*more):
        return subprocess.run([sys.executable, "-m", "pyright", *map(str, more)], capture_output=True, text=True, cwd=folder,
                              env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYTHONPATH": os.path.dirname(PACKAGE)})
    if start("--version").returncode:
        pytest.skip("pyright does not run: it needs node")
    with open(os.path.join(folder, "pyrightconfig.json"), "w", encoding="utf-8") as file:
        json.dump({"extraPaths": [os.path.dirname(PACKAGE)]}, file)
    return start("--pythonpath", sys.executable, *arguments)


def test_mypy_reads_the_examples(program):
    done = mypy(program)
    assert done.returncode == 0, done.stdout


def test_pyright_reads_the_examples(program):
    done = pyright(program, folder=program.parent)
    assert done.returncode == 0, done.stdout


def test_checkers_find_misuse(tmp_path):
    program = tmp_path / "misuse.py"
    program.write_text(MISUSE)
    for done in (mypy(program), pyright(program, folder=tmp_path)):
        assert set(re.findall(r"misuse\.py:(\d+):.*error", done.stdout)) == {"2", "3", "4", "5"}, done.stdout


def test_the_stubs_are_complete(tmp_path):
    done = pyright("--ignoreexternal", "--verifytypes", "kiln", folder=tmp_path)
    assert "Type completeness score: 100%" in done.stdout, done.stdout
