#!/usr/bin/env python3
"""Puts together what the steps of scripts/gpu-verify.sh left in a folder: one JSON file, and one table, which is also printed.

A part that is missing or cannot be read leaves its place empty; the step that should have made it says why. The exit status is 1 where a step
failed or was cut, where a sanitizer found something, and where a step that passed left nothing to read.
"""
import argparse
import csv
import io
import json
import pathlib
import re
import sys

METRICS = {
    "gpu__time_duration.sum": "us",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "dram_percent",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "sm_percent",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy_percent",
    "launch__registers_per_thread": "registers",
    "dram__bytes_read.sum": "bytes_read",
    "dram__bytes_write.sum": "bytes_written",
    "lts__t_bytes.sum": "bytes_of_l2",
    "smsp__inst_executed_op_local_st.sum": "local_stores",
    "smsp__inst_executed.sum": "instructions",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "issue_percent",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": "stalled_by_memory",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": "stalled_by_barriers",
}
OF_ALL_LAUNCHES = ("us", "bytes_read", "bytes_written", "bytes_of_l2", "local_stores", "instructions")
TO_MICROSECONDS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6}
ERRORS = re.compile(r"^========= ERROR SUMMARY: (\d+) errors?", re.M)
HAZARDS = re.compile(r"^========= RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?\)", re.M)


def profile(text):
    """{metric: value} of what `ncu --csv` printed: of the launch that took longest, but for what adds up over all `launches`. Nothing where
    no kernel was profiled."""
    begin = text.find('"ID",')
    if begin < 0:
        return None
    launches = {}
    for row in csv.DictReader(io.StringIO(text[begin:])):
        name = METRICS.get(row.get("Metric Name") or "")
        try:
            value = float((row.get("Metric Value") or "").replace(",", ""))
        except ValueError:
            continue  # n/a, or what the program printed behind the table
        if name == "us":
            value *= TO_MICROSECONDS.get(row["Metric Unit"], 1)
        if name:
            launches.setdefault(row["ID"], {})[name] = value
    if not launches:
        return None
    longest = max(launches.values(), key=lambda launch: launch.get("us", 0))
    sums = {name: sum(launch.get(name, 0) for launch in launches.values()) for name in OF_ALL_LAUNCHES if name in longest}
    return {**longest, **sums, "launches": len(launches)}


def findings(text):
    """How many errors compute-sanitizer's last line tells of, hazards for racecheck; None where there is no such line."""
    hazards = HAZARDS.findall(text)
    if hazards:
        return int(hazards[-1][0])
    errors = ERRORS.findall(text)
    return int(errors[-1]) if errors else None


def tuned(text):
    """What `kiln tune --json` printed, behind lines of a log; None where it printed nothing of the kind."""
    try:
        return json.loads(text[text.index("{"):])
    except ValueError:
        return None


class Parts:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.steps = [dict(zip(("name", "outcome", "seconds", "limit", "note"), line.split("\t"))) for line in self.text("steps.tsv").splitlines()]
        for step in self.steps:
            step.update(seconds=float(step["seconds"]), limit=int(step["limit"]))
        self.facts = dict(line.split("\t", 1) for line in self.text("facts.tsv").splitlines())
        self.problems = [f"{step['name']} {step['outcome']}: {step['note']}" for step in self.steps if step["outcome"] in ("failed", "cut")]

    def text(self, name):
        try:
            return (self.folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def value(self, step, name):
        """What is in a JSON file of a step; whatever a step that was cut left of it."""
        text = self.text(name)
        for end in ("", "\n]"):  # rows are written one by one
            try:
                return json.loads(text + end)
            except json.JSONDecodeError:
                continue
        self.nothing_of(step)
        return None

    def nothing_of(self, name):
        if any(step["name"] == name and step["outcome"] == "passed" for step in self.steps):
            self.problems.append(f"{name} passed, but left nothing to read")

    def of_logs(self, prefix, read):
        """{step without its prefix: what `read` makes of its output} of the steps that ran."""
        found = {}
        for step in self.steps:
            name = step["name"]
            if name.startswith(prefix) and step["outcome"] not in ("missing", "refused"):
                found[name[len(prefix):]] = read(self.text(name + ".log"))
                if found[name[len(prefix):]] is None:
                    self.nothing_of(name)
        return found

    def report(self):
        sanitizers = {}
        for tool in ("memcheck", "racecheck", "synccheck", "initcheck"):
            sanitizers.update({tool + rest: found for rest, found in self.of_logs(tool, findings).items()})
        self.problems += [f"{tool} found {found}" for tool, found in sanitizers.items() if found]
        cache = self.value("tuned_cache", "tuned_cache.log") if any(step["name"] == "tuned_cache" for step in self.steps) else None
        if cache and not cache["tuned"]:
            self.problems.append("KILN_TUNE=1 kept no launch shape")
        report = {
            **self.facts, "rehearsed": self.facts.get("rehearsed") == "1", "seconds": int(self.facts.get("seconds", 0)),
            "steps": self.steps,
            "devices": self.value("devices", "devices.log"),
            "tests": self.value("conformance", "conformance/test-summary.json"),
            "timing": self.value("timing", "timing.json"),
            "launches": self.value("launches", "launches.json"),
            "transfers": self.value("transfers", "transfers.json"),
            "first_result": self.value("first_result", "first_result.log"),
            "peers": self.value("peers", "peers.json"),
            "cub": self.value("cub", "cub.json"),
            "tuning": self.of_logs("tune.", tuned),
            "tuned_cache": cache,
            "sanitizers": sanitizers,
            "profile": self.of_logs("ncu.", profile),
        }
        return {"status": "failed" if self.problems else "passed", "problems": self.problems, **report}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def number(value, digits=1):
    return "–" if value is None else f"{value:.{digits}f}"


def percent(value):
    return "–" if value is None else f"{100 * value:.0f}%"


def kernel_rows(report):
    """The kernels that have a row for each size, and what ncu says of them; and the timing rows that are no such kernel's."""
    kernels, others = {}, []
    for row in report["timing"] or []:
        name, _, size = row["what"].partition(", ")
        if size.endswith(" MiB each"):
            kernels.setdefault(name, {})[size.split()[0]] = row
        else:
            others.append(row)
    rows = []
    for name in [*kernels, *(name for name in report["profile"] if name not in kernels)]:
        sizes, seen = kernels.get(name, {}), report["profile"].get(name) or {}
        rates = [number(sizes[size]["value"]) if size in sizes else "–" for size in ("1", "32", "256")]
        largest = sizes.get("256", {})
        rows.append([name, *rates, percent(largest.get("ratio")), percent(largest.get("of_peak")), percent(largest.get("spread")), number(seen.get("dram_percent")), number(seen.get("sm_percent")),
                     number(seen.get("occupancy_percent")), number(seen.get("registers"), 0), number(seen.get("us"))])
    return rows, others


def counter_rows(report):
    """What ncu counted of each kernel."""
    rows = []
    for name, seen in report["profile"].items():
        if not seen or "bytes_read" not in seen:
            continue
        millions = [number(seen[key] / 1e6) if key in seen else "–" for key in ("bytes_read", "bytes_written", "bytes_of_l2")]
        rows.append([name, *millions, number(seen.get("local_stores"), 0), number(seen["instructions"] / 1e6, 2) if "instructions" in seen else "–",
                     *(number(seen.get(key)) for key in ("issue_percent", "stalled_by_memory", "stalled_by_barriers")), str(seen["launches"])])
    return rows


def cub_rows(report):
    """CUB's figures beside kiln's rows of the same name."""
    kiln = {row["what"]: row for row in report["timing"] or []}
    rows = []
    for row in report["cub"]:
        own = kiln.get(row["what"])
        if own is None or own["unit"] != row["unit"]:
            continue
        faster = own["value"] / row["value"] if row["unit"] == "GB/s" else row["value"] / own["value"]
        rows.append([row["what"], *(f"{number(each['value'])} {row['unit']}" for each in (own, row)), f"{faster:.2f}", percent(row["spread"])])
    return rows


def shape_of(candidate):
    return f"{candidate['block']} × {candidate['elements_per_thread']}"


def tuning_rows(report):
    """The cost model's launch shape of each kernel, which is tried first, and the best; or why there is none."""
    rows = []
    for name, found in report["tuning"].items():
        if not found or "why_not" in found:
            rows.append([name, *["–"] * 6, (found or {}).get("why_not", "no result")])
            continue
        tried = found["candidates"]
        model, best = tried[0], tried[found["best"]]
        times = [each["ms"] * 1e3 for each in (model, best)]
        run = sum("ms" in each for each in tried)
        rows.append([name, str(found["elements"]), shape_of(model), number(times[0], 2), shape_of(best), number(times[1], 2), f"{times[0] / times[1]:.2f}", f"{run} of {len(tried)}"])
    return rows


def peer_rows(peers):
    """Each row's figures: kiln's, and of each peer how many times as long it takes; why it has none."""
    columns = ["kiln", "kiln by ctypes", *peers["peers"]]
    rows = []
    for row in peers["rows"]:
        kiln, cells = row["figures"]["kiln"], []
        for name in columns:
            figure = row["figures"].get(name)
            if figure is None:
                cells.append(row["reasons"].get(name, "–" if peers["peers"].get(name) != "not installed" else "not installed"))
            elif name == "kiln":
                cells.append(f"{figure['median']:.2f} {row['unit']} ±{percent(figure['spread'])}")
            else:
                cells.append(f"{figure['median'] / kiln['median']:.2f} ±{percent(figure['spread'])}")
        rows.append([row["operation"], str(row["n"]), *cells])
    return ["operation", "n", *columns], rows


def markdown(report):
    lines = ["# kiln on a GPU", ""]
    if report["rehearsed"]:
        lines += ["**A rehearsal: the device is an interpreter on the host, the peers and tools are stand-ins. No figure here is a GPU's.**", ""]
    names = [entry for entry in (report.get("driver"), report.get("processor"), report.get("date"), report.get("commit")) if entry]
    lines += [f"{report['status']} in {report.get('seconds', '?')} s: {'; '.join(names)}.", ""]
    lines += [f"- {problem}" for problem in report["problems"]] + ([""] if report["problems"] else [])
    tests = report["tests"]
    if tests:
        lines += [f"Conformance: {tests['passed']} passed, {tests['failed']} failed, {tests['skipped']} skipped.", ""]
    rows, others = kernel_rows(report)
    if rows:
        lines += ["GB/s of kernels by the size of each array: those of 1 and 32 MiB lie in the device's cache; the largest beside the device's own copy and the peak of its memory. By Nsight Compute: "
                  "throughput of memory and multiprocessors in percent of the peak, achieved occupancy, registers of a thread, duration.", ""]
        lines += table(["kernel", "1 MiB", "32 MiB", "256 MiB", "of copy", "of peak", "spread", "DRAM %", "SM %", "occupancy %", "registers", "µs"], rows)
    if others:
        lines += table(["measured", "value", "spread", "of copy", "of peak"],
                       [[row["what"], f"{row['value']:.2f} {row['unit']}", percent(row["spread"]),
                         percent(row.get("ratio")) if row.get("of") != "the memory's peak" else "–",
                         percent(row.get("of_peak", row.get("ratio") if row.get("of") == "the memory's peak" else None))] for row in others])
    counted = counter_rows(report)
    if counted:
        lines += ["Counted by Nsight Compute over all launches of a call: 10^6 bytes of the device's memory and of its cache, stores to local memory and instructions (10^6) of warps; of the longest launch: cycles "
                  "in which a scheduler issues, and warps that wait for memory and at barriers, for each instruction that is issued.", ""]
        lines += table(["kernel", "read", "written", "in the cache", "local stores", "instructions", "issue %", "waiting for memory", "at barriers", "launches"], counted)
    if report["cub"]:
        lines += ["CUB, compiled by the nvcc of this machine, on arrays of the same sizes, and kiln beside it: above 1, kiln is faster.", ""]
        lines += table(["operation", "kiln", "CUB", "CUB's time in kiln's", "spread of CUB's"], cub_rows(report))
    if report["launches"]:
        lines += table(["queueing by the host", "ns", "spread", "in cuLaunchKernel's"],
                       [[row["what"], number(row["value"], 0), percent(row["spread"]), f"{row['ratio']:.2f}" if "ratio" in row else "–"] for row in report["launches"]])
    if report["transfers"]:
        lines += table(["host and device", "value", "spread", "of"],
                       [[row["what"], f"{row['value']:.2f} {row['unit']}", percent(row["spread"]), f"{row['ratio']:.2f} of {row['of']}" if "ratio" in row else "–"]
                        for row in report["transfers"]])
    if report["first_result"]:
        lines += table(["new process", "median ms", "least", "most"],
                       [[name.replace("_", " "), number(value["median_ms"]), number(value["min_ms"]), number(value["max_ms"])]
                        for name, value in report["first_result"].items() if isinstance(value, dict)])
    if report["tuning"]:
        lines += ["`kiln tune`: launch shapes, as threads of a block × elements that a thread loads at once; the cost model's and the best of those that ran.", ""]
        lines += table(["kernel", "elements", "cost model's shape", "µs", "best shape", "µs", "times as fast", "shapes that ran"], tuning_rows(report))
    if report["tuned_cache"]:
        lines += [f"KILN_TUNE=1 and `kiln tune`: {report['tuned_cache']['tuned']} kernels have measured launch shapes.", ""]
    if report["peers"]:
        lines += ["Peers in the same process: kiln's time, and that of each peer in kiln's; above 1, kiln is faster. ± is (longest - shortest) / median.", ""]
        lines += table(*peer_rows(report["peers"]))
        lines += [", ".join(f"{name}: {state}" for name, state in report["peers"]["peers"].items()) + ".", ""]
    if report["sanitizers"]:
        lines += table(["compute-sanitizer", "errors"], [[tool, "no summary" if found is None else str(found)] for tool, found in report["sanitizers"].items()])
    lines += table(["step", "outcome", "seconds", "limit", ""], [[str(step.get(key, "")) for key in ("name", "outcome", "seconds", "limit", "note")] for step in report["steps"]])
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the steps' parts lie")
    parser.add_argument("--json", required=True)
    parser.add_argument("--markdown", required=True)
    arguments = parser.parse_args()
    report = Parts(arguments.folder).report()
    with open(arguments.json, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
        file.write("\n")
    text = markdown(report)
    with open(arguments.markdown, "w", encoding="utf-8") as file:
        file.write(text)
    print("\n" + text)
    print(f"written to {arguments.json} and {arguments.markdown}")
    return 1 if report["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
