"""The stubs: mypy reads the examples, and every name of the package is in them."""
import ast
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


def test_examples_have_types(tmp_path):
    pytest.importorskip("mypy")
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
    program = tmp_path / "examples.py"
    program.write_text("\n".join(lines) + "\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "--allow-redefinition", str(program)],
                          capture_output=True, text=True, env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
    assert done.returncode == 0, done.stdout
