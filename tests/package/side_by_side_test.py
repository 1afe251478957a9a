#!/usr/bin/env python3
"""An installed kiln whose packages do not fit each other, as its users meet it: a compiler of another version, none, no home, caches of other versions.

usage: side_by_side_test.py PREFIX LIBDIR CC XXHASH_FOLDER [PACKAGE]       (PACKAGE: what errors name to install)
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PREFIX, LIBDIR, CC, XXHASH = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
PACKAGE = sys.argv[5] if len(sys.argv) > 5 else ""
del sys.argv[1:]

TWICE = ("eval", "float64 twice(float64 a) = a + a", "21")
MODULE, PROGRAM = "libkiln-clang.so", "kiln-clang"

# A libkiln-clang.so of another version, as far as libkiln asks it.
OTHER_MODULE = """
#include <stdint.h>
static const struct { uint32_t interface_version; const char* version; void (*functions[6])(void); } functions = {INTERFACE, "19.1.6", {0}};
const void* kiln_clang(uint32_t version) { return version == INTERFACE ? &functions : 0; }
#ifdef RELEASE
const char* kiln_clang_release(void) { return RELEASE; }
#endif
"""
# The process of an older libkiln-clang.so, which greets as those did. Whoever asks it leaves a file.
OTHER_PROGRAM = """#!{python}
import os, socket, struct
if os.fork():
    os._exit(0)
here = socket.socket(fileno=3)
greeting = struct.pack("<Q6s2xQQ", 6, b"19.1.7", 0, os.getpid())
here.sendall(struct.pack("<Q", len(greeting)) + greeting)
if here.recv(1):
    open({asked!r}, "w").close()
"""
# Gives an entry of a cache another format version, and the checksum that belongs to it.
RESEAL = """
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
int main(int count, char** words) {
  static unsigned char bytes[1 << 20];
  FILE* file = fopen(words[1], "r+b");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  bytes[8] = (unsigned char)atoi(words[2]);
  XXH128_canonical_t sum;
  XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes, size - sizeof sum));
  fseek(file, 8, SEEK_SET);
  fwrite(bytes + 8, 1, 1, file);
  fseek(file, (long)(size - sizeof sum), SEEK_SET);
  fwrite(&sum, 1, sizeof sum, file);
  return fclose(file) + count - 3;
}
"""


def compile_c(source, output, *options):
    subprocess.run([CC, "-x", "c", "-", "-o", output, *options], input=source, text=True, check=True)


def other_module(path, interface, release=None):
    compile_c(OTHER_MODULE, path, "-shared", "-fPIC", f"-DINTERFACE={interface}", *([f'-DRELEASE="{release}"'] if release else []))


class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kiln-side-by-side-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))
        self.kiln = self.install("kiln")
        self.library = self.kiln / LIBDIR

    def install(self, name):
        """A copy of the installed files that a program uses. The large ones are the same files."""
        prefix = self.folder / name
        (prefix / "bin").mkdir(parents=True)
        (prefix / LIBDIR).mkdir(parents=True)
        shutil.copy(PREFIX / "bin/kiln", prefix / "bin")
        for file in (PREFIX / LIBDIR).glob("libkiln.so*"):
            shutil.copy(file, prefix / LIBDIR, follow_symlinks=False)
        for file in (MODULE, PROGRAM, "libkiln-emulator.so"):
            try:
                os.link(PREFIX / LIBDIR / file, prefix / LIBDIR / file)
            except OSError:
                shutil.copy(PREFIX / LIBDIR / file, prefix / LIBDIR)
        return prefix

    def run_kiln(self, *words, prefix=None, home=True, **environment):
        base = {"PATH": os.environ["PATH"], "KILN_DEVICE": "cpu", **({"HOME": str(self.folder / "home")} if home else {})}
        return subprocess.run([(prefix or self.kiln) / "bin/kiln", *words], capture_output=True, text=True, env={**base, **environment})

    def computes(self, *words, **options):
        result = self.run_kiln(*(words or TWICE), **options)
        self.assertEqual((result.stdout, result.returncode), ("42.0\n", 0), result.stderr)
        return result.stderr

    def fails(self, *words, **options):
        result = self.run_kiln(*(words or TWICE), **options)
        self.assertEqual((result.stdout, result.returncode), ("", 1), result.stderr)
        return result.stderr

    def version(self):
        return self.run_kiln("--version").stdout.split()[1]

    def replace(self, name):
        (self.library / name).unlink()
        return self.library / name

    def own_libkiln(self):
        """The file as the loader names it."""
        return next(iter(sorted(self.library.glob("libkiln.so.?"))))


class OtherCompiler(Installed):
    def advice(self):
        version = self.version()
        if PACKAGE:
            return f"install the package {PACKAGE} of version {version}, or name its {MODULE} in KILN_CLANG"
        return f"install {MODULE} of kiln {version} beside libkiln.so, or name it in KILN_CLANG"

    def check(self, error, file, other, advice):
        own = re.search(r"and (\S+) is of kiln (\S+) \(interface (\d+), Clang 19\.[\d.]+\); ", error)
        self.assertIsNotNone(own, error)
        self.assertTrue(os.path.samefile(own[1], self.own_libkiln()))
        self.assertEqual(own[2], self.version())
        self.assertIn(f"failed to use kiln's Clang: {file} is of {other}, and {own[1]} is of kiln ", error)
        self.assertIn(advice, error)
        self.assertEqual(error.count("\n"), 1)

    def test_a_module_of_another_version_is_an_error_with_both_versions_files_and_the_package(self):
        for interface, release, other in ((1, "0.1.0", "kiln 0.1.0 (interface 1, Clang 19.1.6)"), (999, "9.0.0", "kiln 9.0.0 (interface 999, Clang 19.1.6)"),
                                          (1, None, "an older kiln (interface 1, Clang 19.1.6)")):
            other_module(self.replace(MODULE), interface, release)
            self.check(self.fails(), self.library / MODULE, other, self.advice())

    def test_one_that_the_user_names_is_named_back(self):
        file = self.folder / "mine.so"
        other_module(file, 1, "0.1.0")
        self.check(self.fails(KILN_CLANG=str(file)), file, "kiln 0.1.0 (interface 1, Clang 19.1.6)", "KILN_CLANG names that file: unset it, or " + self.advice())

    def test_what_is_no_module_is_named(self):
        file = self.folder / "mine.so"
        compile_c("int x;", file, "-shared", "-fPIC")
        self.assertIn(f"failed to use kiln's Clang: {file} has no function kiln_clang; KILN_CLANG names that file", self.fails(KILN_CLANG=str(file)))

    def write_other_program(self):
        asked = self.folder / "asked"
        file = self.replace(PROGRAM)
        file.write_text(OTHER_PROGRAM.format(python=sys.executable, asked=str(asked)))
        file.chmod(0o755)
        return asked

    def test_an_older_package_does_not_compile_for_this_one(self):
        asked = self.write_other_program()
        other_module(self.replace(MODULE), 1)
        self.check(self.fails(), self.library / MODULE, "an older kiln (interface 1, Clang 19.1.6)", self.advice())
        self.assertFalse(asked.exists())

    def test_an_older_program_is_not_used_and_the_module_is(self):
        asked = self.write_other_program()
        line = self.computes(KILN_LOG="1")
        self.assertRegex(line, r"kernels are compiled in this process, which ends where Clang crashes: \S+/libkiln-clang\.so holds Clang 19\.1\.7, not 19[\d.]+\+\d+\n")
        self.assertFalse(asked.exists())

    def test_two_installations_share_a_cache_and_each_has_its_own_compiler(self):
        second = self.install("second")
        other_module(self.replace(MODULE), 1, "0.1.0")
        self.assertIn("kiln 0.1.0", self.fails())
        self.assertEqual(self.computes(prefix=second), "")
        self.assertEqual(self.computes(), "")  # from the cache, which the second has filled


class NoCompiler(Installed):
    def test_what_works_without_and_the_advice(self):
        self.computes()
        for file in (MODULE, PROGRAM, "libkiln-emulator.so"):
            self.replace(file)
        # From the cache, and what needs no compiler.
        self.assertEqual(self.computes(), "")
        for words in (("--version",), ("functions",), ("environment",), ("explain",), ("devices",), ("cache", "list"), ("cache", "verify"), ("inspect", "--help")):
            result = self.run_kiln(*words)
            self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        entry = self.run_kiln("cache", "list", "-q").stdout.strip()
        self.assertIn("twice", self.run_kiln("cache", "show", entry).stdout)
        self.assertEqual(self.run_kiln("cache", "export", str(self.folder / "kernels.kiln")).returncode, 0)
        self.assertEqual(self.computes(KILN_CACHE_DIR="", KILN_CACHE_READONLY_DIRS=str(self.folder / "kernels.kiln")), "")

        error = self.fails("eval", "float64 thrice(float64 a) = 3 * a", "14")
        advice = (f"install the package {PACKAGE}, which has {MODULE}, or name that file in KILN_CLANG" if PACKAGE else
                  f"install {MODULE} beside libkiln.so, or name it in KILN_CLANG")
        self.assertRegex(error, r'^kiln: error: kernel "thrice", .* is in no cache and cannot be compiled: failed to open kiln\'s Clang, tried ')
        self.assertIn(f"{self.library}/{MODULE} (", error)
        self.assertIn(advice, error)
        emulator = self.fails(KILN_DEVICE="emulated:sm_90")
        self.assertIn("kiln's emulator was not found: tried ", emulator)
        self.assertIn(advice.replace(MODULE, "libkiln-emulator.so").replace("KILN_CLANG", "KILN_EMULATOR"), emulator)


class NoHome(Installed):
    def files(self):
        return {file: (file.lstat().st_mtime_ns, file.lstat().st_size) for file in [self.kiln, *self.kiln.rglob("*")]}

    NONE = ("no directory for the kernel cache: none of KILN_CACHE_DIR, XDG_CACHE_HOME and HOME is set; kernels are kept in memory only; "
            "set KILN_CACHE_DIR to a directory of your own\n")
    NOWHERE = "/proc/self/home"
    NOT_STORED = "kernels are not stored in the cache: cannot create {}: No such file or directory; free or unlock that disk, or set KILN_CACHE_DIR to a directory of your own\n"

    def setUp(self):
        super().setUp()
        program = pathlib.Path(__file__).resolve().parents[2] / "debian/tests/programs/disc.c"
        subprocess.run([CC, "-std=c11", program, "-I", PREFIX / "include", "-L", self.library, "-lkiln", f"-Wl,-rpath,{self.library}", "-o", self.kiln / "bin/disc"], check=True)
        self.before = self.files()

    def tearDown(self):
        self.assertEqual(self.files(), self.before)  # as below a /usr that nobody can write to

    def program(self, *under, **environment):
        """What a program of the user's says on standard error."""
        result = subprocess.run([*under, self.kiln / "bin/disc"], capture_output=True, text=True, env={"PATH": os.environ["PATH"], "KILN_DEVICE": "cpu", **environment})
        self.assertEqual((result.stdout, result.returncode), ("1 17 41\n", 0), result.stderr)
        return re.sub(r"^kiln\[\d+\]: ", "", result.stderr)

    def test_kernels_are_kept_in_memory(self):
        self.assertEqual(self.program(), "")
        self.assertEqual(self.program(KILN_LOG="1"), self.NONE)
        self.assertEqual(self.program(XDG_CACHE_HOME="relative"), "")
        self.assertEqual(self.computes(home=False), "kiln: warning: " + self.NONE)
        self.assertEqual(self.run_kiln("cache", "list", home=False).returncode, 0)

    def test_a_home_that_cannot_be_written_is_one_line_of_the_log(self):
        line = self.NOT_STORED.format(self.NOWHERE + "/.cache/kiln")
        self.assertEqual(self.program(HOME=self.NOWHERE), "")
        self.assertEqual(self.program(HOME=self.NOWHERE, KILN_LOG="1"), line)
        self.assertEqual(self.computes(HOME=self.NOWHERE), "kiln: warning: " + line)

    def test_a_folder_that_the_user_names_is_said_in_any_case(self):
        self.assertEqual(self.program(KILN_CACHE_DIR=self.NOWHERE), self.NOT_STORED.format(self.NOWHERE))

    def test_another_user_than_the_one_who_installed(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        self.folder.chmod(0o755)
        self.assertEqual(self.program("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", HOME="/nonexistent"), "")


class OtherCache(Installed):
    def setUp(self):
        super().setUp()
        self.computes()
        self.cache = self.folder / "home/.cache/kiln"
        self.entry = next(self.cache.glob("??/*.kiln"))
        self.reseal = self.folder / "reseal"
        compile_c(RESEAL, self.reseal, "-DXXH_INLINE_ALL", "-I", XXHASH)

    def test_an_entry_of_another_format_is_left_alone_and_compiled_again_where_its_key_is_wanted(self):
        for version in (0, 2):
            subprocess.run([self.reseal, self.entry, str(version)], check=True)
            verified = self.run_kiln("cache", "verify")
            self.assertEqual((verified.returncode, verified.stderr), (0, ""))
            self.assertIn(", 1 of another format", verified.stdout)
            self.assertEqual(self.run_kiln("cache", "list", "-q").stdout, "")
            self.assertEqual(self.entry.read_bytes()[8], version)
            self.assertIn(f"its entry is not used: format version {version}, this kiln reads 1", self.fails(KILN_CLANG="none"))
            self.assertEqual(self.computes(), "")
            self.assertEqual(self.entry.read_bytes()[8], 1)
            self.assertFalse((self.cache / "damaged").exists())

    def test_an_entry_of_another_release_is_another_key(self):
        size = struct.unpack_from("<Q", self.entry.read_bytes(), 12)[0]
        key = json.loads(self.entry.read_bytes()[36:36 + size])
        self.assertEqual(key["kiln"], self.version())
        self.assertRegex(key["compiler"], r"^Clang 19[\d.]+\+\d+")

    def test_a_bundle_of_another_format_says_so(self):
        bundle = self.folder / "kernels.kiln"
        self.assertEqual(self.run_kiln("cache", "export", str(bundle)).returncode, 0)
        subprocess.run([self.reseal, bundle, "2"], check=True)
        error = self.run_kiln("cache", "import", str(bundle), KILN_CACHE_DIR=str(self.folder / "other"))
        self.assertEqual(error.returncode, 1)
        self.assertIn(f"cannot read bundle {bundle}: it is of format version 2, and this kiln reads 1", error.stderr)


if __name__ == "__main__":
    unittest.main()
