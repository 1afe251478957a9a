#!/usr/bin/env python3
"""scripts/demo.sh runs every program of a folder: each is an example that has a test, which ran it without arguments.

usage: demo_test.py BUILD CTEST
"""
import pathlib
import re
import subprocess
import sys

build, ctest = sys.argv[1:]
folder = pathlib.Path(build) / "bin/examples"
programs = {path.name for path in folder.iterdir()}
listed = subprocess.run([ctest, "--test-dir", build, "-N", "-R", r"^example\."], capture_output=True, text=True, check=True).stdout
tested = set(re.findall(r": example\.(\w+)$", listed, re.M))
assert programs, f"{folder} is empty"
assert "in build/release/bin/examples/*" in (pathlib.Path(__file__).parents[2] / "scripts/demo.sh").read_text(), "demo.sh runs another folder"
if lost := sorted(programs - tested):
    raise SystemExit(f"{folder} has programs that are no tested examples: {', '.join(lost)}")
print(f"{len(programs)} examples")
