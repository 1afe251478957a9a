#!/usr/bin/env python3
"""Builds the tour of the C interface in one language against a build of kiln, and runs it.

usage: languages_test.py LANGUAGE ROOT LIBRARY WORK     LANGUAGE: c, c_clang, cxx, libcxx, fortran, rust, python, frozen, mdspan
"""
import os
import pathlib
import shutil
import subprocess
import sys

language, root, library, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
examples, include = root / "examples", root / "include"
strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{include}"]
link = [str(library), f"-Wl,-rpath,{library.parent}"]
c_tour = str(examples / "c/tour.c")
TOOLS = {"c": "gcc", "c_clang": "clang-19", "cxx": "g++", "libcxx": "clang++-19", "fortran": "gfortran", "rust": "rustc", "python": sys.executable,
         "frozen": "gcc", "mdspan": "clang++-19"}


def commands():
    if language in ("c", "c_clang"):
        return [[TOOLS[language], "-std=c11", *strict, "-Wconversion", c_tour, *link, "-lm", "-o", "tour"], ["./tour"]]
    if language in ("cxx", "libcxx"):
        library_flags = ["-stdlib=libc++"] if language == "libcxx" else []
        # String literals of C++ are no char*, which C lets pass: the file is C++ as it is.
        return [[TOOLS[language], "-std=c++20", "-x", "c++", *library_flags, *strict, c_tour, "-x", "none", *link, "-o", "tour"], ["./tour"]]
    if language == "fortran":
        files = [str(include / "kiln/c/kiln.f90"), str(examples / "fortran/tour.f90")]
        return [["gfortran", "-Wall", "-Werror", *files, *link, "-o", "tour"], ["./tour"]]
    if language == "rust":
        os.environ["KILN_RS"] = str(include / "kiln/c/kiln.rs")
        return [["rustc", "-D", "warnings", str(examples / "rust/tour.rs"), "-L", f"native={library.parent}", "-l", "kiln", "-C",
                 f"link-arg=-Wl,-rpath,{library.parent}", "-o", "tour"], ["./tour"]]
    if language == "frozen":
        # A program of the first header, as it was: later libraries run it.
        return [["gcc", "-std=c11", *strict, f"-I{root}/tests/package/frozen", str(root / "tests/package/frozen/program.c"), *link, "-lm", "-o", "frozen"],
                ["./frozen"]]
    if language == "mdspan":
        # The standard's own is in libc++ alone; the library's C++ is libstdc++'s, so this compiles and does not link.
        return [[TOOLS[language], "-std=c++23", "-stdlib=libc++", "-fsyntax-only", *strict, str(root / "tests/package/mdspan.cpp")]]
    os.environ |= {"KILN_LIBRARY": str(library), "PYTHONPATH": str(include / "kiln/c")}
    return [[sys.executable, str(examples / "python/tour.py")]]


tool = TOOLS[language]
if shutil.which(tool) is None:
    print(f"KILN-NOT-RUN {tool} 1")
    sys.exit(0)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
for command in commands():
    print("+", " ".join(command), flush=True)
    subprocess.run(command, cwd=work, check=True)
