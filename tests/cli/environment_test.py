#!/usr/bin/env python3
"""Holds the table of environment variables (lib/kiln/base/variables.cpp), as `kiln environment` shows it, to what the sources read, and shows who is warned of
a name that is misspelled.

A literal "KILN_…" in the sources of lib/, tools/ and python/ is a variable, unless NO_VARIABLES has it. What tests, scripts and the build read is no row: these
are KILN_TEST_…, KILN_CI_…, options of CMake and others. They must be near to no row, so that they are no warning.

usage: environment_test.py KILN ROOT
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

KILN, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
del sys.argv[1:]

SOURCES = ("lib/**/*.[ch]pp", "lib/**/*.[ch]", "lib/**/*.inc", "tools/**/*.[ch]pp", "python/kiln/**/*.py", "python/src/*.[ch]pp")
# Names of macros in kernels' texts, and of statuses of the C interface.
NO_VARIABLES = re.compile(r"KILN_(OK|E_[A-Z]+|FN|RAW_KERNEL|SHARED|DYNAMIC_SHARED|BARRIER|CACHE|TEST)")
# Calls that read a variable by its name.
READ = re.compile(r"""(?:\benv|\benv_word|getenv|\benvironment|\bvariable|\badd_named|\badd|environ\.get)\(\s*"([A-Z][A-Z0-9_]+)"|environ\["([A-Z0-9_]+)"\]""")


FOLDER = tempfile.TemporaryDirectory(prefix="kiln-environment-")  # removed at the end of the process
CACHE = FOLDER.name
# Reads what launchers of MPI set, and users do not.
RANKS = ROOT / "tools/kiln/ranks.cpp"


def run(*words, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KILN_")}
    return subprocess.run([KILN, *words], capture_output=True, text=True, env={**clean, "KILN_CACHE_DIR": CACHE, **environment})


def reply(*words, **environment):
    result = run("environment", "--json", *words, **environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def texts():
    """Sources without their comments, by name."""
    files = {file for pattern in SOURCES for file in ROOT.glob(pattern)} - {ROOT / "lib/kiln/base/variables.cpp", RANKS}
    return {str(file.relative_to(ROOT)): re.sub(r"(?m)^\s*(?://|#(?!\s*(?:include|define))).*$", "", file.read_text(encoding="utf-8")) for file in files}


class Table(unittest.TestCase):
    def test_every_variable_that_is_read_is_a_row_and_every_row_is_read(self):
        rows = {each["name"] for each in reply()["variables"]}
        named, read = {}, {}
        for file, text in texts().items():
            for name in re.findall(r'"(KILN_[A-Z0-9_]+)"', text):
                if not NO_VARIABLES.fullmatch(name):
                    named.setdefault(name, file)
            for match in READ.finditer(text):
                read.setdefault(match[1] or match[2], file)
        self.assertGreater(len(named), 30)
        self.assertEqual({name: file for name, file in {**named, **read}.items() if name not in rows}, {})
        all_text = "\n".join(texts().values())
        self.assertEqual([name for name in rows if f'"{name}"' not in all_text], [])

    def test_rows_are_plain_sentences(self):
        seen = set()
        for row in reply()["variables"]:
            with self.subTest(row["name"]):
                self.assertNotIn(row["name"], seen)
                seen.add(row["name"])
                self.assertTrue(row["values"] and row["effect"].endswith("."))
                self.assertLess(len(row["effect"].partition(". ")[0]), 90)  # a line of the list
                self.assertLessEqual(row["effect"].count(". "), 2)
                if row["name"].startswith("KILN_"):
                    self.assertTrue(row["default"])
                if row["page"]:
                    self.assertTrue((ROOT / "docs" / row["page"].partition("#")[0]).is_file())

    def test_the_page_names_every_row(self):
        page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
        for row in reply()["variables"]:
            self.assertIn(f"| `{row['name']}` |", page)


class Command(unittest.TestCase):
    def test_the_list_has_each_variable_and_what_is_set(self):
        result = run("environment", KILN_TUNE="1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("Devices:\n  KILN_DEVICE "))
        for row in reply()["variables"]:
            self.assertIn(f"\n  {row['name']} ", "\n" + result.stdout)
        self.assertTrue(result.stdout.endswith(f"\nSet here:\n  KILN_CACHE_DIR={CACHE}\n  KILN_TUNE=1\n"))

    def test_names_are_said_in_full(self):
        result = run("environment", "KILN_TUNE", "KILN_CACHE_DIR")
        first, second = result.stdout.split("\n\n")
        self.assertEqual(first.split("\n")[0], "KILN_TUNE: The kernel cache")
        self.assertIn("\n  Values: `0`, `1`\n  Default: `0`\n  See docs/tuning.md\n  Not set here", first)
        self.assertTrue(second.endswith(f"\n  Set here: KILN_CACHE_DIR={CACHE}\n"))
        names = [each["name"] for each in reply("KILN_TUNE")["variables"]]
        self.assertEqual(names, ["KILN_TUNE"])

    def test_an_unknown_name_is_an_error_with_the_one_that_is_near(self):
        for name, meant in (("KILN_TUNEE", "KILN_TUNE"), ("kiln_device", None), ("DEVICE", "KILN_DEVICE"), ("KILN_ZZZZZZ", None)):
            result = run("environment", name)
            hint = f': did you mean "{meant}"?' if meant else ""
            self.assertEqual((result.returncode, result.stdout, result.stderr), (1, "", f'kiln: error: unknown environment variable "{name}"{hint}\n'))

    def test_control_characters_of_a_value_do_not_reach_the_terminal(self):
        self.assertIn("KILN_LOG=a?[31mb\n", run("environment", KILN_LOG="a\x1b[31mb").stdout)

    def test_values_that_are_not_utf8_are_shown(self):
        environment = {**os.environb, b"KILN_TRACE": b"/tmp/\xff"}
        result = subprocess.run([KILN, "environment", "--json", "KILN_TRACE"], capture_output=True, env=environment)
        self.assertEqual(json.loads(result.stdout)["variables"][0]["value"], "/tmp/\ufffd")


def computes():
    return run("eval", "add", "1", "2").returncode == 0


class Misspelled(unittest.TestCase):
    LINE = "KILN_DEVCE is no variable of kiln's and has no effect: did you mean KILN_DEVICE?"

    def test_one_line_on_standard_error_by_whatever_uses_kiln(self):
        for words in (*((("eval", "add", "1", "2"),) if computes() else ()), ("devices",)):
            lines = run(*words, KILN_DEVCE="cpu").stderr.splitlines()
            self.assertEqual([re.sub(r"^kiln: warning: ", "", line) for line in lines if "KILN_DEVCE" in line], [self.LINE], words)
        self.assertEqual(run("environment", KILN_DEVCE="cpu").stderr, f"kiln: warning: {self.LINE}\n")

    @unittest.skipUnless(computes(), "no CPU compiler")
    def test_the_log_has_it_where_there_is_one(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            result = run("eval", "add", "1", "2", KILN_DEVCE="cpu", KILN_LOG=str(log))
            self.assertEqual((result.stdout, result.stderr), ("3\n", f"kiln: warning: {self.LINE}\n"))
            self.assertEqual(log.read_text().count(self.LINE), 1)

    def test_a_program_says_it_once(self):
        library = pathlib.Path(KILN).resolve().parent.parent / "lib/libkiln.so"
        if re.search(rb"__[at]san_init", library.read_bytes()):
            self.skipTest("Python cannot open a library with sanitizers")
        code = f"""import ctypes
library, request = ctypes.CDLL({str(library)!r}), b'{{"command": "devices"}}'
for _ in range(3):
    library.kiln_command(ctypes.byref(ctypes.c_void_p()), request, ctypes.c_size_t(len(request)), None, None)"""
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "KILN_DEVCE": "cpu"})
        self.assertRegex(result.stderr, rf"^kiln\[\d+\]: {re.escape(self.LINE)}\n$")

    def test_json_has_each(self):
        names = dict(KILN_CACHE_DIRS="x", KILN_CACHE_READ_ONLY_DIRS="x", KILN_device="cpu", KILN_CPU_TARGETS="native")
        found = {each["name"]: each["meant"] for each in reply(**names)["misspelled"]}
        self.assertEqual(found, {"KILN_CACHE_DIRS": "KILN_CACHE_DIR", "KILN_CACHE_READ_ONLY_DIRS": "KILN_CACHE_READONLY_DIRS", "KILN_device": "KILN_DEVICE",
                                 "KILN_CPU_TARGETS": "KILN_CPU_TARGET"})

    @unittest.skipUnless(computes(), "no CPU compiler")
    def test_names_that_are_near_to_none_are_somebody_elses(self):
        result = run("eval", "add", "1", "2", KILN_OF_MY_BAKERY="hot", KILN_="", KILN="x", KILNDEVICE="x")
        self.assertEqual((result.stdout, result.stderr), ("3\n", ""))

    def test_what_tests_scripts_and_the_build_read_is_no_warning(self):
        names = set(re.findall(r"`(KILN_[A-Z0-9_]+)`", (ROOT / "docs/testing.md").read_text(encoding="utf-8")))
        for file in [file for folder in ("tests", "scripts", ".ci", "bench", "examples") for file in (ROOT / folder).rglob("*") if file.is_file()]:
            if b"\0" not in (content := file.read_bytes()) and file.suffix != ".txt":
                names |= {name.decode() for name in re.findall(rb"""(?:getenv\(|environment\(|environ(?:\.get\(|\[)|environment\.get\()["'](KILN_\w+)["']|\$\{?(KILN_\w+)""", content)
                          for name in name if name}
        known = {each["name"] for each in reply()["variables"]}
        self.assertGreater(len(names - known), 40)
        self.assertEqual(reply(**{name: "1" for name in names - known})["misspelled"], [])


if __name__ == "__main__":
    unittest.main()
