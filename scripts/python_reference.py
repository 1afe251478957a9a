#!/usr/bin/env python3
"""Writes docs/python-reference.md from the docstrings of the Python package.

usage: PYTHONPATH=… python_reference.py            write it
       PYTHONPATH=… python_reference.py --check    compare, and say what is out of date (exit status 1)

Every public name has a docstring of its own, else this fails.
"""
import inspect
import pathlib
import re
import sys

import kiln
import kiln.cache
import kiln.dask
import kiln.errors
import kiln.fft
import kiln.math
import kiln.mpi
import kiln.ray
import kiln.xp

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/python-reference.md"
GROUPS = [
    ("Making functions", ["vectorize", "guvectorize", "reduction", "fuse", "kernel", "define", "debug"]),
    ("Functions", ["Function", "Ufunc", "Gufunc", "Reduction", "Kernel", "Transform"]),
    ("CuPy's notation", ["ElementwiseKernel", "ReductionKernel", "RawKernel", "RawModule"]),
    ("Arrays and memory", ["Array", "asarray", "device_array", "device_array_like", "to_device", "from_dlpack", "pinned", "pinned_array", "register", "open_npy",
                           "save_png"]),
    ("Devices and streams", ["Device", "devices", "compilers", "set_device", "synchronize", "Stream", "Event"]),
    ("Calls in parts", ["chunked", "partial", "Partial", "accumulate_part"]),
    ("Looking inside", ["inspect", "profile", "set_log", "set_print"]),
    ("The cache", ["Cache"]),
]
MODULES = [("kiln.cache", kiln.cache), ("kiln.fft", kiln.fft), ("kiln.mpi", kiln.mpi), ("kiln.dask", kiln.dask), ("kiln.ray", kiln.ray)]
LISTS = [("kiln.math", kiln.math, "NumPy's ufuncs and further functions"), ("kiln.xp", kiln.xp, "The elementwise part of the array API standard")]
# Instances of these have a docstring of their own, which hides the class's.
CLASSES = {
    "kiln.Function": "The base of all functions: a definition, and what was compiled of it. Functions are pickled by their definition.",
    "kiln.Ufunc": "A function of elements, which is called as NumPy's ufuncs are: `f(a, b, out=, where=, dtype=, casting=, signature=, order=, stream=)`.",
    "kiln.Gufunc": "A function of the core dimensions of its layout: `f(a, b, out=, axis=, axes=, keepdims=, stream=)`.",
    "kiln.Reduction": "A reduction with an accumulator of its own: `f(a, axis=None, out=, keepdims=, initial=)`.",
    "kiln.Kernel": "The code of one thread: `kernel[grid, block, stream](...)`, or `kernel.forall(n)(...)` for one thread for each of n elements.",
    "kiln.Transform": "A transform of Fourier as a function, by `kiln.fft`.",
}
missing = []


def text_of(thing, name):
    doc = CLASSES.get(name) or inspect.getdoc(thing)
    if not doc:
        missing.append(name)
        return ""
    out, code = [], False
    for line in doc.split("\n"):
        is_code = line.startswith(">>>") or (code and line.strip() != "")
        if is_code != code:
            out += ["", "```pycon"] if is_code else ["```", ""]
            code = is_code
        out.append(line if is_code else line.replace("*", "\\*") if "`" not in line else line)
    return "\n".join([*out, *(["```"] if code else [])])


def signature_of(thing):
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


def members_of(kind):
    """The public methods and attributes that a class adds to what its base has."""
    for name, value in sorted(vars(kind).items()):
        if name.startswith("_"):
            continue
        yield name, value


def entry(name, thing, depth):
    out = [f"{'#' * depth} {name}", ""]
    if callable(thing) and (signature := signature_of(thing)):
        out += ["```python", f"{name}{signature}", "```", ""]
    out += [text_of(thing, name), ""]
    if not inspect.isclass(thing):
        return out
    rows = []
    for member, value in members_of(thing):
        if isinstance(value, (bool, int, str)):  # what others ask for: a plugin's name
            continue
        full = f"{name}.{member}"
        doc = inspect.getdoc(value) or ""
        if not doc:
            missing.append(full)
        shown = f"{member}{signature_of(getattr(thing, member))}" if callable(value) or inspect.ismethoddescriptor(value) else member
        if isinstance(value, property) or inspect.isgetsetdescriptor(value) or inspect.ismemberdescriptor(value):
            shown = member
        first = " ".join(doc.split("\n\n")[0].split())
        rows.append(f"| `{shown.replace('(self, ', '(').replace('(self)', '()').replace('|', chr(92) + '|')}` | {first.replace('|', chr(92) + '|')} |")
    if rows:
        out += ["| member | meaning |", "| --- | --- |", *rows, ""]
    return out


def page():
    named = {name for _, names in GROUPS for name in names}
    errors = {name for name in kiln.__all__ if inspect.isclass(getattr(kiln, name)) and issubclass(getattr(kiln, name), BaseException)}
    modules = {name for name in kiln.__all__ if inspect.ismodule(getattr(kiln, name))}
    if lost := set(kiln.__all__) - named - errors - modules - {"load_ipython_extension"}:
        raise SystemExit(f"python_reference.py: no group has {sorted(lost)}")
    out = ["# Python reference", "", "Made by scripts/python_reference.py of the docstrings. Do not edit. [python.md](python.md) is the guide.", ""]
    for title, names in GROUPS:
        out += [f"## {title}", ""]
        for name in names:
            out += entry(f"kiln.{name}", getattr(kiln, name), 3)
    out += ["## Exceptions", "", "All are in `kiln.errors`, and in `kiln` itself.", "", "| class | also | meaning |", "| --- | --- | --- |"]
    for name in sorted(n for n in vars(kiln.errors) if inspect.isclass(getattr(kiln.errors, n)) and issubclass(getattr(kiln.errors, n), kiln.Error)):
        kind = getattr(kiln.errors, name)
        others = [f"`{'' if base.__module__ == 'builtins' else base.__module__.split('.')[0] + '.'}{base.__name__}`" for base in kind.__mro__[1:]
                  if not base.__module__.startswith("kiln") and base not in (Exception, BaseException, object)]
        out.append(f"| `{name}` | {', '.join(others[:2])} | {' '.join((inspect.getdoc(kind) or '').split(chr(10) * 2)[0].split())} |")
    out.append("")
    for name, module in MODULES:
        out += [f"## {name}", "", text_of(module, name), ""]
        public = getattr(module, "__all__", None) or [n for n, v in vars(module).items() if not n.startswith("_") and getattr(v, "__module__", "") == name]
        for each in public:
            out += entry(f"{name}.{each}", getattr(module, each), 3)
    for name, module, what in LISTS:
        functions = [n for n in (getattr(module, "__all__", None) or dir(module)) if not n.startswith("_")]
        out += [f"## {name}", "", f"{what}:", "", *(f"- `{f}`" for f in sorted(functions)), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip("\n") + "\n"


def main():
    text = page()
    if missing:
        raise SystemExit("python_reference.py: no docstring: " + ", ".join(missing))
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text() != text:
            raise SystemExit("docs/python-reference.md is not what scripts/python_reference.py makes: run it")
        print("docs/python-reference.md is current")
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
