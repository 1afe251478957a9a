#!/usr/bin/env python3
"""Prints the ratios of a kiln-bench run: reads Google Benchmark's JSON, gives Markdown tables. Above 1, kiln is faster.

usage: kiln-bench --benchmark_format=json … | python3 bench/ratios.py
"""
import json
import re
import statistics
import sys

runs = {}
# Time on the processor: what calls of one thread take, whatever else the machine does.
cpu_runs = {}
for run in json.load(sys.stdin)["benchmarks"]:
    if run.get("run_type") == "aggregate":
        continue
    name = run["name"].removesuffix("/real_time")
    unit = {"ns": 1, "us": 1e3, "ms": 1e6}[run["time_unit"]]
    runs.setdefault(name, []).append(run["real_time"] * unit)
    cpu_runs.setdefault(name, []).append(run["cpu_time"] * unit)
median = {name: statistics.median(times) for name, times in runs.items()}
spread = {name: (max(times) - min(times)) / statistics.median(times) for name, times in runs.items()}

print("| operation | n | kiln 1t ns | kiln 2t ns | / plain 1t | / better plain | / non-temporal 1t | / non-temporal 2t | spread |")
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
cells = sorted({tuple(name.split("/")[:2]) for name in median if re.search(r"/[12]t/", name)}, key=lambda c: (c[0], int(c[1])))
for operation, n in cells:
    at = lambda threads, what: median.get(f"{operation}/{n}/{threads}t/{what}")
    ratio = lambda a, b: f"{a / b:.2f}" if a and b else "–"
    k1, k2, p1, p2 = at(1, "kiln"), at(2, "kiln"), at(1, "plain"), at(2, "plain")
    widest = max(spread.get(f"{operation}/{n}/{t}t/{w}", 0) for t in (1, 2) for w in ("kiln", "plain"))
    print(f"| {operation} | {float(n):.0e} | {k1 / int(n):.3f} | {k2 / int(n):.3f} | {ratio(p1, k1)} | {ratio(min(p1, p2), k2)} | "
          f"{ratio(at(1, 'plain_nt'), k1)} | {ratio(at(2, 'plain_nt'), k2)} | {widest:.0%} |")

median = {name: statistics.median(times) for name, times in cpu_runs.items()}
spread = {name: (max(times) - min(times)) / statistics.median(times) for name, times in cpu_runs.items()}
print("\n| layout (1 thread) | kiln µs | / hand-written | spread |\n| --- | --- | --- | --- |")
for name in sorted(median):
    if match := re.fullmatch(r"(strided|column|row|transposed)/kiln/(.*)", name):
        plain = f"{match[1]}/plain/{match[2]}"
        print(f"| {match[1]} {match[2]} | {median[name] / 1e3:.1f} | {median[plain] / median[name]:.2f} | "
              f"{max(spread[name], spread[plain]):.0%} |")

print("\n| call | ns | spread |\n| --- | --- | --- |")
for name in sorted(median):
    if name.startswith("call_"):
        print(f"| {name} | {median[name]:.0f} | {spread[name]:.0%} |")

print("\n| formula | n | threads | fused ns | / string | / plain loop | / calls, .out | / calls, fresh | spread |")
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for match in filter(None, (re.fullmatch(r"fuse/(\w+)/(\d+)/(\d+)/fused", name) for name in sorted(runs))):
    name, formula, n, threads = match[0], *match.groups()
    of = cpu_runs if threads == "1" else runs
    fused = statistics.median(of[name])
    others = [of.get(name.replace("/fused", "/" + what)) for what in ("string", "plain", "calls", "fresh")]
    ratios = " | ".join(f"{statistics.median(times) / fused:.2f}" if times else "–" for times in others)
    widest = max((max(times) - min(times)) / statistics.median(times) for times in [of[name], *filter(None, others)])
    print(f"| {formula} | {float(n):.0e} | {threads} | {fused / int(n):.3f} | {ratios} | {widest:.0%} |")
