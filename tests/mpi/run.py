#!/usr/bin/env python3
"""Runs the program ranks over a real MPI.

usage: run.py MPIEXEC FLAG_OF_NUMBER PROGRAM
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MPIEXEC, NUMBER, PROGRAM = sys.argv[1:4]
LIMIT_S = 240
failures = []


def flags():
    """Open MPI refuses root, and more ranks than processors, unless it is told."""
    version = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True).stdout
    return ["--allow-run-as-root", "--oversubscribe"] if re.search(r"Open MPI|OpenRTE", version) else []


def launch(ranks, mode, folder, **variables):
    """(exit status, output, seconds); the status is None where it hangs."""
    start = time.monotonic()
    environment = {**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "HOME": os.environ.get("HOME", folder), **variables}
    run = subprocess.Popen([MPIEXEC, *flags(), NUMBER, str(ranks), PROGRAM, mode, folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, errors="replace", env=environment, start_new_session=True)
    try:
        output, _ = run.communicate(timeout=LIMIT_S)
        return run.returncode, output, time.monotonic() - start
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return None, run.communicate()[0], time.monotonic() - start


def check(name, ranks, condition, result):
    status, output, seconds = result
    print(f"{'ok' if condition else 'FAILED'}  {name}, {ranks} ranks, {seconds:.1f} s")
    if not condition:
        failures.append(name)
        print(f"status {status}\n{output}")


for mode, numbers in {"messages": (2, 4, 8), "warm": (1, 2, 4, 8), "sum": (1, 3, 8), "mismatch": (2, 8), "absent": (2, 4), "throws": (4,)}.items():
    for ranks in numbers:
        folder = tempfile.mkdtemp(prefix="kiln-ranks-")
        result = launch(ranks, mode, folder)
        check(mode, ranks, result[0] == 0, result)
        shutil.rmtree(folder)
for step in range(5):
    folder = tempfile.mkdtemp(prefix="kiln-ranks-")
    result = launch(4, "killed", folder, KILN_TEST_STEP=str(step))
    check(f"killed at step {step}", 4, result[0] not in (None, 0), result)
    shutil.rmtree(folder)
sys.exit(1 if failures else 0)
