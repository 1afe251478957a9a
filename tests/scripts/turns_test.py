#!/usr/bin/env python3
"""Holds the turns of long tests to their promise: five runs in a row do all of it, and nothing is left out unseen.

usage: turns_test.py BUILD_DIR [CTEST]    (.ci/turn.py, the plans of .ci/run, and the tests of the build that have KILN_TEST_TURNS)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, CTEST = None, "ctest"
MOST = 5


def clean_environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith(("KILN_", "GIT_")) and k != "CCACHE_DIR"}, **more}


class Turns(unittest.TestCase):
    """.ci/turn.py in a repository with a record."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.repository = pathlib.Path(self.scratch.name) / "repository"
        self.state = pathlib.Path(self.scratch.name) / "state"
        self.git("init", "-q", str(self.repository), folder=self.scratch.name)
        self.commits = 0
        self.commit()

    def git(self, *arguments, folder=None):
        name = ["-c", "user.name=kiln", "-c", "user.email=kiln@example.org"]
        subprocess.run(["git", *name, *arguments], cwd=folder or self.repository, env=clean_environment(), check=True, capture_output=True)

    def commit(self, times=1):
        for _ in range(times):
            self.commits += 1
            (self.repository / "file").write_text(str(self.commits))
            self.git("add", "file")
            self.git("commit", "-qm", "c")

    def turn(self, *arguments, folder=None):
        return int(subprocess.run([ROOT / ".ci" / "turn.py", *arguments], cwd=folder or self.repository, env=clean_environment(KILN_CI_STATE=str(self.state)),
                                  check=True, capture_output=True, text=True).stdout)

    def test_landings_of_any_number_of_commits_have_turns_in_a_row(self):
        first = self.turn("--passed")
        for landing, commits in enumerate((5, 10, 2, 4, 1, 20), start=1):
            self.commit(commits)
            self.assertEqual(self.turn(), first + landing)
            self.assertEqual(self.turn("--passed"), first + landing)

    def test_a_tree_keeps_its_turn_and_a_run_that_fails_takes_none(self):
        first = self.turn("--passed")
        self.commit()
        self.assertEqual((self.turn(), self.turn("--passed")), (first + 1, first + 1))
        self.git("checkout", "-q", "HEAD~")
        self.assertEqual(self.turn("--passed"), first)

    def test_without_a_record_it_is_the_number_of_commits(self):
        self.commit(6)
        self.assertEqual(self.turn(), 7)

    def test_a_damaged_record_is_none(self):
        self.state.mkdir()
        (self.state / "kiln-ci-turns").write_bytes(b"\xff\xfe\n")
        self.assertEqual(self.turn(), 1)

    def test_a_clone_without_history_goes_by_its_tree(self):
        self.commit(3)
        shallow = pathlib.Path(self.scratch.name) / "shallow"
        self.git("clone", "-q", "--depth", "1", f"file://{self.repository}", str(shallow), folder=self.scratch.name)
        self.assertGreater(self.turn(folder=shallow), 4)


class Plans(unittest.TestCase):
    """The steps of .ci/run."""

    def plan(self, *words, status=0, **more):
        ran = subprocess.run([ROOT / ".ci" / "run", "--plan", *words], env=clean_environment(**more), capture_output=True, text=True)
        self.assertEqual(ran.returncode, status, ran.stderr)
        return ran.stdout.splitlines()

    def test_five_runs_have_the_steps_of_a_night(self):
        runs = [self.plan("full", str(turn)) for turn in range(1286, 1286 + MOST)]
        self.assertTrue(all("main_tests" in run and len(run) < 15 for run in runs))
        words = {word for run in runs for word in re.findall(r"[a-z_0-9]+", "\n".join(run).replace("_and_", " "))}
        for step in ("aarch64", "sanitizers", "fuzzing", "without_llvm", "other_compilers", "peer_suites", "real_kernels", "benchmarks"):
            self.assertTrue(step in words and any(line.startswith(step) for line in self.plan("nightly", "0")), step)

    def test_what_would_end_too_late_is_left_out_and_named(self):
        self.assertEqual(self.plan("full", "0", "3600", KILN_CI_TURN="sanitizers others")[-3:],
                         ["not run: sanitizers_and_fuzzing", "peer_suites --sample 30", "real_kernels --sample 60 --target native --target sm_90-clang"])
        self.plan("full", "0", KILN_CI_TURN="aarch", status=2)


class TestsByTurns(unittest.TestCase):
    """The tests of a build that have KILN_TEST_TURNS."""

    def setUp(self):
        listed = json.loads(subprocess.run([CTEST, "--test-dir", BUILD, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout)
        self.tests = []
        for test in listed["tests"]:
            for known in test.get("properties", []):
                if known["name"] != "ENVIRONMENT":
                    continue
                environment = dict(word.split("=", 1) for word in known["value"])
                if "KILN_TEST_TURNS" in environment:
                    self.tests.append((test["name"], test["command"], environment))

    def test_five_runs_are_all_of_it(self):
        self.assertTrue(self.tests)
        for name, _, environment in self.tests:
            with self.subTest(name):
                self.assertLessEqual(int(environment["KILN_TEST_TURNS"]), MOST)

    def test_the_cases_of_a_turn_are_those_that_run(self):
        def run(**environment):
            output = subprocess.run([BUILD / "bin" / "kiln-test-layout"], env=clean_environment(**environment), check=True, capture_output=True, text=True).stdout
            return [int(number) for number in re.search(r"test cases: *(\d+) \| *(\d+) passed \| *0 failed \| *(\d+) skipped", output).groups()]

        every, _, _ = run()
        runs = [run(KILN_TEST_TURNS="5", KILN_TEST_FIRST=str(first)) for first in range(5)]
        self.assertEqual(sum(passed for _, passed, _ in runs), every)
        self.assertEqual({passed + skipped for _, passed, skipped in runs}, {every})
        self.assertTrue(all(passed < every for _, passed, _ in runs))

    def listed(self, command, **environment):
        output = subprocess.run([*command, "--list-test-cases", "--no-colors=true"], env=clean_environment(**environment), check=True, capture_output=True, text=True).stdout
        cases = re.search(r"listing all test case names\n=+\n(.*?)\n=+\n", output, re.S)[1].splitlines()
        left_out = re.search(r"^KILN-NOT-RUN turn (\d+)$", output, re.M)
        return cases, int(left_out[1]) if left_out else 0

    def test_each_case_has_its_turn(self):
        for name, command, environment in self.tests:
            # After what runs the program, where something does.
            program = next(i for i, word in enumerate(command) if re.fullmatch(r"kiln-(test-[a-z-]+|[a-z-]+-tests)", pathlib.Path(word).name))
            command, turns = command[program:], int(environment["KILN_TEST_TURNS"])
            with self.subTest(name):
                every, _ = self.listed(command)
                seen = []
                for first in range(turns):
                    cases, left_out = self.listed(command, KILN_TEST_TURNS=str(turns), KILN_TEST_FIRST=str(first))
                    self.assertEqual(len(cases) + left_out, len(every))
                    self.assertTrue(len(cases) < len(every) or len(every) < turns)
                    seen += cases
                self.assertEqual(sorted(seen), sorted(every))
                self.assertEqual(self.listed(command, KILN_TEST_TURNS=str(turns), KILN_TEST_BIG="1"), (every, 0))


if __name__ == "__main__":
    BUILD, CTEST = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else CTEST
    unittest.main(argv=sys.argv[:1])
