#!/usr/bin/env python3
"""Holds the manual pages and the shells' completion to what the kiln command says of itself.

usage: pages_test.py KILN ROOT
"""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

KILN, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
del sys.argv[1:]
PATH = f"{os.path.dirname(KILN)}:{os.environ['PATH']}"
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
        """What a tab at the end of the last word offers; ":default" is bash's own completion of files, ":dirnames" of folders."""
        line = " ".join("'" + word + "'" for word in words)
        result = run("bash", "--norc", "-c", f'source {ROOT}/tools/completion/kiln.bash; compopt() {{ COMPREPLY+=(":$2"); }}; '
                     f'COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _kiln kiln "${{COMP_WORDS[COMP_CWORD]}}"; '
                     'printf "%s\\n" "${COMPREPLY[@]}"', PATH=PATH)
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
        self.assertEqual(self.complete("kiln", "cache", "list", "--sort", "=", "s"), ["size"])
        self.assertEqual(self.complete("kiln", "eval", "--casting", "sa"), ["safe", "same_kind"])
        self.assertEqual(self.complete("kiln", "eval", "--device", "c"), ["cpu", "cuda"])
        self.assertEqual(self.complete("kiln", "cache", "prune", "--max-bytes", ""), [])
        self.assertEqual(self.complete("kiln", "cache", "import", "o"), [":default"])
        self.assertEqual(self.complete("kiln", "cache", "list", "--dir", "o"), [":dirnames"])
        self.assertEqual(self.complete("kiln", "eval", "./o"), [":default"])

    def test_words_that_are_values_are_no_commands(self):
        self.assertEqual(self.complete("kiln", "cache", "list", "--kernel", "x", "--so"), ["--sort"])

    def test_ids(self):
        made = run(KILN, "eval", "float32 twice(float32 x) = 2 * x", "3")
        if made.returncode != 0:
            self.skipTest("no CPU compiler")
        ids = run(KILN, "cache", "list", "--quiet").stdout.split()
        self.assertEqual(len(ids), 1)
        self.assertEqual(self.complete("kiln", "cache", "show", ids[0][:3]), ids)


class InteractiveBash(unittest.TestCase):
    """A tab that is pressed in a terminal."""

    def words_after_tab(self, line, folder):
        rc = pathlib.Path(folder, "rc")
        rc.write_text(f"source {ROOT}/tools/completion/kiln.bash; PS1='ready$ '; bind 'set enable-bracketed-paste off'\n")
        try:
            child, terminal = pty.fork()
        except OSError:
            self.skipTest("no terminals")
        if child == 0:
            os.chdir(folder)
            os.execvpe("bash", ["bash", "--rcfile", str(rc), "-i"], {**os.environ, **EVERY_TEST, "PATH": PATH, "TERM": "dumb"})
        try:
            self.read_until(terminal, r"ready\$ ")
            os.write(terminal, f"{line}\t\x01printf '<%s>' \n".encode())  # the words of the line, where they are run
            found = self.read_until(terminal, r"\n((?:<[^<>%]*>)+)")
            return re.findall(r"<(.*?)>", found[1])
        finally:
            os.close(terminal)  # ends the shell
            os.waitpid(child, 0)

    def read_until(self, terminal, pattern):
        text = ""
        while not (found := re.search(pattern, text)):
            self.assertTrue(select.select([terminal], [], [], 60)[0], text)
            text += os.read(terminal, 4096).decode(errors="replace")
        return found

    def test_it_completes(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "one.npy").touch()
            pathlib.Path(folder, "other").mkdir()
            for line, last in (("kiln cache ver", "verify"), ("kiln cache list --so", "--sort"), ("kiln cache list --sort=na", "--sort=name"),
                               ("kiln eval hypo", "hypot"), ("kiln compile -t sm_90,gfx11", "sm_90,gfx1100"),
                               ("kiln cache import on", "one.npy"), ("kiln cache list --dir o", "other/"), ("kiln cache list --dir=o", "--dir=other/"),
                               ("kiln eval 'float32 f(float32 x) = x' on", "one.npy"), ("kiln devices on", "on")):
                self.assertEqual(self.words_after_tab(line, folder)[-1], last, line)


class OtherShells(unittest.TestCase):
    def test_zsh_and_fish_read_theirs(self):
        for shell, words, name in (("zsh", ["-n"], "_kiln"), ("fish", ["--no-execute"], "kiln.fish")):
            if shutil.which(shell) is not None:
                result = run(shell, *words, str(ROOT / "tools/completion" / name))
                self.assertEqual((result.stderr, result.returncode), ("", 0))

    def test_fish_completes(self):
        if shutil.which("fish") is None:
            self.skipTest("no fish")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "one.npy").touch()
            for line, offered in (("kiln cache list --sort=n", "--sort=name"), ("kiln cache ver", "verify\tRead every file and compare its checksum"),
                                  (f"kiln eval --file={folder}/on", f"--file={folder}/one.npy"), ("kiln cache prune --max-bytes ", "")):
                result = run("fish", "--no-config", "-c", f"source {ROOT}/tools/completion/kiln.fish; complete -C '{line}'", PATH=PATH)
                self.assertEqual((result.stdout.strip(), result.stderr), (offered, ""), line)

    def test_they_are_given_every_option_with_its_help(self):
        for path in commands():
            result = run(KILN, "__complete", "--", *path, "-")
            lines = [line.split("\t") for line in result.stdout.splitlines()]
            self.assertEqual({name for name, _ in lines}, help_options(path), path)
            self.assertTrue(all(text for _, text in lines))


if __name__ == "__main__":
    try:
        unittest.main()
    finally:
        shutil.rmtree(EVERY_TEST["KILN_CACHE_DIR"], ignore_errors=True)
