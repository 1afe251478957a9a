#!/usr/bin/env python3
"""Compiles files one by one, without the rest of a unity build, and each public header by itself: missing includes show. Makes no objects.

usage: compile_alone.py [--all | --lately | --list-lately] [--compiler CXX]... [FILE]...

Without FILE and --all: what the last 10 commits changed by each compiler, and a tenth by each of what the last 50 commits changed or changed an include of, others
each day or with each KILN_TEST_FIRST: in five runs each such file meets one of the two. What none of them reaches compiled before. --lately leaves these
out, and --list-lately only prints the sources among the changed ones. The compilers are g++ and clang++-19 unless --compiler names others. clang++-19 also compiles each public
header with libc++, where that is installed. The configured build is build/alone. ccache is used where it is installed. Any error fails.
"""
import argparse
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "architecture"))
import includes  # noqa: E402
BUILD = ROOT / "build" / "alone"
LIBCXX = "clang++-19 with libc++"  # public headers alone: what lib/ is made of is the standard library that its packages have


def commands():
    """The command of each source, as arguments, and the folder that it runs in."""
    subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=OFF", "-DKILN_WERROR=ON",
                    "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_CXX_COMPILER_LAUNCHER=",
                    "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--target", "kiln_embedded_headers"], check=True, stdout=subprocess.DEVNULL)
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        arguments = shlex.split(entry["command"])
        file = Path(entry["file"])
        if file.suffix != ".cpp" or BUILD in file.parents:
            continue
        end = arguments.index("-o")
        found[file] = (arguments[1:end], entry["directory"])
    return found


def headers(known):
    """The public headers, with the command of a program that uses the library."""
    arguments, folder = known[ROOT / "examples" / "saxpy.cpp"]
    return {header: (arguments + ["-x", "c++"], folder) for header in sorted((ROOT / "include").rglob("*.hpp"))}


def changed_lately(commits=10):
    names = subprocess.run(["git", "log", f"-{commits}", "--no-merges", "--name-only", "--format="], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    names += subprocess.run(["git", "diff", "HEAD", "--name-only"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return {ROOT / name for name in names.split("\n") if name}


def reached(changed):
    """Files that were changed, and those that include one of them, directly or in turn."""
    users = includes.users(includes.graph(ROOT))
    return changed | {ROOT / user for file in changed for user in users.get(file.relative_to(ROOT).as_posix(), ())}


def compile_alone(compiler, file, arguments, folder):
    if compiler == LIBCXX:
        compiler, arguments = "clang++-19", arguments + ["-stdlib=libc++", "-fexperimental-library"]  # libc++ 19 has std::stop_token only so
    if "clang" in compiler:
        # The sources are held to GCC's warnings; Clang has others.
        arguments = [a for a in arguments if a != "-Werror"] + ["-Wno-unknown-warning-option", "-w"]
    launcher = ["ccache"] if shutil.which("ccache") else []
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as main:
        source = file
        if file.suffix == ".hpp":
            main.write(f'#include "{file}"\n')
            main.flush()
            source = main.name
        command = launcher + [compiler] + arguments + ["-fsyntax-only", "-c", str(source)]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return None if result.returncode == 0 else result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true", help="all files")
    parser.add_argument("--lately", action="store_true", help="what the last 10 commits changed, and nothing else")
    parser.add_argument("--list-lately", action="store_true", help="print the sources among them, and compile nothing")
    parser.add_argument("--compiler", action="append", metavar="CXX")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    options = parser.parse_args()
    compilers = options.compiler or ["g++", "clang++-19"]

    if options.list_lately:
        for file in sorted(changed_lately()):
            if file.suffix == ".cpp" and file.is_file():
                print(file)
        return 0
    known = commands()
    known.update(headers(known))
    if options.files:
        named = [file.resolve() for file in options.files]
        for file in named:
            if file not in known:
                sys.exit(f"{file}: no target compiles it")
        wanted = [(compiler, file) for compiler in compilers for file in named]
    elif options.all:
        wanted = [(compiler, file) for compiler in compilers for file in sorted(known)]
    else:
        lately = changed_lately()
        rest = set() if options.lately else reached(changed_lately(50))
        turn = int(os.environ.get("KILN_TEST_FIRST") or time.time() // 86400)
        wanted = [(compiler, file) for number, compiler in enumerate(compilers) for file in sorted(known)
                  if file in lately or file in rest and (zlib.crc32(str(file.relative_to(ROOT)).encode()) + turn + 5 * number) % 10 == 0]

    if "clang++-19" in compilers and Path("/usr/lib/llvm-19/include/c++/v1").is_dir():
        public = ROOT / "include"
        wanted += [(LIBCXX, file) for compiler, file in wanted if compiler == "clang++-19" and public in file.parents]

    begun = time.monotonic()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(compile_alone, compiler, file, *known[file]): (compiler, file) for compiler, file in wanted}
        for job in concurrent.futures.as_completed(jobs):
            compiler, file = jobs[job]
            errors = job.result()
            if errors is not None:
                failed += 1
                print(f"{file.relative_to(ROOT)} does not compile alone by {compiler}:\n{errors}")
    print(f"{len({file for _, file in wanted})} of {len(known)} files compiled alone by {' and '.join(compilers)} in {time.monotonic() - begun:.0f} s, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
