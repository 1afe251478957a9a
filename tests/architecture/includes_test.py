#!/usr/bin/env python3
"""Reads every #include of the project and holds the layering of ARCHITECTURE.md: dependencies point one way, only tests of the
vendors' declarations see vendor headers, only lib/clang sees LLVM, and tools and examples see public headers alone.

usage: includes_test.py ROOT        (exit status 1 and one line for each include that breaks a rule)
       includes_test.py --self-test (plants one violation of each rule in a scratch tree and wants it found)
"""
import pathlib
import re
import sys
import tempfile

import includes
import layers as the_layers

# What of lib/ is no layer of libkiln, and what of lib/ it may use.
OTHERS = {"clang": {"shared"}, "emulator": {"shared"}, "shared": set()}
# How libkiln speaks with libkiln-clang.so.
CLANG_INTERFACE = {"clang/interface.h", "clang/release.h", "clang/driver/messages.hpp", "clang/driver/messages.cpp"}

# The layer whose noun a public header is: that layer and those above may include it. Others are words that all share.
PUBLIC_HEADERS = {
    "definition": "manifest",
    "device_array": "array", "format": "array", "selection": "array", "views": "array", "elementwise": "math", "creation": "functions", "indexing": "functions",
    "joining": "functions", "statistics": "functions",
    "stream": "device", "event": "device", "memory": "device", "inspect": "binary", "cache": "cache", "cache_entry": "cache", "cache_handle": "cache", "compile_options": "cache",
    "device_code": "types", "explain": "types", "profile": "profiling", "array": "array", "host_memory": "array", "callable": "array", "npy": "files", "npz": "files", "png": "files",
    "graph": "call", "ufunc": "ufunc", "kernel": "ufunc", "tune": "ufunc", "expr": "ufunc", "gufunc": "gufunc", "math": "math", "random": "random",
    "operators": "math", "fft": "fft", "fuse": "fusion", "reduction": "reduce", "kiln": "reduce", "chunked": "chunk", "manifest": "manifest", "warm": "manifest", "mpi": "manifest"}

VENDOR = re.compile(r"^(cuda(_\w+)?\.h|cuda/|cuda\w*\.h|cu\w+\.h|nvrtc\w*\.h|nv\w+\.h|hip/|hiprtc|roc\w+/|rocm|hsa/|amd_comgr)")
LLVM = re.compile(r"^(clang/[A-Z]|clang-c|llvm|llvm-c|lld)")
# Its own declarations of the vendors' ABI are checked against the real headers there.
VENDOR_ALLOWED = ("tests/unit/library/gpu_abi_test.cpp",)
# A host program that brings a clang of its own.
LLVM_ALLOWED = ("lib/clang/", "tests/package/host_with_other_clang/")


class Rules:
    def __init__(self, root):
        self.layers = the_layers.read(root)

    def layer_of(self, path):
        return the_layers.layer_of(self.layers, path)

    def may(self, layer):
        return the_layers.reachable(self.layers, layer)

    def in_lib(self, include):
        """The file of lib/ that the include names, as lib/…, or None."""
        if include.target:
            return include.target if include.target.startswith("lib/") else None
        # A generated header, or a file that is not there.
        return f"lib/kiln/{include.name}" if self.layer_of(include.name) is not None else None

    def check_layer(self, layer, include):
        name = include.name
        if name.startswith("kiln/"):
            home = PUBLIC_HEADERS.get(name.removeprefix("kiln/").removesuffix(".hpp"))
            if home is None or home in self.may(layer):
                return None
            return f"lib/kiln/{layer} lies below <{name}>, which belongs to lib/kiln/{home}"
        target = self.in_lib(include)
        if target is None or target.startswith("lib/shared/") or name in CLANG_INTERFACE:
            return None
        if not target.startswith("lib/kiln/"):
            return "libkiln may use lib/shared and " + ", ".join(sorted(CLANG_INTERFACE)) + " alone of the rest of lib/"
        other = self.layer_of(target.removeprefix("lib/kiln/"))
        if other is None or other in self.may(layer):
            return None
        allowed = ", ".join(sorted(self.may(layer) - {layer})) or "nothing else of lib/kiln"
        return f"lib/kiln/{layer} may use {allowed}, not lib/kiln/{other}"

    def check_lib(self, include):
        folder = include.path.split("/")[1]
        if folder == "kiln":
            layer = self.layer_of(include.path.removeprefix("lib/kiln/"))
            return self.check_layer(layer, include) if layer else None
        target = self.in_lib(include)
        if target is None and not include.name.startswith("kiln/"):
            return None
        other = target.split("/")[1] if target else "kiln"
        if other == folder or other in OTHERS.get(folder, ()):
            return None
        return f"lib/{folder} is built without the rest: it may use lib/shared alone"

    def check(self, include):
        """Why this include breaks a rule, or None."""
        path, name = include.path, include.name
        if VENDOR.match(name) and not path.startswith(VENDOR_ALLOWED):
            return "kiln declares itself what it uses of the vendors: no vendor's header"
        if LLVM.match(name) and not path.startswith(LLVM_ALLOWED):
            return "only lib/clang may include LLVM, clang or lld"
        if path.startswith("lib/"):
            return self.check_lib(include)
        if path.startswith("include/"):
            if name.startswith("kiln/"):
                return None if include.target == f"include/{name}" else "no such public header"
            if path == "include/kiln/c/kiln_dlpack.h" and name == "dlpack/dlpack.h":
                return None  # for programs that have it
            return "public headers include the standard library and <kiln/...> only" if "/" in name or include.quoted else None
        if path.startswith(("tools/", "examples/")):
            allowed = ("include/", path.split("/")[0] + "/")
            if self.in_lib(include) or (include.target and not include.target.startswith(allowed)):
                return "tools and examples include only <kiln/...> of the project"
        return None


def violations(root):
    rules, tree, found = Rules(root), includes.Tree(root), []
    for include in tree.includes():
        why = rules.check(include)
        if why:
            found.append(f"{include.path}:{include.line}: {include.text}: {why}")
    for folder in sorted(p.name for p in (root / "lib/kiln").iterdir() if p.is_dir()):
        if folder not in rules.layers:
            found.append(f"lib/kiln/{folder}: its CMakeLists.txt has no line kiln_layer({folder} ...)")
    for folder in sorted(p.name for p in (root / "lib").iterdir() if p.is_dir()):
        if folder != "kiln" and folder not in OTHERS:
            found.append(f"lib/{folder}: a folder that tests/architecture/includes_test.py does not know")
    return found, len(tree.files)


LAYERS = {"base": "", "types": "base", "layout": "base", "library": "types", "compiler": "library", "device": "compiler", "device/gpu": "device",
          "array": "device layout", "program": "compiler", "ufunc": "array program", "math": "ufunc"}
PLANTED = {  # file: (an include that is fine, one that is not)
    "lib/kiln/base/file.cpp": ("<vector>", '"types/dtype.hpp"'),
    "lib/kiln/types/dtype.cpp": ('"base/file.hpp"', "<kiln/ufunc.hpp>"),
    "lib/kiln/layout/shape.cpp": ('"kiln/shape.hpp"', '"device/backend.hpp"'),
    "lib/kiln/device/memory.cpp": ('"device/backend.hpp"', '"device/gpu/core.hpp"'),
    "lib/kiln/library/module.cpp": ('"clang/interface.h"', '"clang/driver/compile.hpp"'),
    "lib/kiln/device/gpu/core.cpp": ('"device/backend.hpp"', "<cuda.h>"),
    "lib/kiln/array/array.cpp": ('"layout/shape.hpp"', "<hip/hip_runtime.h>"),
    "lib/kiln/program/program.cpp": ('"compiler/compiler.hpp"', '"array/rep.hpp"'),
    "lib/kiln/ufunc/call.cpp": ('"program/program.hpp"', "<lld/Common/Driver.h>"),
    "lib/kiln/math/bits.cpp": ('"kiln/math.hpp"', "<nvrtc.h>"),
    "lib/kiln/ufunc/loops.cpp": ('"kiln/ufunc.hpp"', '"math/entry.hpp"'),
    "lib/clang/driver/compile.cpp": ("<clang/Frontend/CompilerInstance.h>", '"base/file.hpp"'),
    "lib/emulator/machine.cpp": ('"shared/half_bits.hpp"', '"types/dtype.hpp"'),
    "include/kiln/array.hpp": ('"kiln/shape.hpp"', "<nlohmann/json.hpp>"),
    "tools/kiln/main.cpp": ("<kiln/array.hpp>", '"device/backend.hpp"'),
    "tools/kiln/eval.cpp": ('"eval.hpp"', '"../../lib/kiln/array/rep.hpp"'),
    "examples/saxpy.cpp": ("<kiln/kiln.hpp>", '"array/rep.hpp"'),
    "tests/unit/x_test.cpp": ('"array/rep.hpp"', "<clang/Frontend/CompilerInstance.h>"),
}
HEADERS = ["lib/kiln/base/file.hpp", "lib/kiln/types/dtype.hpp", "lib/kiln/device/backend.hpp", "lib/kiln/device/gpu/core.hpp",
           "lib/kiln/compiler/compiler.hpp", "lib/clang/interface.h", "lib/clang/driver/compile.hpp", "lib/shared/half_bits.hpp",
           "lib/kiln/layout/shape.hpp", "lib/kiln/array/rep.hpp", "lib/kiln/program/program.hpp", "lib/kiln/math/entry.hpp", "tools/kiln/eval.hpp",
           "include/kiln/shape.hpp", "include/kiln/ufunc.hpp", "include/kiln/kiln.hpp"]


def self_test():
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for path in [*HEADERS, *PLANTED]:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("")
        for layer, uses in LAYERS.items():
            (root / "lib/kiln" / layer).mkdir(parents=True, exist_ok=True)
            (root / "lib/kiln" / layer / "CMakeLists.txt").write_text(f"kiln_layer({layer}{' USES ' + uses if uses else ''})\n")
        for path, (good, _) in PLANTED.items():
            (root / path).write_text(f"#include {good}\n")
        found, _ = violations(root)
        assert not found, f"innocent includes were reported: {found}"
        for path, (good, bad) in PLANTED.items():
            (root / path).write_text(f"#include {good}\n#  include {bad}\n")
            found, _ = violations(root)
            assert len(found) == 1 and found[0].startswith(f"{path}:2: "), f"{path} includes {bad}: got {found}"
            (root / path).write_text(f"#include {good}\n")
        for folder, message in {"lib/kiln/utils": "its CMakeLists.txt has no line kiln_layer(utils ...)",
                                "lib/utils": "a folder that tests/architecture/includes_test.py does not know"}.items():
            (root / folder).mkdir()
            found, _ = violations(root)
            assert found == [f"{folder}: {message}"], found
            (root / folder).rmdir()
    print(f"{len(PLANTED) + 2} planted violations found")
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
