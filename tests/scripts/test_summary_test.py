#!/usr/bin/env python3
"""Holds scripts/test_summary.py to its word on the JUnit files that ctest writes."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "test_summary.py"


def case(name, output="", status="run", inside=""):
    return f'<testcase name="{name}" status="{status}">{inside}\n\t\t<system-out>{output}</system-out></testcase>'


def summarize(*cases, ctest_status=0, **environment):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write("<testsuite>" + "".join(cases) + "</testsuite>")
        file.flush()
        clean = {k: v for k, v in os.environ.items() if not k.startswith("KILN_REQUIRE")}
        run = subprocess.run([sys.executable, SCRIPT, file.name, "--ctest-status", str(ctest_status)],
                             env={**clean, **environment}, text=True, capture_output=True, check=False)
    return run.returncode, run.stdout.splitlines()


DOCTEST = "[doctest] test cases: {:2} | {:2} passed | {:2} failed | 0 skipped\n"


class TestSummary(unittest.TestCase):
    def test_counts_doctest_cases_and_plain_tests(self):
        self.assertEqual(summarize(case("unit", DOCTEST.format(12, 12, 0)), case("cli", "fine")), (0, ["13 passed, 0 failed"]))

    def test_a_missing_compiler_is_the_last_line(self):
        output = "KILN-NOT-RUN nvrtc 3\nKILN-NOT-RUN nvrtc 1\nKILN-NOT-RUN cuda 2\n" + DOCTEST.format(12, 12, 0)
        self.assertEqual(summarize(case("unit", output)),
                         (0, ["no CUDA device: 2 cases not run", "8 passed, 0 failed, 6 skipped",
                              "NVRTC not installed: 4 cases not run"]))

    def test_a_colour_code_before_the_mark_does_not_hide_it(self):
        output = "[NON-XML-CHAR-0x1B][0mKILN-NOT-RUN hiprtc 1\n" + DOCTEST.format(2, 2, 0)
        self.assertEqual(summarize(case("unit", output))[1],
                         ["1 passed, 0 failed, 1 skipped", "hipRTC not installed: 1 case not run"])

    def test_a_required_compiler_or_device_is_a_failure(self):
        output = "KILN-NOT-RUN nvrtc 3\n" + DOCTEST.format(12, 12, 0)
        self.assertEqual(summarize(case("unit", output), KILN_REQUIRE_COMPILERS="nvrtc,hiprtc"),
                         (1, ["NVRTC not installed: 3 cases not run, though it is required", "9 passed, 3 failed"]))
        output = "KILN-NOT-RUN cuda 2\n" + DOCTEST.format(12, 12, 0)
        self.assertEqual(summarize(case("unit", output), KILN_REQUIRE_DEVICE="cuda:0"),
                         (1, ["no CUDA device: 2 cases not run, though it is required", "12 passed, 2 failed"]))

    def test_cases_of_other_turns_are_skipped_and_no_passed_ones(self):
        output = "KILN-NOT-RUN turn 40\n[doctest] test cases: 10 | 10 passed | 0 failed | 40 skipped\n"
        self.assertEqual(summarize(case("unit", output)),
                         (0, ["of other turns (KILN_TEST_TURNS): 40 cases not run", "10 passed, 0 failed, 40 skipped"]))

    def test_failures_and_crashes(self):
        failure = '<failure message=""/>'
        self.assertEqual(summarize(case("a", DOCTEST.format(4, 1, 3), "fail", failure), ctest_status=8),
                         (1, ["1 passed, 3 failed"]))
        self.assertEqual(summarize(case("b", DOCTEST.format(4, 4, 0), "fail", failure), ctest_status=8),
                         (1, ["4 passed, 1 failed"]))
        self.assertEqual(summarize(case("c", "", "fail", failure), ctest_status=8), (1, ["0 passed, 1 failed"]))

    def test_skipped_is_not_missing(self):
        skipped = case("a", "", "notrun", '<skipped message="SKIP_RETURN_CODE=77"/>')
        missing = case("b", "", "notrun", '<skipped message="Unable to find executable"/>')
        self.assertEqual(summarize(skipped), (0, ["0 passed, 0 failed, 1 skipped"]))
        self.assertEqual(summarize(missing, ctest_status=8), (1, ["0 passed, 1 failed"]))

    def test_nothing_run_is_a_failure(self):
        self.assertEqual(summarize(), (1, ["ctest found no tests", "0 passed, 1 failed"]))
        self.assertEqual(summarize(case("a"), ctest_status=1), (1, ["1 passed, 1 failed"]))


if __name__ == "__main__":
    unittest.main()
