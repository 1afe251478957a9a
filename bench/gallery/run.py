"""Compares the pictures of examples/gallery by kiln, NumPy and Numba, and times them in turn.

Writes the table bench/gallery.md and the figures of docs/gallery.md. Needs numpy and numba.

    PYTHONPATH=build/python/package python3 bench/gallery/run.py
    PYTHONPATH=build/python/package python3 bench/gallery/run.py NAME…      prints these rows, and writes nothing
    python3 bench/gallery/run.py --check                                    are the figures of the page those of the table?
"""
import os
import pathlib
import platform
import re
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE, PAGE = ROOT / "bench" / "gallery.md", ROOT / "docs" / "gallery.md"
WIDTH, HEIGHT, SMALL = 720, 480, (240, 160)
ROUNDS = {"kiln": 5, "Numba": 5, "NumPy": 2}
# The figures of a picture on the page, after the link to its script.
FIGURES = re.compile(r"\[(\w+)\.py\]\(\.\./examples/gallery/\1\.py\): (kiln [^|<]*?)(?=\s*(?:\||<|$))", re.M)


def shown(seconds):
    """A time with two digits or three."""
    if seconds is None:
        return "–"
    if seconds >= 1:
        return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.2f} s"
    return f"{seconds * 1e3:.0f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.1f} ms"


def text_of(kiln, numpy, numba):
    """What the page says of a row of the table."""
    return f"kiln {kiln}, NumPy {numpy}, " + ("Numba has none" if numba == "–" else f"Numba {numba}")


def figures_of_table(text):
    rows = re.findall(r"^\| (\w+) \| ([\d.]+ m?s) \| ([\d.]+ m?s) \| ([\d.]+ m?s|–) \|", text, re.M)
    return {name: text_of(*times) for name, *times in rows}


def machine_of_table(text):
    return re.search(r"^Machine: (.*?);", text, re.M)[1]


def faults():
    """What the page says that the table does not."""
    table, page = TABLE.read_text(encoding="utf-8"), PAGE.read_text(encoding="utf-8")
    wanted, found = figures_of_table(table), dict(FIGURES.findall(page))
    wrong = [f"docs/gallery.md says of {name}: {found.get(name)}; bench/gallery.md has: {text}"
             for name, text in wanted.items() if found.get(name) != text]
    wrong += [f"docs/gallery.md has {name}, which bench/gallery.md has not" for name in sorted(found.keys() - wanted.keys())]
    if machine_of_table(table) not in page:
        wrong.append(f"docs/gallery.md does not name the machine: {machine_of_table(table)}")
    return wrong


def seconds_of(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure(name, versions):
    """Returns {library: (seconds of the best call, seconds of the first small call less the second)} and the largest differences."""
    from scripts import CHECKS, difference
    arguments, first, results = CHECKS[name][0], {}, {}
    for library, function in versions.items():
        first[library] = seconds_of(lambda: results.update({library: function(*SMALL, **arguments)}))
        first[library] -= min(seconds_of(lambda: function(*SMALL, **arguments)) for _ in range(2))
    differences = [difference(name, results["kiln"], results[library]) for library in versions if library != "kiln"]
    best = dict.fromkeys(versions, float("inf"))
    for round_ in range(max(ROUNDS.values())):
        for library, function in versions.items():
            if round_ < ROUNDS[library]:
                best[library] = min(best[library], seconds_of(lambda: function(WIDTH, HEIGHT)))
    return {library: (best[library], first[library]) for library in versions}, max(differences)


def processor():
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name, model = (re.search(rf"^{word}\s*: (.*)", info, re.M)[1] for word in ("model name", "model"))
    return re.sub(r"\(R\)|\(TM\)| Processor", "", name) + f" (model {model}{', AVX-512' if 'avx512f' in info else ''})"


def main():
    if sys.argv[1:] == ["--check"]:
        print("\n".join(faults()) or "the figures of docs/gallery.md are those of bench/gallery.md")
        return 1 if faults() else 0
    # Compiled anew, not taken from a cache.
    os.environ["KILN_CACHE_DIR"] = tempfile.mkdtemp(prefix="kiln-gallery-")
    import kiln
    import numba
    import numba_versions
    import numpy
    import numpy_versions
    from scripts import CHECKS, NAMES, load
    rows = []
    for name in sys.argv[1:] or NAMES:
        versions = {"kiln": load(name).compute, "NumPy": getattr(numpy_versions, name), "Numba": getattr(numba_versions, name, None)}
        found, largest = measure(name, {library: function for library, function in versions.items() if function})
        (ours, compiled), (theirs, _), (other, others) = found["kiln"], found["NumPy"], found.get("Numba", (None, None))
        ratios = [f"{theirs / ours:.1f}", f"{other / ours:.2f}" if other else "–"]
        row = [name, shown(ours), shown(theirs), shown(other), *ratios, shown(compiled), shown(others), f"{largest:.0e}" if largest else "0"]
        rows.append("| " + " | ".join(row) + " |")
        print(rows[-1], flush=True)
    if sys.argv[1:]:
        return 0
    few = ", ".join(f"{name} ({' of '.join(f'{value} {key}' for key, value in reversed(each[0].items()))})" for name, each in CHECKS.items() if each[0])
    reasons = " ".join(f"{name}: {why}." for name, why in numba_versions.REASONS.items())
    versions = (f"{platform.system()}, Python {platform.python_version()}, kiln {kiln.__version__}, NumPy {numpy.__version__}, "
                f"Numba {numba.__version__} with {numba.get_num_threads()} threads ({numba.threading_layer()})")
    TABLE.write_text(f"""# The pictures of the gallery

    python3 -m venv build/gallery-venv && build/gallery-venv/bin/pip install numpy numba
    PYTHONPATH=build/python/package chrt -f 50 build/gallery-venv/bin/python bench/gallery/run.py

Machine: {processor()}, {os.cpu_count()} processors; {versions}; {time.strftime("%Y-%m-%d")}.

A call computes a whole picture of {WIDTH} × {HEIGHT} pixels, from inputs that are there. Times are the best of {ROUNDS["kiln"]} calls, of NumPy's
{ROUNDS["NumPy"]}, in turn in one process. "/ kiln" is the other's time by kiln's; above 1, kiln is faster. "Compiled" is the first call less the
second, with no kernel in a cache. "Difference" is the largest of any result at {SMALL[0]} × {SMALL[1]} pixels, but for the few that `CHECKS` of
[scripts.py](gallery/scripts.py) allows. Of these only a few steps are compared: {few}.

{reasons}

| picture | kiln | NumPy | Numba | NumPy / kiln | Numba / kiln | compiled: kiln | compiled: Numba | difference |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
""" + "\n".join(rows) + "\n", encoding="utf-8")
    if PAGE.exists():
        wanted = figures_of_table(TABLE.read_text(encoding="utf-8"))
        text = FIGURES.sub(lambda match: match[0].replace(match[2], wanted[match[1]]), PAGE.read_text(encoding="utf-8"))
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
