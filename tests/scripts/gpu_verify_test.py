#!/usr/bin/env python3
"""Holds scripts/gpu-verify.sh to its word where steps fail, hang or are refused: on a build whose programs are stand-ins of a few lines."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "gpu-verify.sh"
PROGRAMS = {
    "kiln": '''
case $1 in
  devices) echo "[]" ;;
  tune) echo '{"kernel": "k", "elements": 4096, "candidates": [{"block": 256, "elements_per_thread": 4, "ms": 0.5}, {"block": 64, "elements_per_thread": 4, "ms": 0.25}], "best": 1}' ;;
  cache) case $KILN_CACHE_DIR in */tuned-cache) echo '{"tuned": 5}' ;; *) exit 1 ;; esac ;;
  *) exit 1 ;;
esac''',
    "kiln-conformance-tests": 'echo "[doctest] test cases: 5 | 5 passed | 0 failed | 0 skipped"',
    "kiln-latency": 'echo \'{"cold_first_result": {"median_ms": 100, "min_ms": 90, "max_ms": 120}}\'',
    "kiln-gpu-timer": '''
case "$1 $2" in
  "--kernels ") echo copy; echo sum ;;
  "--transfers "*) echo '[{"device": "cuda:0", "what": "chunked", "value": 20, "unit": "GB/s", "spread": 0.1, "ratio": 0.9, "of": "the link"}]' >"$2" ;;
  "--launches "*) echo "the driver's launch gives another result"; exit 1 ;;
  "--run sum") echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"; exit 1 ;;
  "--run "*) echo "ran $2" ;;
  *) echo '[{"device": "cuda:0", "what": "copy, 256 MiB each", "value": 2000, "unit": "GB/s", "spread": 0.1, "ratio": 1, "of": "copy"}]' >"$1" ;;
esac''',
}

TUNING = {"tune.saxpy", "tune.add_float16", "tune.gaussian", "tune.add_row", "tuned_calls", "tuned_cache"}


def verify(*arguments, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("KILN_")}
    return subprocess.run([SCRIPT, *arguments], env={**clean, **environment}, text=True, capture_output=True, check=False)


class Arguments(unittest.TestCase):
    def refused(self, message, *arguments):
        run = verify(*arguments)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn(message, run.stderr)

    def test_what_is_not_understood(self):
        self.refused("unknown option --rehears; --help lists them", "--rehears")
        self.refused("--quick is for --rehearse", "--quick")
        self.refused("--build wants the folder of a build", "--build")
        self.refused("one result, not", "a.json", "b.json")

    def test_help(self):
        run = verify("--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for word in ("--rehearse", "--quick", "--build DIR", "RESULT.json", "KILN_GPU_SECONDS"):
            self.assertIn(word, run.stdout)
        self.assertNotIn("set -euo", run.stdout)

    def test_no_gpu(self):
        if shutil.which("nvidia-smi") or shutil.which("rocminfo") or os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/kfd"):
            self.skipTest("a GPU may be here")
        run = verify()
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("no GPU here: nvidia-smi and rocminfo list none", run.stderr)
        self.assertIn("--rehearse runs every step without one", run.stderr)

    def test_no_build(self):
        with tempfile.TemporaryDirectory() as folder:
            run = verify("--rehearse", "--build", folder)
            self.assertEqual((run.returncode, run.stdout, os.listdir(folder)), (1, "", []))
            self.assertIn("there is no build in " + os.path.realpath(folder), run.stderr)


class Steps(unittest.TestCase):
    def rehearse(self, seconds=60, **changed):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder) / "build"
            (build / "bin").mkdir(parents=True)
            for name, text in {**PROGRAMS, **{name.replace("_", "-"): text for name, text in changed.items()}}.items():
                if text is None:
                    continue
                program = build / "bin" / name
                program.write_text("#!/usr/bin/env bash\n" + text + "\n")
                program.chmod(0o755)
            result = pathlib.Path(folder) / "deep" / "result.json"
            run = verify("--rehearse", "--quick", "--build", build, result, KILN_GPU_SECONDS=str(seconds))
            report = json.loads(result.read_text())
            return run, report, {each["name"]: each for each in report["steps"]}, result.with_suffix(".md").read_text()

    def test_a_step_that_fails_leaves_the_others_and_the_table(self):
        run, report, steps, text = self.rehearse()
        self.assertEqual((run.returncode, report["status"], report["rehearsed"]), (1, "failed", True))
        self.assertEqual(report["problems"], ["launches failed: exit status 1", "peers failed: exit status 1"])  # there is no library
        self.assertIn("    the driver's launch gives another result", run.stdout)
        self.assertEqual({name for name, each in steps.items() if each["outcome"] == "passed"},
                         {"devices", "conformance", "timing", "transfers", "first_result", *TUNING, "memcheck", "racecheck", "synccheck", "initcheck", "ncu_metrics", "ncu.copy", "cub_build", "cub",
                          "memcheck.conformance", "racecheck.conformance"})
        self.assertEqual((steps["ncu.sum"]["outcome"], steps["ncu.sum"]["note"]), ("refused", "ERR_NVGPUCTRPERM - The user does not have permission"))
        self.assertEqual((report["tests"]["passed"], report["timing"][0]["value"]), (10, 2000))
        self.assertEqual(report["first_result"]["cold_first_result"]["median_ms"], 100)
        self.assertIn("A rehearsal", text)
        self.assertIn("| chunked | 20.00 GB/s | 10% | 0.90 of the link |", text)
        self.assertIn("| launches | failed |", text)
        self.assertIn("| add_row | 4096 | 256 × 4 | 500.00 | 64 × 4 | 250.00 | 2.00 | 2 of 2 |", text)
        self.assertIn(": 5 kernels have measured launch shapes.", text)

    def test_calls_are_tuned_in_a_cache_of_their_own_alone(self):
        asked = 'tuned=; case $KILN_CACHE_DIR in */tuned-cache) tuned=1 ;; esac; if [ "$KILN_TUNE" != "$tuned" ]; then exit 1; fi'
        _, _, steps, _ = self.rehearse(kiln_gpu_timer=asked + PROGRAMS["kiln-gpu-timer"])
        self.assertEqual({name: steps[name]["outcome"] for name in ("timing", "tuned_calls", "memcheck")}, dict.fromkeys(("timing", "tuned_calls", "memcheck"), "passed"))

    def test_a_step_that_hangs_is_cut_in_time(self):
        run, report, steps, _ = self.rehearse(seconds=13, kiln_latency="trap '' TERM; while true; do sleep 1; done")
        self.assertEqual((run.returncode, report["status"]), (1, "failed"))
        self.assertEqual(steps["first_result"]["outcome"], "cut")
        self.assertEqual((steps["racecheck"]["outcome"], steps["racecheck"]["note"]), ("cut", "no time was left"))
        self.assertEqual(report["timing"][0]["value"], 2000)
        self.assertLess(report["seconds"], 20)

    def test_a_program_that_is_missing(self):
        _, report, steps, _ = self.rehearse(kiln_latency=None)
        self.assertEqual(steps["first_result"]["outcome"], "failed")
        self.assertRegex(steps["first_result"]["note"], "/bin/kiln-latency is not there$")
        self.assertEqual(steps["timing"]["outcome"], "passed")


if __name__ == "__main__":
    unittest.main()
