#!/usr/bin/env python3
"""Prints which turn a run of `.ci/run full` has: a number that goes up by one with each tree that passed.

usage: .ci/turn.py             the turn of this tree: that of an earlier run on it, else the next one
       .ci/turn.py --passed    the same, and keeps it

What takes too long for every run has a fifth of itself in each, or one run of five: five numbers in a row are all of it. The record is the file
kiln-ci-turns in KILN_CI_STATE, else in ccache's folder CCACHE_DIR, else in ~/.cache: as ccache's, that folder has to stay from run to run.
Where it does not, the number of commits is the turn. It goes up, too, but by as many as land together, so a part may wait longer.
A clone without its history has the tree's hash.
"""
import os
import pathlib
import subprocess
import sys

KEPT = 100  # trees


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.strip()


def record_file():
    folder = os.environ.get("KILN_CI_STATE") or os.environ.get("CCACHE_DIR") or pathlib.Path.home() / ".cache"
    return pathlib.Path(folder) / "kiln-ci-turns"


def read(file):
    """[(turn, tree)], oldest first; lines that are none of these are left out."""
    try:
        lines = [line.split() for line in file.read_text().splitlines()]
    except (OSError, UnicodeDecodeError):
        return []
    return [(int(line[0]), line[1]) for line in lines if len(line) == 2 and line[0].isdigit()]


def without_record(tree):
    if git("rev-parse", "--is-shallow-repository") == "true":
        return int(tree[:15], 16)
    return int(git("rev-list", "--count", "HEAD"))


def turn_of(tree, record):
    for turn, known in record:
        if known == tree:
            return turn
    return record[-1][0] + 1 if record else without_record(tree)


def main():
    if sys.argv[1:] not in ([], ["--passed"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        tree = git("rev-parse", "HEAD^{tree}")
    except (OSError, subprocess.CalledProcessError):
        print("no git repository: turn 0", file=sys.stderr)
        print(0)
        return 0
    file = record_file()
    record = read(file)
    turn = turn_of(tree, record)
    if sys.argv[1:] and (turn, tree) not in record:
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}")
        new.write_text("".join(f"{number} {known}\n" for number, known in [*record, (turn, tree)][-KEPT:]))
        new.replace(file)
    print(turn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
