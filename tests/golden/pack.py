#!/usr/bin/env python3
"""Packs the texts that the scripts make_*.py make, here and in tests/conformance/golden, each script's as SUBJECT.tar.xz beside it.
CMake unpacks them into the build folder.

usage: pack.py [SUBJECT]…            makes the texts of make_SUBJECT.py and packs them, or those of all
       pack.py --check [SUBJECT]…    makes them, and fails where others are packed
       pack.py --requirements        prints the packages of PyPI that the scripts need

Another version of NumPy may give other texts: without just these packages nothing is made, and --check reports a test that did not run.
"""
import concurrent.futures
import importlib.metadata
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

REQUIREMENTS = {"numpy": "2.4.6", "ml_dtypes": "0.6.0", "mpmath": "1.4.1"}
TESTS = pathlib.Path(__file__).resolve().parents[1]
# Where a script's texts are in the build folder's golden/.
INSIDE = {"math": "math/"}
CONFORMANCE = "conformance/"


def scripts():
    """{subject: script}"""
    return {file.stem.removeprefix("make_"): file for folder in ("golden", "conformance/golden") for file in sorted((TESTS / folder).glob("make_*.py"))}


def archive(script):
    return script.with_name(script.stem.removeprefix("make_") + ".tar.xz")


def inside(script):
    return INSIDE.get(script.stem.removeprefix("make_"), CONFORMANCE if script.parent.parent.name == "conformance" else "")


def made(script):
    """{name in the archive: text} of what the script makes now."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-W", "ignore", script, folder], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        return {inside(script) + file.name: file.read_bytes() for file in sorted(pathlib.Path(folder).iterdir())}


def packed(script):
    with tarfile.open(archive(script)) as file:
        return {member.name: file.extractfile(member).read() for member in file.getmembers()}


def pack(script, texts):
    with tarfile.open(archive(script), "w:xz", preset=9, format=tarfile.USTAR_FORMAT) as file:
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            file.addfile(member, io.BytesIO(text))


def check(script):
    """What is wrong, a line for each text."""
    new, old = made(script), packed(script)
    wrong = [f"{archive(script).name}: {name} is {'not packed' if name in new else 'packed, and not made'}" for name in sorted(new.keys() ^ old.keys())]
    for name in sorted(new.keys() & old.keys()):
        if new[name] != old[name]:
            theirs, ours = new[name].decode().splitlines(), old[name].decode().splitlines()
            line = next((i for i, (a, b) in enumerate(zip(theirs, ours)) if a != b), min(len(theirs), len(ours)))
            wrong.append(f"{archive(script).name}: line {line + 1} of {name} is another one, of {len(ours)} packed and {len(theirs)} made")
    return wrong


def missing():
    """The first package that is not there in its version, or None."""
    for name, version in REQUIREMENTS.items():
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found = None
        if found != version:
            return f"{name}=={version}"
    return None


def main():
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    if options == ["--requirements"]:
        print(" ".join(f"{name}=={version}" for name, version in REQUIREMENTS.items()))
        return 0
    known = scripts()
    subjects = [word for word in sys.argv[1:] if not word.startswith("-")] or [name for name, script in known.items() if archive(script).exists()]
    if options not in ([], ["--check"]) or not set(subjects) <= set(known):
        print(__doc__, file=sys.stderr)
        return 2
    lacking = missing()
    if lacking and options:
        print(f"KILN-NOT-RUN {lacking} {len(subjects)}")
        return 0
    if lacking:
        print(f"pip install {lacking}", file=sys.stderr)
        return 1
    chosen = [known[name] for name in subjects]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if options:
            wrong = [line for lines in pool.map(check, chosen) for line in lines]
            print("\n".join(wrong) or f"{len(chosen)} scripts make what is packed")
            return 1 if wrong else 0
        for script, texts in zip(chosen, pool.map(made, chosen)):
            pack(script, texts)
            print(f"{archive(script).relative_to(TESTS)}: {', '.join(texts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
