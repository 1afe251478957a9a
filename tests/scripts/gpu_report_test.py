#!/usr/bin/env python3
"""Holds scripts/gpu_report.py to its word on what ncu, compute-sanitizer and the steps of scripts/gpu-verify.sh write."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
import gpu_report  # noqa: E402

# As Nsight Compute 2025 prints it for a call of two launches, the second the longer one. A program's own lines stand before and behind.
NCU = '''==PROF== Connected to process 4242 (/build/bin/kiln-gpu-timer)
==PROF== Profiling "kiln_kernel" - 0: 0%....50%....100% - 3 passes
==PROF== Profiling "kiln_kernel" - 1: 0%....50%....100% - 3 passes
ran sum on cuda:0
==PROF== Disconnected from process 4242
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1056, 1, 1)","0","9.0","Command line profiler metrics","dram__throughput.avg.pct_of_peak_sustained_elapsed","%","12.25"
"0","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1056, 1, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","ns","4,000"
"0","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1056, 1, 1)","0","9.0","Command line profiler metrics","launch__registers_per_thread","register/thread","16"
"1","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","dram__throughput.avg.pct_of_peak_sustained_elapsed","%","91.50"
"1","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","nsecond","1,234,000"
"1","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","launch__registers_per_thread","register/thread","40"
"0","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1056, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes_read.sum","byte","268,000,000"
"1","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes_read.sum","byte","2,000,000"
"1","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","smsp__inst_executed_op_local_st.sum","inst","8"
"1","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","sm__throughput.avg.pct_of_peak_sustained_elapsed","%","n/a"
"1","4242","kiln-gpu-timer","127.0.0.1","kiln_kernel","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","sm__warps_active.avg.pct_of_peak_sustained_active","%","77.00"
==WARNING== a line of the tool's own
'''
PERMISSION = '''==PROF== Connected to process 4242 (/build/bin/kiln-gpu-timer)
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. For instructions
==PROF== Disconnected from process 4242
==WARNING== No kernels were profiled.
'''
INVALID_READ = '''========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at kiln_kernel+0x90
=========     by thread (3,0,0) in block (0,0,0)
========= ERROR SUMMARY: 1 error
'''


def step(name, outcome="passed", note=""):
    return "\t".join([name, outcome, "1.0", "10", note])


class Profile(unittest.TestCase):
    def test_the_longest_launch_and_the_time_of_all(self):
        found = gpu_report.profile(NCU)
        self.assertAlmostEqual(found.pop("us"), 1238)
        self.assertEqual(found, {"dram_percent": 91.5, "registers": 40, "occupancy_percent": 77, "bytes_read": 270e6, "local_stores": 8, "launches": 2})

    def test_units_that_are_scaled(self):
        self.assertAlmostEqual(gpu_report.profile(NCU.replace('"nsecond","1,234,000"', '"msecond","1.5"'))["us"], 1504)

    def test_no_kernel_was_profiled(self):
        self.assertIsNone(gpu_report.profile(PERMISSION))
        self.assertIsNone(gpu_report.profile(""))


class Findings(unittest.TestCase):
    def test_the_last_line_counts(self):
        self.assertEqual(gpu_report.findings(INVALID_READ), 1)
        self.assertEqual(gpu_report.findings("========= COMPUTE-SANITIZER\nran sum\n========= ERROR SUMMARY: 0 errors\n"), 0)
        self.assertEqual(gpu_report.findings("========= ERROR SUMMARY: 12 errors\n========= ERROR SUMMARY: 100 errors were not printed.\n"), 100)

    def test_racecheck_counts_hazards(self):
        self.assertEqual(gpu_report.findings("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"), 0)
        self.assertEqual(gpu_report.findings("========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n"), 1)

    def test_a_run_that_was_cut_has_none(self):
        self.assertIsNone(gpu_report.findings("========= COMPUTE-SANITIZER\nran copy\n"))


class Report(unittest.TestCase):
    def make(self, steps, **parts):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, text in {"steps.tsv": "\n".join(steps) + "\n", "facts.tsv": "device\tcuda\nrehearsed\t0\nseconds\t7\n", **parts}.items():
                path = folder / name.replace("__", "/")
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            run = subprocess.run([sys.executable, SCRIPTS / "gpu_report.py", folder, "--json", folder / "r.json", "--markdown", folder / "r.md"],
                                 text=True, capture_output=True, check=False)
            self.assertEqual(run.stderr, "")
            text = (folder / "r.md").read_text()
            self.assertIn(text, run.stdout)
            return run.returncode, json.loads((folder / "r.json").read_text()), text

    def test_figures_land_in_one_table(self):
        row = {"device": "cuda:0", "what": "sum, 256 MiB each", "value": 2700, "unit": "GB/s", "spread": 0.02, "ratio": 0.9, "of": "copy", "of_peak": 0.8}
        own_copy = {"device": "cuda:0", "what": "the device's own copy, 256 MiB", "value": 3000, "unit": "GB/s", "spread": 0.02, "ratio": 0.88, "of": "the memory's peak"}
        segments = {"device": "cuda:0", "what": "reduceat", "value": 50, "unit": "us", "spread": 0.02, "ratio": 0.2, "of": "copy"}
        cub = [{"what": "sum, 256 MiB each", "value": 3000, "unit": "GB/s", "spread": 0.01}, {"what": "reduceat", "value": 75, "unit": "us", "spread": 0.01},
               {"what": "nobody else's", "value": 1, "unit": "us", "spread": 0}]
        peers = {"peers": {"cupy": "14.2.0", "torch": "not installed", "numba": "sees no GPU"}, "stand_ins": False, "rows": [
            {"operation": "saxpy", "n": 64, "unit": "us", "reasons": {"numba": "TookTooLong: more than 30 s"},
             "figures": {"kiln": {"median": 4, "spread": 0.1, "samples": 5}, "cupy": {"median": 10, "spread": 0.2, "samples": 5}}}]}
        status, report, text = self.make([step("timing"), step("ncu.sum"), step("peers"), step("memcheck"), step("cub")],
                                         **{"timing.json": json.dumps([row, own_copy, segments]), "cub.json": json.dumps(cub), "ncu.sum.log": NCU, "peers.json": json.dumps(peers),
                                            "memcheck.log": "========= ERROR SUMMARY: 0 errors\n"})
        self.assertEqual((status, report["status"], report["rehearsed"]), (0, "passed", False))
        self.assertIn("| sum | – | – | 2700.0 | 90% | 80% | 2% | 91.5 | – | 77.0 | 40 | 1238.0 |", text)
        self.assertIn("| saxpy | 64 | 4.00 us ±10% | – | 2.50 ±20% | not installed | TookTooLong: more than 30 s |", text)
        self.assertIn("torch: not installed, numba: sees no GPU.", text)
        self.assertIn("| the device's own copy, 256 MiB | 3000.00 GB/s | 2% | – | 88% |", text)
        self.assertIn("| reduceat | 50.00 us | 2% | 20% | – |", text)
        self.assertIn("| sum | 270.0 | – | – | 8 | – | – | – | – | 2 |", text)
        self.assertIn("| sum, 256 MiB each | 2700.0 GB/s | 3000.0 GB/s | 0.90 | 1% |", text)
        self.assertIn("| reduceat | 50.0 us | 75.0 us | 1.50 | 1% |", text)
        self.assertNotIn("nobody else's", text)
        self.assertIn("| memcheck | 0 |", text)
        self.assertNotIn("rehearsal", text)

    def test_launch_shapes_that_were_measured(self):
        tried = [{"block": 256, "elements_per_thread": 4, "ms": 0.3}, {"block": 64, "elements_per_thread": 16, "why_not": "no time was left"}, {"block": 128, "elements_per_thread": 8, "ms": 0.24}]
        found = {"kernel": "saxpy", "id": "3f", "device": "a GPU", "driver": "CUDA 13.0", "elements": 4096, "candidates": tried, "best": 2, "kept": True}
        parts = {"tune.saxpy.log": "kiln: a line of the log\n" + json.dumps(found, indent=2), "tune.copy.log": '{"kernel": "copy", "why_not": "it has no elements"}'}
        status, report, text = self.make([step("tune.saxpy"), step("tune.copy"), step("tuned_cache")], **parts, **{"tuned_cache.log": '{"entries": 3, "tuned": 2}'})
        self.assertEqual((status, report["tuning"]["saxpy"], report["tuned_cache"]["tuned"]), (0, found, 2))
        self.assertIn("| saxpy | 4096 | 256 × 4 | 300.00 | 128 × 8 | 240.00 | 1.25 | 2 of 3 |", text)
        self.assertIn("| copy | – | – | – | – | – | – | it has no elements |", text)
        self.assertIn("KILN_TUNE=1 and `kiln tune`: 2 kernels have measured launch shapes.", text)

    def test_a_run_that_keeps_no_launch_shape_is_a_problem(self):
        status, report, text = self.make([step("tune.saxpy"), step("tuned_cache")], **{"tune.saxpy.log": "kiln: no JSON", "tuned_cache.log": '{"entries": 3, "tuned": 0}'})
        self.assertEqual((status, report["problems"]), (1, ["KILN_TUNE=1 kept no launch shape", "tune.saxpy passed, but left nothing to read"]))
        self.assertIn("| saxpy | – | – | – | – | – | – | no result |", text)

    def test_what_failed_takes_nothing_from_the_rest(self):
        rows = '[\n{"device": "cuda:0", "what": "copy, 1 MiB each", "value": 900, "unit": "GB/s", "spread": 0.1}'  # as a step that was cut leaves it
        status, report, text = self.make([step("conformance", "failed", "exit status 1"), step("timing", "cut", "after its limit of 90 s")],
                                         **{"timing.json": rows, "conformance__test-summary.json": '{"passed": 3, "failed": 1, "skipped": 0, "not_run": {}}'})
        self.assertEqual((status, report["status"]), (1, "failed"))
        self.assertEqual(report["problems"], ["conformance failed: exit status 1", "timing cut: after its limit of 90 s"])
        self.assertIn("| copy | 900.0 | – | – | – | – | – | – | – | – | – | – |", text)
        self.assertIn("Conformance: 3 passed, 1 failed, 0 skipped.", text)

    def test_what_is_missing_or_refused_is_no_failure(self):
        status, report, text = self.make([step("memcheck", "missing", "compute-sanitizer is not installed"), step("ncu.sum", "refused", "ERR_NVGPUCTRPERM - The user")],
                                         **{"ncu.sum.log": PERMISSION})
        self.assertEqual((status, report["problems"], report["profile"], report["sanitizers"]), (0, [], {}, {}))
        self.assertIn("| ncu.sum | refused | 1.0 | 10 | ERR_NVGPUCTRPERM - The user |", text)

    def test_a_step_that_passed_and_left_nothing_is_a_problem(self):
        status, report, _ = self.make([step("timing"), step("ncu.sum"), step("racecheck")], **{"ncu.sum.log": PERMISSION, "racecheck.log": "=========\n"})
        self.assertEqual(status, 1)
        self.assertEqual(report["problems"], [f"{name} passed, but left nothing to read" for name in ("racecheck", "timing", "ncu.sum")])

    def test_a_finding_is_a_problem(self):
        status, report, _ = self.make([step("initcheck")], **{"initcheck.log": INVALID_READ})
        self.assertEqual((status, report["problems"]), (1, ["initcheck found 1"]))

    def test_no_parts_at_all(self):
        with tempfile.TemporaryDirectory() as folder:
            parts = gpu_report.Parts(folder)
            self.assertIn("kiln on a GPU", gpu_report.markdown(parts.report()))


if __name__ == "__main__":
    unittest.main()
