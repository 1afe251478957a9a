#!/usr/bin/env python3
"""Holds docs/adding-a-kind.patch, the worked example of a new kind of kernel: it applies to the tree, docs/adding-a-kind.md explains each of its files, and
it touches no more files than before.

usage: adding_a_kind_test.py ROOT              (exit status 1 and one line for each fault)
       adding_a_kind_test.py ROOT --run FOLDER (also applies it to a copy of the tree in FOLDER, builds that, and runs the example on the CPU and an emulated GPU)
       adding_a_kind_test.py --self-test       (plants faults and wants them found)
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATCH = "docs/adding-a-kind.patch"
PAGE = "docs/adding-a-kind.md"
# What a kind costs. Both numbers may only fall: where the tree needs fewer, write the smaller one here.
MOST_FILES = 19
MOST_EDITED = 5
# A line of the page's hands-on part is this program's, too.
EXAMPLE = "index_table"
TARGETS = ("kiln", "kiln_emulator", "kiln_clang", "kiln_clang_program", EXAMPLE)
RUNS = ({"KILN_DEVICE": "cpu"}, {"KILN_DEVICE": "cpu", "KILN_DEBUG": "1"}, {"KILN_DEVICE": "emulated:sm_90"})


def touched(patch):
    """(files that the patch makes, files that were there)"""
    files = re.findall(r"^diff --git a/(\S+) b/\S+\n((?:(?!diff --git |@@).*\n)*)", patch, re.M)
    made = [name for name, header in files if "new file mode" in header]
    return made, [name for name, _ in files if name not in made]


def apply(root, patch, *options):
    """Why the patch does not apply, or None."""
    # A checkout inside another repository is none of that one's: git would skip the files without a word.
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(root.parent)}
    done = subprocess.run(["git", "apply", *options, "-"], cwd=root, input=patch, capture_output=True, text=True, env=environment)
    return None if done.returncode == 0 else " ".join(done.stderr.split())


def faults(root, patch=None, page=None):
    patch = patch or (root / PATCH).read_text(encoding="utf-8")
    page = page or (root / PAGE).read_text(encoding="utf-8")
    made, edited = touched(patch)
    print(f"a kind of kernel touches {len(made) + len(edited)} files: {len(made)} new, {len(edited)} edited")
    found = []
    why = apply(root, patch, "--check")
    if why:
        found.append(f"{PATCH} does not apply: {why}; {PAGE} says how to renew it")
    for what, count, most in ("files", len(made) + len(edited), MOST_FILES), ("edited files", len(edited), MOST_EDITED):
        if count > most:
            found.append(f"{PATCH} touches {count} {what}, and {most} were enough before")
        elif count < most:
            found.append(f"{PATCH} touches {count} {what}: lower the limit of {most} in tests/architecture/adding_a_kind_test.py")
    found += [f"{PAGE} does not name {name}" for name in made + edited if f"`{name}`" not in page]
    return found


def copy_tree(root, folder, patch=PATCH):
    """What git tracks, or would, with a patch, in `folder`; files that are the same keep their times, so that a second run builds little."""
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(root.parent)}
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True,
                            env=environment).stdout
    names = {name for name in listed.split("\0") if name and (root / name).is_file()}
    with tempfile.TemporaryDirectory() as scratch:
        fresh = pathlib.Path(scratch)
        for name in names:
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, fresh / name)
        why = apply(fresh, (root / patch).read_text(encoding="utf-8"))
        if why:
            raise SystemExit(f"{patch} does not apply: {why}")
        wanted = {file.relative_to(fresh) for file in fresh.rglob("*") if file.is_file()}
        for file in [file for file in folder.rglob("*") if file.is_file() and file.relative_to(folder) not in wanted]:
            if file.relative_to(folder).parts[0] not in ("build", ".deps"):
                file.unlink()
        for name in wanted:
            to = folder / name
            if to.is_file() and to.read_bytes() == (fresh / name).read_bytes():
                continue
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(fresh / name, to)
    if (root / ".deps").is_dir() and not (folder / ".deps").exists():
        (folder / ".deps").symlink_to((root / ".deps").resolve())


def run(root, folder):
    # The build lies where that of the tree does, so that ccache knows what is the same in both.
    source, build = folder / "source", folder / "source/build/release"
    source.mkdir(parents=True, exist_ok=True)
    copy_tree(root, source)
    of_build = os.environ | ({"CCACHE_BASEDIR": str(source)} if "CCACHE_BASEDIR" in os.environ else {})
    call = lambda *command, **more: subprocess.run([str(word) for word in command], check=True, env=of_build, **more)
    call(sys.executable, source / "tests/architecture/includes_test.py", source)
    call("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16",
         "-DKILN_TESTS=OFF", "-DKILN_TOOLS=OFF", "-DKILN_WERROR=ON", stdout=subprocess.DEVNULL)
    call("cmake", "--build", build, "--target", *TARGETS)
    failed = 0
    for variables in RUNS:
        environment = os.environ | variables | {"KILN_CACHE_DIR": str(folder / "cache")}
        done = subprocess.run([str(build / "bin/examples" / EXAMPLE)], capture_output=True, text=True, env=environment)
        good = done.returncode == 0 and "refused: " in done.stdout and done.stdout.rstrip().endswith(", checked")
        print(f"{variables}: " + ("passed" if good else f"status {done.returncode}") + "\n" + done.stdout + done.stderr, end="")
        failed += not good
    return 1 if failed else 0


def self_test():
    patch = (ROOT / PATCH).read_text(encoding="utf-8")
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    assert not faults(ROOT), faults(ROOT)
    made, edited = touched(patch)
    context = next(line for line in patch.split("\n") if line.startswith(" ") and len(line) > 20)
    more = "diff --git a/docs/more.md b/docs/more.md\nnew file mode 100644\n--- /dev/null\n+++ b/docs/more.md\n@@ -0,0 +1 @@\n+more\n"
    first = patch[:patch.index("diff --git", 1)]
    planted = {
        "does not apply": faults(ROOT, patch.replace(context, context + " // and more", 1), page),
        "were enough before": faults(ROOT, patch + more, page + "`docs/more.md`"),
        "lower the limit": faults(ROOT, patch.removeprefix(first), page),
        f"does not name {made[0]}": faults(ROOT, patch, page.replace(f"`{made[0]}`", "")),
        f"does not name {edited[0]}": faults(ROOT, patch, page.replace(f"`{edited[0]}`", "")),
    }
    for words, found in planted.items():
        assert found and all(words in each for each in found), f"{words}: {found}"
    print(f"{len(planted)} planted faults found")
    return 0


def command_line(usage, self_test, faults, run, passed):
    """Does what the arguments of the program ask for; the status to exit with."""
    if shutil.which("git") is None:
        print("KILN-NOT-RUN git 1")
        return 0
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--run"):
        print(usage, file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[1]).resolve()
    found = faults(root)
    print("\n".join(found) or passed)
    if found or len(sys.argv) == 2:
        return 1 if found else 0
    return run(root, pathlib.Path(sys.argv[3]).resolve())


if __name__ == "__main__":
    sys.exit(command_line(__doc__, self_test, faults, run, "docs/adding-a-kind.patch applies"))
