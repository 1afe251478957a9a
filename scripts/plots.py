#!/usr/bin/env python3
"""Draws plots of bench/'s tables: docs/pictures/plots/*.svg.

usage: plots.py            write them
       plots.py --check    compare, and say what is out of date (exit status 1)
"""
import html
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = "docs/pictures/plots"
COLOURS = ["#5e35b1", "#00897b", "#ef6c00", "#c2185b"]
INK, FAINT = "#777", "#ccc"  # both are legible on white and on dark pages


def number(text):
    return float(re.sub(r"[,%×]|\s*(ns|µs|ms|GB/s)$", "", text.strip()))


def table_of(file, header):
    """The rows of the first table of a file whose header has a cell of that text, as dicts."""
    lines = (ROOT / file).read_text(encoding="utf-8").split("\n")
    cells = lambda line: [cell.strip() for cell in line.strip().strip("|").split("|")]
    for i, line in enumerate(lines):
        if line.startswith("|") and header in cells(line) and lines[i + 1].startswith("| ---"):
            names, rows = cells(line), []
            for row in lines[i + 2:]:
                if not row.startswith("|"):
                    break
                rows.append(dict(zip(names, cells(row))))
            return rows
    raise SystemExit(f"plots.py: {file} has no table with the column {header}")


class Svg:
    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13" role="img">',
                      f"<title>{html.escape(title)}</title>"]

    def text(self, x, y, text, anchor="start", colour=INK, weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}">{html.escape(text)}</text>')

    def line(self, x1, y1, x2, y2, colour=FAINT, width=1.0, dash=""):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"{dash}/>')

    def add(self, part):
        self.parts.append(part)

    def done(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def bars(title, rows, unit, reference=None):
    """(name, value) as bars from 0; a line at the reference."""
    left, width, step = 190, 640, 24
    most = max([value for _, value in rows] + [reference or 0]) * 1.12
    x = lambda value: left + value / most * (width - left - 10)
    svg = Svg(width, 46 + step * len(rows), title)
    svg.text(0, 16, title, weight="bold")
    for i, (name, value) in enumerate(rows):
        y = 34 + i * step
        svg.text(left - 8, y + 13, name, "end")
        svg.add(f'<rect x="{left}" y="{y:.1f}" width="{x(value) - left:.1f}" height="{step - 7}" fill="{COLOURS[0]}"/>')
        svg.text(x(value) + 5, y + 13, f"{value:g}{unit}")
    if reference is not None:
        svg.line(x(reference), 28, x(reference), 34 + step * len(rows), INK, 1, ' stroke-dasharray="4 3"')
    return svg.done()


def curves(title, series, x_name, y_name, reference):
    """Name to [(x, y)], over the logarithm of x."""
    left, right, top, bottom, width, height = 50, 150, 46, 300, 640, 345
    points = [point for line in series.values() for point in line]
    low, high = math.log10(min(x for x, _ in points)), math.log10(max(x for x, _ in points))
    most = max(y for _, y in points) * 1.1
    to_x = lambda x: left + (math.log10(x) - low) / (high - low) * (width - left - right)
    to_y = lambda y: bottom - y / most * (bottom - top)
    svg = Svg(width, height, title)
    svg.text(0, 16, title, weight="bold")
    for i in range(int(low), int(high) + 1):
        svg.line(to_x(10 ** i), top, to_x(10 ** i), bottom)
        svg.text(to_x(10 ** i), bottom + 17, f"{10 ** i:,}" if i < 4 else f"10{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(c)] for c in str(i))}", "middle")
    tick = 0.25 if most < 2 else 0.5
    for i in range(int(most / tick) + 1):
        svg.line(left, to_y(i * tick), width - right, to_y(i * tick))
        svg.text(left - 6, to_y(i * tick) + 4, f"{i * tick:g}", "end")
    svg.line(left, to_y(reference), width - right, to_y(reference), INK, 1.5, ' stroke-dasharray="4 3"')
    names = sorted(series, key=lambda name: -series[name][-1][1])
    for i, name in enumerate(series):
        line = " ".join(f"{to_x(x):.1f},{to_y(y):.1f}" for x, y in series[name])
        svg.add(f'<polyline points="{line}" fill="none" stroke="{COLOURS[i]}" stroke-width="2.2"/>')
    at = top
    for name in names:  # beside the ends, without one over another
        at = max(at, to_y(series[name][-1][1]) + 4)
        svg.text(width - right + 8, at, name, colour=COLOURS[list(series).index(name)], weight="bold")
        at += 17
    svg.text((left + width - right) / 2, height - 8, x_name, "middle")
    svg.text(left, top - 6, y_name)
    return svg.done()


def python_calls():
    series = {}
    for row in table_of("bench/python.md", "kiln / NumPy"):
        if match := re.fullmatch(r"(add|exp|add\.reduce) float32 ([\d,]+)", row["call"]):
            series.setdefault(match[1], []).append((number(match[2]), number(row["kiln / NumPy"])))
    return curves("Time of kiln's call over NumPy's, float32, by elements", series, "elements", "kiln / NumPy", 1)


def gpu_kernels():
    rows = [(row["kernel"].replace("_", " "), number(row["of copy"])) for row in table_of("bench/gpu.md", "of copy") if row["kernel"] != "copy"]
    return bars("Kernels on an H200, 256 MiB: bytes per second, in percent of the device's copy", rows, " %", 100)


PLOTS = {"python-calls": python_calls, "gpu-kernels": gpu_kernels}


def main():
    stale = []
    for name, draw in PLOTS.items():
        path, text = ROOT / FOLDER / f"{name}.svg", draw()
        if sys.argv[1:] == ["--check"]:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                stale.append(f"{path.relative_to(ROOT)} is not what scripts/plots.py makes of bench/: run it")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    print("\n".join(stale) or f"{len(PLOTS)} plots")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
