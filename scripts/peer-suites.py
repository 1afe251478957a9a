#!/usr/bin/env python3
"""Runs the test suites of NumPy, Numba, CuPy and the array API standard over kiln's Python package, and prints a table of what passed.

  scripts/peer-suites.py [--only SUITE[:FILE]]… [--sample N] [--json FILE] [--failures] [--array-api-tests FOLDER]

The suites come from the installed packages. Copies with their imports turned to shims over kiln (python/tests/peers) go to
build/peers. No package has array-api-tests: it is cloned, or FOLDER has a clone with its submodule; else it is left out. python/tests/peers/reasons.toml says which tests do not apply and which failures are known, each with its reason.
scripts/test-python.sh builds the extension that is tested.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "python/tests/peers"
REQUIREMENTS = ["numpy>=2", "pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "scipy", "ml_dtypes"]
UNUSED = "the test calls no function of kiln"


@dataclasses.dataclass
class Suite:
    """Files of a package's tests, and what turns them to kiln."""

    package: str
    folder: str
    files: tuple
    goal: float
    rewrites: tuple  # (pattern, replacement, files that must have it or None for any)
    plugins: tuple = ()
    operators: tuple = ()  # files whose operators are kiln's, too
    support: str = ""  # a package of the sdist that the tests import
    requirements: tuple = ()
    sdist: bool = False
    repository: str = ""  # of a suite that no package has
    commit: str = ""
    arguments: tuple = ()  # of pytest
    environment: tuple = ()


SUITES = {
    "numpy": Suite(
        package="numpy", folder="_core/tests", goal=98, plugins=("numpy.conftest",), operators=("test_nep50_promotions.py", "test_half.py"),
        files=("test_ufunc.py", "test_umath.py", "test_umath_complex.py", "test_nep50_promotions.py", "test_half.py", "test_overrides.py"),
        rewrites=((r"^import numpy as np$", "from peers import numpy_shim as np"),
                  (r"^import operator$", "from peers import operators as operator"),
                  (r"^import numpy\._core\.(umath|_multiarray_umath) as ncu$", "from peers.numpy_shim import umath as ncu"),
                  # Long double is double here, and kiln has no loops of objects.
                  (r"""(['"])g\1""", r"\1d\1"),
                  (r"^UNARY_OBJECT_UFUNCS\.remove\(.*\)$", ""),
                  (r"pytest\.(raises|warns)\(", r"peers_status.\1("),
                  (r"assert_raises\((FloatingPointError, )", r"peers_status.call(\1"),
                  (r"^import pytest$", "import pytest\n\nfrom peers import status as peers_status"),
                  (r"^import numpy\._core\._umath_tests as umt$", "from peers.umath_tests import functions as umt"),
                  (r"^from numpy\._core import _umath_tests as ncu_tests, sctypes$",
                   "from peers.umath_tests import functions as ncu_tests\nfrom peers.numpy_shim import sctypes"))),
    "numba": Suite(
        package="numba", folder="tests/npyufunc", goal=95, requirements=("numba",),
        files=("test_dufunc.py", "test_gufunc.py", "test_vectorize_decor.py"),
        rewrites=((r"^from numba import njit, vectorize$", "from peers.numba_shim import njit, vectorize"),
                  (r"^from numba import (.*), jit, (guvectorize|vectorize)$", r"from numba import \1\nfrom peers.numba_shim import jit, \2"),
                  (r"^from numba\.core\.errors import TypingError$", "from peers.numba_shim import TypingError"),
                  (r"^from numba\.core\.errors import \(TypingError, NumbaNotImplementedError,$",
                   "from peers.numba_shim import TypingError\nfrom numba.core.errors import (NumbaNotImplementedError,"),
                  (r"^import unittest$", "import unittest\n\nfrom peers import status as peers_status"),
                  (r"self\.assertRaisesRegex\(", "peers_status.raises_regex("),
                  (r"self\.assertIn\(msg, (str\(\w+\.exception\))\)", r"peers_status.message(msg, \1, literal=True)"),
                  # Numba's `initial=None` is none, and NumPy's asks for a reduction without the identity.
                  (r"initial=initial\)", r"**({} if initial is None else {'initial': initial}))"),
                  (r"^from numba\.np\.ufunc import (GUVectorize|dufunc)$", r"from peers.numba_shim import \1"))),
    "cupy": Suite(
        package="cupy", folder="tests/cupy_tests/core_tests", goal=95, sdist=True, support="cupy/testing", plugins=("peers.cupy_shim",),
        files=("test_userkernel.py", "test_elementwise.py", "test_reduction.py", "test_gufuncs.py", "test_ufunc_methods.py", "test_dlpack.py",
               "test_raw.py"),
        rewrites=((r"^import pytest$", "import pytest\n\nfrom peers import status as peers_status"),
                  (r"pytest\.(raises|warns)\(", r"peers_status.\1("),
                  (r"self\.assertRaisesRegex\(", "peers_status.raises_regex("))),
    "array-api": Suite(
        package="array_api_tests", folder="array_api_tests", goal=97, rewrites=(),
        files=("test_operators_and_elementwise_functions.py", "test_special_cases.py"), requirements=("ndindex>=1.8",),
        repository="https://github.com/data-apis/array-api-tests", commit="55fcc60179efa2680ddd6cd926ddf17b83530e2b",
        arguments=("--disable-deadline", "--hypothesis-derandomize", "--max-examples=200"),
        environment=(("ARRAY_API_TESTS_MODULE", "peers.xp_shim"),)),
}


def fail(message):
    sys.exit(f"peer-suites.py: {message}")


def run(arguments, **keywords):
    return subprocess.run([str(each) for each in arguments], check=True, **keywords)


def install(python, requirements):
    """Installs what is missing."""
    missing = [each for each in requirements
               if subprocess.run([python, "-c", f"from importlib.metadata import version; version({re.split('[<>=]', each)[0]!r})"],
                                 capture_output=True, check=False).returncode]
    if missing:
        run([python, "-m", "pip", "install", "-q", *missing])


def clone(suite, folder):
    """Clones a repository with its submodules, or returns why not."""
    shutil.rmtree(folder, ignore_errors=True)
    for arguments in (["init", "-q", folder], ["-C", folder, "fetch", "-q", "--depth=1", suite.repository, suite.commit],
                      ["-C", folder, "checkout", "-q", "FETCH_HEAD"], ["-C", folder, "submodule", "-q", "update", "--init", "--depth=1"]):
        try:
            done = subprocess.run(["git", *map(str, arguments)], check=False, capture_output=True, text=True, timeout=600,
                                  env={**os.environ, "GIT_TERMINAL_PROMPT": "0"})
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            return done.stderr.strip()
    return ""


def source_of(suite, python, build, given=None):
    """Returns the folder of the suite's files, and its package's version. Raises LookupError where it cannot be had."""
    if suite.repository:
        root = given or build / "clone" / suite.package
        if given is None and not root.exists():
            if os.environ.get("KILN_NO_INSTALL") == "1":
                raise LookupError("KILN_NO_INSTALL=1, and no folder was named")
            why = clone(suite, root)
            if why:
                raise LookupError(f"{suite.repository} cannot be cloned: {why}")
        if not (root / suite.folder).exists():
            raise LookupError(f"{root} has no folder {suite.folder}")
        return root / suite.folder, suite.commit[:8]
    if suite.sdist:
        kept = build / "sdist"
        found = sorted(kept.glob(f"{suite.package}-*.tar.gz"))
        if not found:
            # Only the package itself by its sources: what its build needs may come as wheels.
            run([python, "-m", "pip", "download", "-q", "--no-binary", suite.package, "--no-deps", suite.package, "-d", kept])
            found = sorted(kept.glob(f"{suite.package}-*.tar.gz"))
        name = found[-1].name.removesuffix(".tar.gz")
        if not (kept / name).exists():
            with tarfile.open(found[-1]) as archive:
                archive.extractall(kept, filter="data")
        return kept / name / suite.folder, name.rpartition("-")[2]
    text = f"import importlib.metadata as m, importlib.util as u; print(u.find_spec({suite.package!r}).origin, m.version({suite.package!r}))"
    origin, version = subprocess.run([python, "-c", text], check=True, capture_output=True, text=True).stdout.split()
    return pathlib.Path(origin).parent / suite.folder, version


def copy_support(suite, source, target):
    """Copies the package that the tests import from the sdist."""
    if suite.support:
        root = source
        for _ in pathlib.Path(suite.folder).parts:
            root = root.parent
        shutil.copytree(root / suite.support, target / "support" / suite.support)


def copy(suite, source, target, python, package):
    """Copies the files with their imports rewritten. Every rewrite must match in some file."""
    shutil.rmtree(target, ignore_errors=True)
    if suite.repository:
        shutil.copytree(source.parent, target, ignore=shutil.ignore_patterns(".git"))
        return
    target.mkdir(parents=True)
    used = set()
    for name in suite.files:
        text = (source / name).read_text()
        for pattern, replacement in suite.rewrites:
            text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
            if count:
                used.add(pattern)
        if name in suite.operators:
            environment = {**os.environ, "PYTHONPATH": f"{package}:{PEERS.parent}"}
            text = run([python, "-m", "peers.operators"], input=text, text=True, capture_output=True, env=environment).stdout
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text)
    unused = [pattern for pattern, _ in suite.rewrites if pattern not in used]
    if unused:
        fail(f"no file of {suite.package} has {unused[0]!r}: the suite has changed, so change the rewrites")


def run_pytest(name, suite, python, package, target, files, sample):
    """Runs the files and returns the test cases: dicts with id, outcome, text."""
    report = target / "report.xml"
    environment = {**dict(suite.environment), "PYTHONPATH": f"{package}:{PEERS.parent}:{target}", "KILN_PEERS_SAMPLE": str(sample or ""), "KILN_PEERS_SUPPORT": str(target / "support")}
    command = [python, "-m", "pytest", "-q", "-p", "peers.plugin", "-p", "no:cacheprovider", "-n", "1", "--timeout=300", "--tb=short",
               f"--junitxml={report}", "-o", "junit_family=xunit1", "--rootdir", target, "--import-mode=importlib", "-W", "ignore",
               *suite.arguments]
    for each in suite.plugins:
        command += ["-p", each]
    with open(target / "pytest.log", "w", encoding="utf-8") as log:
        subprocess.run([str(each) for each in command + [f"{suite.folder}/{file}" if suite.repository else file for file in files]], cwd=target, env={**os.environ, **environment}, stdout=log,
                       stderr=subprocess.STDOUT, check=False)
    if not report.exists():
        fail(f"{name}: pytest made no report; see {target / 'pytest.log'}")
    cases = list(read_report(report))
    for case in cases:
        if "collection failure" in case["text"]:
            fail(f"{name}: {case['id']} cannot be collected; see {target / 'pytest.log'}")
    return cases


def read_report(report):
    for case in ElementTree.parse(report).iter("testcase"):
        file = (case.get("file") or case.get("classname", "").replace(".", "/") + ".py")
        klass = case.get("classname", "").rpartition(".")[2]
        stem = pathlib.Path(file).stem
        identity = "::".join([file] + ([klass] if klass and klass != stem else []) + [case.get("name", "")])
        outcome, text, in_setup = "passed", "", False
        for child in case:
            if child.tag in ("failure", "error"):
                in_setup = in_setup or child.tag == "error"
                # A test that Numba expects to fail, and passes.
                unexpected = "Unexpected success" in (child.get("message") or "")
                outcome, text = "passed" if unexpected else "failed", (child.get("message") or "") + "\n" + (child.text or "")
            elif child.tag == "skipped" and outcome == "passed":
                outcome, text = "skipped", child.get("message") or child.text or ""
        marks = {each.get("name"): each.get("value") for each in case.iter("property")}
        yield {"id": identity, "file": file, "outcome": outcome, "text": text, "used": marks.get("kiln") == "used",
               "in_setup": in_setup,
               "left_out": marks.get("left out", "")}


def load_reasons(suites):
    import tomllib
    with open(PEERS / "reasons.toml", "rb") as file:
        listed = tomllib.load(file)["reason"]
    for each in listed:
        if each["kind"] not in ("not applicable", "known failure") or not each.get("why") or each["suite"] not in SUITES:
            fail(f"reasons.toml: {each} has no valid kind, why or suite")
    return [{**each, "count": 0} for each in listed if each["suite"] in suites]


def classify(suite, case, reasons):
    """Sets the class of a case: passed, failed, known failure or not applicable; and its reason."""
    for reason in reasons:
        if reason.get("always") and reason["suite"] == suite and re.search(reason["test"], case["id"]):
            reason["count"] += 1
            return reason["kind"], reason["why"]
    if case["outcome"] == "passed" and case["used"]:
        return ("not applicable", case["left_out"]) if case["left_out"] else ("passed", "")
    if case["outcome"] == "passed":
        return "not applicable", UNUSED
    if case["outcome"] == "skipped":
        return "not applicable", "the suite skips it here"
    for reason in reasons:
        if reason["suite"] == suite and re.search(reason.get("test", ""), case["id"]) and re.search(reason.get("text", ""), case["text"]):
            reason["count"] += 1
            return reason["kind"], reason["why"]
    if not case["used"] and not case["in_setup"]:
        return "not applicable", UNUSED
    return "failed", ""


def table(rows):
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(str(value).ljust(width) for value, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="SUITE[:FILE]", help="run this suite, or this file of it")
    parser.add_argument("--sample", type=int, metavar="N", help="run N tests of each file, evenly spread")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write everything to a file")
    parser.add_argument("--failures", action="store_true", help="print the last lines of each failure that has no reason")
    parser.add_argument("--python", type=pathlib.Path, default=ROOT / "build/python-venv/bin/python")
    parser.add_argument("--package", type=pathlib.Path, default=ROOT / "build/python/package", help="the folder that has the package kiln")
    parser.add_argument("--array-api-tests", type=pathlib.Path, metavar="FOLDER", help="a clone of array-api-tests, with its submodule")
    options = parser.parse_args()
    if not options.python.exists() or not (options.package / "kiln").exists():
        fail("the extension is not built: run scripts/test-python.sh first")
    wanted = {}
    for each in options.only or SUITES:
        suite, _, file = each.partition(":")
        if suite not in SUITES:
            fail(f"there is no suite {suite!r}: {', '.join(SUITES)}")
        wanted.setdefault(suite, []).extend([file] if file else [])
    install(options.python, REQUIREMENTS)

    build = ROOT / "build/peers"
    reasons = load_reasons(wanted)
    rows = [["suite", "file", "tests", "passed", "failed", "not applicable", "passed of what applies"]]
    everything, notes, bad, left_out = [], {}, [], set()
    for name, files in wanted.items():
        suite = SUITES[name]
        install(options.python, suite.requirements)
        try:
            source, version = source_of(suite, options.python, build, options.array_api_tests)
        except LookupError as error:
            if options.only:
                fail(f"{name}: {error}")
            print(f"peer-suites.py: the suite {name} is LEFT OUT, since {error}", file=sys.stderr)
            left_out.add(name)
            continue
        target = build / name
        copy(suite, source, target, options.python, options.package)
        copy_support(suite, source, target)
        cases = run_pytest(name, suite, options.python, options.package, target, files or suite.files, options.sample)
        for case in cases:
            case["suite"] = name
            case["class"], case["reason"] = classify(name, case, reasons)
            if case["class"] in ("not applicable", "known failure"):
                key = (name, case["class"], case["reason"])
                notes[key] = notes.get(key, 0) + 1
        everything += cases
        total = [0, 0, 0, 0]
        for file in files or suite.files:
            of_file = [case["class"] for case in cases if case["file"].endswith(file)]
            counts = [len(of_file), of_file.count("passed"), of_file.count("failed") + of_file.count("known failure"),
                      of_file.count("not applicable")]
            total = [a + b for a, b in zip(total, counts)]
            rows.append([f"{name} {version}", file, *counts, percent(counts)])
        rows.append([f"{name} {version}", "all", *total, percent(total)])
        if not total[0]:
            fail(f"{name}: no test ran; see {target / 'pytest.log'}")
        if not options.sample and not files and 100 * total[1] < suite.goal * (total[1] + total[2]):
            bad.append(f"{name}: {percent(total)} of what applies pass, and the goal is {suite.goal} %")
    print(table(rows))
    print()
    print(table([["suite", "class", "tests", "reason"]] + [[*key[:2], count, key[2]] for key, count in sorted(notes.items(), key=lambda x: (x[0][0], x[0][1], -x[1]))]))
    unnamed = [case for case in everything if case["class"] == "failed"]
    for case in unnamed:
        print("FAILED", case["id"])
        if options.failures:
            print("    " + "\n    ".join(case["text"].strip().splitlines()[-6:]))
    if unnamed:
        bad.append(f"{len(unnamed)} failures have no reason in reasons.toml")
    if not options.sample and not any(wanted.values()):
        bad += [f"reasons.toml: this reason matches nothing: {reason['why']!r} ({reason['suite']}, {reason.get('test', '')!r}, "
                f"{reason.get('text', '')!r})" for reason in reasons if not reason["count"] and reason["suite"] not in left_out]
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "cases": everything}, indent=1))
    for each in bad:
        print("peer-suites.py:", each, file=sys.stderr)
    return 1 if bad else 0


def percent(counts):
    applies = counts[1] + counts[2]
    return f"{100 * counts[1] / applies:.1f} %" if applies else "-"


if __name__ == "__main__":
    sys.exit(main())
