#!/usr/bin/env python3
"""Counts the cases of a test run from ctest's JUnit file, and prints the closing line.

A doctest binary counts with its cases, any other test as one. A case that could not run prints a line of its own,

    KILN-NOT-RUN <what> <cases>        what: nvrtc, hiprtc (compilers), cuda, hip (devices), turn, or any other word

and is counted as skipped, or as failed where KILN_REQUIRE_COMPILERS or KILN_REQUIRE_DEVICE asks for it. doctest counted
it as passed, which is taken back. Two are exceptions: for a device, the case did run on those that are present; a case of another
turn (KILN_TEST_TURNS) was left out, and doctest did not count it.
"""
import argparse
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

COMPILERS = {"nvrtc": "NVRTC", "hiprtc": "hipRTC", "clang": "Clang"}
DEVICES = {"cuda": "CUDA", "hip": "HIP", "cpu": "CPU"}
NOT_COUNTED = {*DEVICES, "turn"}  # as passed
DOCTEST = re.compile(r"^.{0,8}\[doctest\] test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed(?: \|\s*(\d+) skipped)?", re.M)
NOT_RUN = re.compile(r"^.*?KILN-NOT-RUN (\S+) (\d+)\s*$", re.M)


def required(variable):
    return {word.strip().split(":")[0] for word in os.environ.get(variable, "").split(",") if word.strip()}


def count(results):
    """(passed, failed, skipped, {what: cases not run}) of the test cases in a JUnit tree."""
    passed = failed = skipped = 0
    not_run = {}
    for case in results.iter("testcase"):
        status = case.get("status")  # run, fail, notrun, disabled
        output = case.findtext("system-out") or ""
        missing = elsewhere = 0
        for what, cases in NOT_RUN.findall(output):
            not_run[what] = not_run.get(what, 0) + int(cases)
            if what in NOT_COUNTED:
                elsewhere += int(cases)
            else:
                missing += int(cases)
        totals = DOCTEST.findall(output)
        if status in ("notrun", "disabled") or case.find("skipped") is not None:
            # "Not Run" is also ctest's word for a test whose program is missing: that is a failure.
            skip = case.find("skipped")
            if status != "disabled" and skip is not None and "Unable to find executable" in (skip.get("message") or output):
                failed += 1
            else:
                skipped += max(1, missing + elsewhere)
        elif totals:
            ok = sum(int(row[1]) for row in totals)
            bad = sum(int(row[2]) for row in totals)
            missing = min(missing, ok)
            passed += ok - missing
            skipped += missing + elsewhere
            # A binary that crashed, or failed after its summary, is a failure that doctest did not count.
            failed += max(bad, 1) if status == "fail" else bad
        elif status == "fail":
            failed += 1
        elif missing + elsewhere:
            skipped += missing + elsewhere
        else:
            passed += 1
    return passed, failed, skipped, not_run


def describe(what, cases):
    noun = "case" if cases == 1 else "cases"
    if what in COMPILERS:
        return f"{COMPILERS[what]} not installed: {cases} {noun} not run"
    if what in DEVICES:
        return f"no {DEVICES[what]} device: {cases} {noun} not run"
    if what == "turn":
        return f"of other turns (KILN_TEST_TURNS): {cases} {noun} not run"
    if what == "gigabytes":
        return f"arrays of gigabytes (KILN_TEST_BIG=1): {cases} {noun} not run"
    return f"{what} not there: {cases} {noun} not run"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="what ctest --output-junit wrote")
    parser.add_argument("--ctest-status", type=int, default=0, help="ctest's exit status")
    parser.add_argument("--json", help="write the counts to this file")
    arguments = parser.parse_args()
    try:
        passed, failed, skipped, not_run = count(ElementTree.parse(arguments.results))
    except (OSError, ElementTree.ParseError) as error:
        print(f"no test results: {error}")
        print("0 passed, 1 failed")
        return 1
    if arguments.ctest_status != 0 and failed == 0:
        failed = 1  # ctest itself failed
    if passed + failed + skipped == 0:
        print("ctest found no tests")
        failed = 1
    wanted = required("KILN_REQUIRE_COMPILERS") | required("KILN_REQUIRE_DEVICE")
    for what in sorted(wanted & set(not_run)):
        moved = min(not_run[what], skipped) or 1
        print(f"{describe(what, not_run[what])}, though it is required")
        skipped -= min(moved, skipped)
        failed += moved
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"passed": passed, "failed": failed, "skipped": skipped, "not_run": not_run}, file)
            file.write("\n")
    for what in sorted(set(not_run) - set(COMPILERS) - wanted):
        print(describe(what, not_run[what]))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    missing = [describe(what, not_run[what]) for what in sorted(set(not_run) & set(COMPILERS) - wanted, reverse=True)]
    if missing:
        print("; ".join(missing))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
