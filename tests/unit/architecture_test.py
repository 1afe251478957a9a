#!/usr/bin/env python3
"""Reads every #include of the project and holds the layering of ARCHITECTURE.md: dependencies point one way, only
lib/backend/gpu sees vendor headers, only lib/backend/cpu sees LLVM, and tools and examples see public headers alone.

usage: architecture_test.py ROOT        (exit status 1 and one line for each include that breaks a rule)
       architecture_test.py --self-test (plants one violation of each rule in a scratch tree and wants it found)
"""
import pathlib
import re
import sys
import tempfile

# What each folder of lib/ may use, besides itself and whatever these may use in turn.
LAYERS = {
    "base": [],
    "types": ["base"],
    "signature": ["types"],
    "layout": ["base"],
    "backend": ["types"],
    "backend/cpu": ["backend"],
    "backend/gpu": ["backend"],
    "profiling": ["backend"],
    "kinds": ["backend", "backend/cpu", "profiling", "codegen", "layout"],
    "codegen": ["signature"],
    "cache": ["base"],
    "program": ["kinds", "cache", "backend"],
    "autotune": ["program"],
    "inspect": ["program"],
    "array": ["layout", "backend", "profiling"],
    "call": ["array", "cache", "profiling"],
    "ufunc": ["signature", "autotune", "call", "kinds"],
    "math": ["ufunc"],
    "fft": ["math"],
    "fusion": ["math"],
    "reduce": ["fusion"],
    "gufunc": ["ufunc"],
    "raw": ["ufunc"],
    "chunk": ["gufunc", "reduce"],
    "manifest": ["gufunc", "raw", "reduce"],
    "capi": [],
    "emulator": ["types"],
}

# The layer whose noun a public header is: that layer and those above may include it. Others are words that all share.
PUBLIC_HEADERS = {"stream": "backend", "event": "backend", "host_memory": "array", "graph": "array", "memory": "backend", "cache": "cache", "compile_options": "cache", "device_code": "types", "inspect": "backend", "array": "array", "npy": "array", "npz": "array", "operators": "math", "profile": "profiling", "callable": "array", "ufunc": "ufunc", "gufunc": "gufunc", "math": "math", "fft": "fft", "kernel": "ufunc", "tune": "ufunc",
                  "manifest": "manifest", "expr": "ufunc", "fuse": "fusion", "reduction": "reduce", "chunked": "chunk", "kiln": "reduce"}

VENDOR = re.compile(r"^(cuda(_\w+)?\.h|cuda/|cuda\w*\.h|cu\w+\.h|nvrtc\w*\.h|nv\w+\.h|hip/|hiprtc|roc\w+/|rocm|hsa/|amd_comgr)")
LLVM = re.compile(r"^(clang|clang-c|llvm|llvm-c|lld)/")
# Its own declarations of the vendors' ABI are checked against the real headers there.
VENDOR_ALLOWED = ("lib/backend/gpu/", "tests/unit/backend/gpu/", "tests/unit/backend/gpu_")
# A host program that brings a clang of its own.
LLVM_ALLOWED = ("lib/backend/cpu/", "tests/package/host_with_other_clang/")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".inc"}
FOLDERS = ("include", "lib", "tools", "examples", "tests", "bench", "kernels-src")


def reachable(layer):
    """The layers that `layer` may include, itself among them."""
    seen, todo = set(), [layer]
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += LAYERS[here]
    return seen


def layer_of(path):
    """The layer of a path under lib/, or None for a folder that the table does not know."""
    parts = path.split("/")
    if len(parts) > 2 and "/".join(parts[:2]) in LAYERS:
        return "/".join(parts[:2])
    return parts[0] if len(parts) > 1 and parts[0] in LAYERS else None


def check_public(name, layer):
    noun = name.removeprefix("kiln/").removesuffix(".hpp")
    home = PUBLIC_HEADERS.get(noun)
    if home is None or layer == "capi" or home in reachable(layer):
        return None
    return f"lib/{layer} lies below <{name}>, which belongs to lib/{home}"


def check_lib(root, path, quoted, name):
    layer = layer_of(path.removeprefix("lib/"))
    if layer is None:
        return None  # lib/CMakeLists.txt and the like
    if name.startswith("kiln/"):
        return check_public(name, layer)
    if quoted and (root / path).parent.joinpath(name).is_file() and not (root / "lib" / name).is_file():
        target = (root / path).parent.joinpath(name).resolve().relative_to((root / "lib").resolve()).as_posix()
    elif (root / "lib" / name).is_file() or layer_of(name) is not None:
        target = name
    else:
        return None
    other = layer_of(target)
    if other is None or other in reachable(layer):
        return None
    return f"lib/{layer} may use {', '.join(sorted(reachable(layer) - {layer})) or 'nothing of lib/'}, not lib/{other}"


def check(root, path, quoted, name):
    """Why this include breaks a rule, or None."""
    if VENDOR.match(name) and not path.startswith(VENDOR_ALLOWED):
        return "only lib/backend/gpu may include a vendor's header"
    if LLVM.match(name) and not path.startswith(LLVM_ALLOWED):
        return "only lib/backend/cpu may include LLVM, clang or lld"
    if path.startswith("lib/"):
        return check_lib(root, path, quoted, name)
    if path.startswith("include/"):
        if name.startswith("kiln/"):
            return None if (root / "include" / name).is_file() else "no such public header"
        return "public headers include the standard library and <kiln/...> only" if "/" in name or quoted else None
    if path.startswith(("tools/", "examples/")):
        beside = quoted and (root / path).parent.joinpath(name).is_file()
        if beside:
            resolved = (root / path).parent.joinpath(name).resolve()
            inside = resolved.is_relative_to((root / path.split("/")[0]).resolve())
            return None if inside else "tools and examples include only <kiln/...> of the project"
        if (root / "lib" / name).is_file() or layer_of(name) is not None:
            return "tools and examples include only <kiln/...> of the project"
    return None


def violations(root):
    found, read = [], 0
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            read += 1
            path = file.relative_to(root).as_posix()
            text = file.read_text(encoding="utf-8", errors="replace")
            for match in INCLUDE.finditer(text):
                why = check(root, path, match[1] == '"', match[2])
                if why:
                    line = text.count("\n", 0, match.start()) + 1
                    found.append(f"{path}:{line}: {match[0].strip()}: {why}")
    for folder in sorted(p.name for p in (root / "lib").iterdir() if p.is_dir()):
        if folder not in LAYERS:
            found.append(f"lib/{folder}: a folder that the layers of tests/unit/architecture_test.py do not know")
    return found, read


PLANTED = {  # file: (an include that is fine, one that is not)
    "lib/base/file.cpp": ("<vector>", '"types/dtype.hpp"'),
    "lib/types/dtype.cpp": ('"base/file.hpp"', "<kiln/ufunc.hpp>"),
    "lib/layout/shape.cpp": ('"kiln/shape.hpp"', '"backend/backend.hpp"'),
    "lib/backend/registry.cpp": ('"backend/backend.hpp"', '"backend/gpu/driver.hpp"'),
    "lib/backend/cpu/load.cpp": ("<llvm/IR/Module.h>", "<cuda.h>"),
    "lib/backend/gpu/driver.cpp": ("<cuda.h>", '"../cpu/clang.hpp"'),
    "lib/array/array.cpp": ('"layout/shape.hpp"', "<hip/hip_runtime.h>"),
    "lib/program/program.cpp": ('"codegen/user_text.hpp"', '"array/rep.hpp"'),
    "lib/ufunc/call.cpp": ('"program/program.hpp"', "<lld/Common/Driver.h>"),
    "lib/math/bits.cpp": ('"kiln/math.hpp"', "<nvrtc.h>"),
    "lib/ufunc/loops.cpp": ('"kiln/ufunc.hpp"', '"math/entry.hpp"'),
    "include/kiln/array.hpp": ('"kiln/shape.hpp"', "<nlohmann/json.hpp>"),
    "tools/kiln/main.cpp": ("<kiln/array.hpp>", '"backend/backend.hpp"'),
    "tools/kiln/eval.cpp": ('"eval.hpp"', '"../../lib/array/rep.hpp"'),
    "examples/saxpy.cpp": ("<kiln/kiln.hpp>", '"array/rep.hpp"'),
    "tests/unit/x_test.cpp": ('"array/rep.hpp"', "<clang/Frontend/CompilerInstance.h>"),
}
HEADERS = ["lib/base/file.hpp", "lib/types/dtype.hpp", "lib/backend/backend.hpp", "lib/backend/gpu/driver.hpp", "lib/codegen/user_text.hpp",
           "lib/backend/cpu/clang.hpp", "lib/layout/shape.hpp", "lib/array/rep.hpp", "lib/program/program.hpp", "lib/math/entry.hpp", "tools/kiln/eval.hpp",
           "include/kiln/shape.hpp", "include/kiln/ufunc.hpp", "include/kiln/kiln.hpp"]


def self_test():
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for path in [*HEADERS, *PLANTED]:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("")
        for path, (good, _) in PLANTED.items():
            (root / path).write_text(f"#include {good}\n")
        found, _ = violations(root)
        assert not found, f"innocent includes were reported: {found}"
        for path, (good, bad) in PLANTED.items():
            (root / path).write_text(f"#include {good}\n#  include {bad}\n")
            found, _ = violations(root)
            assert len(found) == 1 and found[0].startswith(f"{path}:2: "), f"{path} includes {bad}: got {found}"
            (root / path).write_text(f"#include {good}\n")
        (root / "lib/utils").mkdir()
        found, _ = violations(root)
        assert found == ["lib/utils: a folder that the layers of tests/unit/architecture_test.py do not know"], found
    print(f"{len(PLANTED) + 1} planted violations found")
    return 0


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--self-test":
        return self_test()
    found, read = violations(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) or f"{read} files keep the layering")
    if read == 0:
        print("no files were read: is ROOT the project?")
        return 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
