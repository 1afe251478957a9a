#!/usr/bin/env python3
"""Holds the manual pages and shell completions to what the kiln command says of itself.

usage: pages_test.py KILN ROOT
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

KILN, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
del sys.argv[1:]
EVERY_TEST = {"KILN_CACHE_DIR": tempfile.mkdtemp(prefix="kiln-pages-"), "MANWIDTH": "120", "LC_ALL": "C.UTF-8"}


def run(*words, **environment):
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, **EVERY_TEST, **environment})


def commands(path=()):
    """Every command that --help leads to, as a list of its words."""
    text = run(KILN, *path, "--help").stdout
    yield path
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    for name in re.findall(r"^  ([a-z]+) ", listed[1], re.M) if listed else []:
        yield from commands((*path, name))


def help_options(path):
    """The option names in the Options list of a command's --help."""
    text = run(KILN, *path, "--help").stdout
    listed = re.search(r"^Options:\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)
    heads = re.findall(r"^  (-\S+)", listed[1], re.M) if listed else []
    return {name for head in heads for name in head.split(",")}


class Pages(unittest.TestCase):
    def test_they_are_what_the_script_makes_of_this_command(self):
        result = run(sys.executable, str(ROOT / "scripts/cli_pages.py"), "--check", KILN, str(ROOT))
        self.assertEqual((result.stdout, result.stderr, result.returncode), ("", "", 0))

    def test_the_check_sees_a_change(self):
        with tempfile.TemporaryDirectory() as folder:
            script = str(ROOT / "scripts/cli_pages.py")
            self.assertEqual(run(sys.executable, script, KILN, folder).returncode, 0)
            page = pathlib.Path(folder, "docs/man/kiln-cache.1")
            page.write_text(page.read_text().replace("sort", "srt", 1))
            result = run(sys.executable, script, "--check", KILN, folder)
            self.assertEqual(result.stdout, f"docs/man/kiln-cache.1 is out of date: run scripts/cli_pages.py {KILN}\n")
            self.assertEqual(result.returncode, 1)

    def test_there_is_a_page_for_each_command(self):
        expected = {"kiln.1"} | {f"kiln-{path[0]}.1" for path in commands() if path}
        self.assertEqual({page.name for page in (ROOT / "docs/man").iterdir()}, expected)
        self.assertLessEqual({"kiln-eval.1", "kiln-devices.1", "kiln-cache.1"}, expected)

    def test_every_option_of_the_help_is_in_the_page_and_the_other_way_round(self):
        for name in {path[0] for path in commands() if path}:
            page = (ROOT / f"docs/man/kiln-{name}.1").read_text()
            # Options are the items of lists: ".TP" and a line of bold names.
            items = re.findall(r"^\.TP\n(.*)$", page, re.M)
            in_page = {option.replace("\\", "") for item in items for option in re.findall(r"\\fB(\\-.*?)\\fR", item)}
            in_help = set().union(*(help_options(path) for path in commands() if path[:1] == (name,)))
            self.assertGreater(len(in_help), 1)
            self.assertEqual(in_page, in_help, name)

    def test_groff_finds_nothing_wrong(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        for page in sorted((ROOT / "docs/man").iterdir()):
            result = run("groff", "-man", "-ww", "-z", "-Tutf8", str(page))
            self.assertEqual((result.stderr, result.returncode), ("", 0), page.name)
            lines = run("groff", "-man", "-Tutf8", "-P-cbou", str(page)).stdout
            for heading in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"):
                self.assertIn(f"\n{heading}\n", lines, page.name)

    def test_mandoc_finds_nothing_wrong(self):
        if shutil.which("mandoc") is None:
            self.skipTest("no mandoc")
        for page in sorted((ROOT / "docs/man").iterdir()):
            result = run("mandoc", "-T", "lint", "-W", "error", str(page))
            self.assertEqual(result.stdout, "")


class BashCompletion(unittest.TestCase):
    def complete(self, *words):
        """What a tab at the end of the last word offers."""
        line = " ".join("'" + word + "'" for word in words)
        result = run("bash", "--norc", "-c", f'source {ROOT}/tools/completion/kiln.bash; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; '
                     '_kiln; printf "%s\\n" "${COMPREPLY[@]}"', PATH=f"{os.path.dirname(KILN)}:{os.environ['PATH']}")
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_commands(self):
        every = sorted({path[0] for path in commands() if path})
        self.assertEqual(sorted(self.complete("kiln", "")), every)
        self.assertEqual(self.complete("kiln", "dev"), ["devices"])
        self.assertEqual(sorted(self.complete("kiln", "cache", "")), sorted({path[1] for path in commands() if path[:1] == ("cache",) and len(path) > 1}))
        self.assertEqual(self.complete("kiln", "cache", "p"), ["path", "prune"])
        self.assertEqual(self.complete("kiln", "nonsense", "x"), [])

    def test_every_option_of_every_command(self):
        for path in commands():
            self.assertEqual(set(self.complete("kiln", *path, "-")), help_options(path), path)
        self.assertEqual(self.complete("kiln", "cache", "list", "--so"), ["--sort"])
        self.assertEqual(self.complete("kiln", "cache", "list", "--json", "--so"), ["--sort"])

    def test_values(self):
        self.assertEqual(self.complete("kiln", "cache", "list", "--sort", ""), ["name", "size", "age", "hits"])
        self.assertEqual(self.complete("kiln", "eval", "--casting", "sa"), ["safe", "same_kind"])
        self.assertEqual(self.complete("kiln", "eval", "--device", "c"), ["cpu", "cuda"])
        self.assertEqual(self.complete("kiln", "cache", "prune", "--max-bytes", ""), [])
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "one.npy").touch()
            pathlib.Path(folder, "other").mkdir()
            self.assertEqual(sorted(self.complete("kiln", "cache", "import", folder + "/o")), [folder + "/one.npy", folder + "/other"])
            self.assertEqual(self.complete("kiln", "cache", "list", "--dir", folder + "/o"), [folder + "/other"])
            self.assertEqual(sorted(self.complete("kiln", "eval", folder + "/o")), [folder + "/one.npy", folder + "/other"])

    def test_words_that_are_values_are_no_commands(self):
        self.assertEqual(self.complete("kiln", "cache", "list", "--kernel", "x", "--so"), ["--sort"])

    def test_ids(self):
        made = run(KILN, "eval", "float32 twice(float32 x) = 2 * x", "3")
        if made.returncode != 0:
            self.skipTest("no CPU compiler")
        ids = run(KILN, "cache", "list", "--quiet").stdout.split()
        self.assertEqual(len(ids), 1)
        self.assertEqual(self.complete("kiln", "cache", "show", ids[0][:3]), ids)


class OtherShells(unittest.TestCase):
    def test_zsh_and_fish_read_theirs(self):
        for shell, words, name in (("zsh", ["-n"], "_kiln"), ("fish", ["--no-execute"], "kiln.fish")):
            if shutil.which(shell) is not None:
                result = run(shell, *words, str(ROOT / "tools/completion" / name))
                self.assertEqual((result.stderr, result.returncode), ("", 0))

    def test_they_name_every_option(self):
        zsh = (ROOT / "tools/completion/_kiln").read_text()
        fish = (ROOT / "tools/completion/kiln.fish").read_text()
        for path in commands():
            function = re.search(rf"^_{'_'.join(('kiln', *path))}\(\) {{\n(.*?)^}}", zsh, re.M | re.S)[1]
            in_zsh = {name for spec in re.findall(r"^    (?:'|{)(-[^\[]*?)(?:}'|)\[", function, re.M) for name in spec.split(",")}
            at = f"complete -c kiln -n '{' '.join(('__kiln_at', *path))}' "
            lines = [line[len(at):] for line in fish.splitlines() if line.startswith(at)]
            in_fish = {"--" + name for line in lines for name in re.findall(r"-l (\S+)", line)} | {
                "-" + name for line in lines for name in re.findall(r"(?:^| )-s (\S)", line)}
            self.assertEqual(in_zsh, help_options(path), path)
            self.assertEqual(in_fish, help_options(path), path)


if __name__ == "__main__":
    try:
        unittest.main()
    finally:
        shutil.rmtree(EVERY_TEST["KILN_CACHE_DIR"], ignore_errors=True)
