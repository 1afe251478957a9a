#!/usr/bin/env python3
"""Checks that a project with kiln as a subdirectory compiles and links libkiln by the commands of kiln's own build, which the other
tests are of: so it gets the same library, without a second build of a minute.
usage: same_commands.py CMAKE NINJA CONSUMER_SOURCE CONSUMER_BUILD KILN_BUILD     all absolute; CONSUMER_BUILD is replaced"""
import difflib
import re
import shutil
import subprocess
import sys

# Choices of the one who builds, which a project that contains kiln makes for all its parts.
CHOICES = re.compile(r"CMAKE_(BUILD_TYPE|PREFIX_PATH|UNITY_BUILD.*|(CXX|C)_(COMPILER|COMPILER_LAUNCHER|FLAGS.*)|(SHARED|EXE)_LINKER_FLAGS.*)"
                     r"|KILN_(CPU|WERROR)")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def choices(build):
    with open(f"{build}/CMakeCache.txt", encoding="utf-8") as cache:
        entries = re.findall(r"^(\w+):(\w+)=(.*)$", cache.read(), re.MULTILINE)
    return [f"-D{name}={value}" for name, kind, value in entries if kind not in ("INTERNAL", "STATIC") and CHOICES.fullmatch(name)]


def commands(ninja, build, folder):
    """Those that make libkiln, as they would be in kiln's own build folder."""
    text = run(ninja, "-C", build, "-t", "commands", "kiln").replace(f"{build}{folder}", "BUILD").replace(build, "BUILD")
    if folder:
        text = re.sub(rf"(?<![\w./-]){folder[1:]}/", "", text)
    # Whether .deps is there is seen when a folder is configured, and so may differ.
    return sorted(re.sub(r"-isystem \S*/\.deps/include ", "", text).splitlines())


def main():
    cmake, ninja, source, consumer, kiln = sys.argv[1:]
    shutil.rmtree(consumer, ignore_errors=True)
    run(cmake, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}", "-S", source, "-B", consumer, *choices(kiln))
    # What uses kiln sees its headers, and what kiln generates is generated.
    run(ninja, "-C", consumer, "user", "kiln/lib/kiln/source/embedded_texts.cpp")
    own, part = commands(ninja, kiln, ""), commands(ninja, consumer, "/kiln")
    if len(own) < 20 or not any("libkiln.so" in command for command in own):
        sys.exit(f"{kiln} has no commands for libkiln:\n" + "\n".join(own))
    if own != part:
        sys.exit("libkiln is built otherwise as a subdirectory:\n" + "\n".join(difflib.unified_diff(own, part, kiln, consumer, n=0, lineterm="")))
    print(f"libkiln is built by the same {len(own)} commands")


main()
