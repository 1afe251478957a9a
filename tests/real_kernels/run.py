#!/usr/bin/env python3
"""Compiles and runs the kernels of other projects by kiln and compares with g++'s: README.md. scripts/test-real-kernels.sh calls it.

usage: run.py --build FOLDER --driver PROGRAM [--sample N] [--target TARGET]... [--only REGEX] KERNELS.json...
  TARGET: native, sm_90-clang, sm_90-nvrtc, gfx942; all by default. gfx942 is compiled only, from what the others recorded.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = {"native": {"KILN_DEVICE": "cpu"}, "sm_90-clang": {"KILN_DEVICE": "emulated:sm_90", "KILN_GPU_COMPILER": "clang"},
           "sm_90-nvrtc": {"KILN_DEVICE": "emulated:sm_90", "KILN_GPU_COMPILER": "nvrtc"}, "gfx942": {"KILN_GPU_COMPILER": "clang"}}
CHARS = dict(zip("?bBhHiIlLqQefdFD", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 int64 uint64 float16 float32 float64 complex64 complex128".split()))
LOOPS = "?iLefdFD"  # of a ufunc's loops with the same text, by their first type
TOLERANCE = {"float16": 5e-3, "float32": 3e-5, "complex64": 3e-5, "float64": 1e-9, "complex128": 1e-9}
SHAPE, RAW = [4, 15], 4096
DTYPES = set(CHARS.values())
CHUNK = 60
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include.*$", re.M)


def parameters(text):
    """(raw, type, name) of each."""
    found = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        words = part.split()
        found.append(("raw" in words[:-2], words[-2] if len(words) > 1 else "?", words[-1]))
    return found


def choices(entry, variables, texts):
    """Dtypes for the type variables, the likeliest first."""
    whole = "\n".join(texts)
    index = set()
    listed = " ".join(re.findall(r"\[\w*\]\s*=\s*\{([^}]*)\}", whole))
    for raw, kind, name in parameters(entry["in_params"]) + parameters(entry["out_params"]):
        n = re.escape(name)
        if kind in variables and (re.search(rf"\[[^\[\]]*(?<![\w.]){n}(?!\w|\[[^\]]*\[)[^\[\]]*\]|\b{n}(\[\w+\])?\s*(%|<<|>>|&(?!&)|\|(?!\|))|(%|<<|>>|/\*)\s*{n}\b", whole)
                                  or re.search(rf"\b{n}\b", listed)
                                  or re.fullmatch(r"\w*(ind|idx|index|indices|indptr|row|col|label|len|n_|size)\w*", name) or kind in "IN"):
            index.add(kind)
    base = {v: "int32" if v in index else "float32" for v in variables}
    wide = {"float32": "float64", "int32": "int64"}
    lists = [base, {v: wide[t] for v, t in base.items()}]
    lists += [{v: t for v in variables} for t in ("float32", "int32", "float64", "complex64", "uint64", "bool", "float16")]
    lists += [{**base, v: "float32" if base[v] == "int32" else "int32"} for v in variables]
    lists += [{**base, v: t} for t in ("int8", "complex64") for v in variables] + [{**base, v: "uint64"} for v in variables]
    lists += [{v: "complex64" if t == "float32" else t for v, t in base.items()}]
    if len(variables) <= 3:
        lists += [dict(zip(variables, t)) for t in itertools.product(("float32", "int32", "complex64", "float64", "bool"), repeat=len(variables))]
    seen, unique = set(), []
    for each in lists:
        key = tuple(sorted(each.items()))
        if key not in seen:
            seen.add(key)
            unique.append(each)
    return unique[:40] if variables else [{}]


def rank_of(name, text, shape):
    """Axes that the text wants of a raw array."""
    n = re.escape(name)
    axes = [int(k) + 1 for k in re.findall(rf"\b{n}\.(?:shape|strides)\(\)\[(\d+)\]", text)]
    for array in re.findall(rf"\b{n}\[(\w+)\]", text):
        axes += [m.count(",") + 1 for m in re.findall(rf"\b{array}\[\w*\]\s*=\s*\{{([^}}]*)\}}", text)]
    if re.search(rf"\b{n}\[_ind\.get\(\)\]", text):
        axes.append(len(shape))
    return max(axes, default=1)


def cpp(dtype):
    return dtype if dtype in ("bool", "float16") else {"float32": "float", "float64": "double", "complex64": "complex<float>", "complex128": "complex<double>",
                                                      "int64": "long long", "uint64": "unsigned long long"}.get(dtype, dtype)


def around(options, text):
    """The #defines of options, and what keeps them and the text's own in it: (defines, in front, behind)."""
    defines = [d[2:].replace("=", " ", 1) for d in options if d.startswith("-D")]
    macros = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M) + [d.split()[0].split("(")[0] for d in defines]
    return [f"#define {d}" for d in defines], [f'#pragma push_macro("{m}")\n#undef {m}' for m in macros], [f'#pragma pop_macro("{m}")' for m in macros]


class RawCase:
    """A source with kernels. They are launched where g++ takes the source."""
    kind, shown, unordered, racing = "raw", "raw", False, ()

    def __init__(self, entry):
        self.entry, self.label = entry, f"{entry['project']}/{entry['file']}:{entry.get('name') or (entry.get('name_expressions') or [''])[0] or entry['line']}"
        self.options = [o for o in entry.get("options") or () if isinstance(o, str)]
        self.texts = {"preamble": entry["code"]}
        places = "".join(re.findall(r"(?:threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*([yz])", entry["code"]))
        self.grid, self.block = ([1, 1, 1], [1, 1, 1]) if not re.search("threadIdx|blockIdx", entry["code"]) else ([2, 2, 2], [4, 4, 2]) if "z" in places else ([2, 3, 1], [8, 4, 1]) if "y" in places else ([3, 1, 1], [32, 1, 1])

    def valid(self):
        return True

    def names(self):
        """Its kernels; of templates an instance."""
        if self.entry.get("name_expressions") or self.entry.get("name"):
            return list(self.entry.get("name_expressions") or [self.entry["name"]])
        found = []
        for parameters_, name in re.findall(r"(?:\btemplate\s*<([^<>]*)>\s*)?(?:extern\s+\"C\"\s+)?__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(", self.entry["code"]):
            arguments = ["float" if re.match(r"\s*(typename|class)\b", p) and not re.search("int_|Index", name + p) else "true" if "bool" in p else "int" if "typename" in p else "16"
                         for p in parameters_.split(",") if p.strip()]
            found.append(name + (f"<{', '.join(arguments)}>" if arguments else ""))
        return found

    def job(self, number, own):
        return dict(id=number, kind="raw", code=self.entry["code"], names=self.names(), operands=[], options=self.options, grid=self.grid, block=self.block,
                    tolerance=TOLERANCE["float16" if re.search(r"\bhalf\b|float16", self.entry["code"]) else "float32"])

    def reference(self, number):
        code = self.entry["code"]
        if self.unordered or re.search(r"extern\s+__shared__|__syncthreads_|_sync\s*\(|cooperative_groups|\basm\b|<<<", code):
            return ""
        code = re.sub(r'extern\s+"C"\s*(\{)?', lambda m: "namespace {" if m.group(1) else "", INCLUDE.sub("", code))
        defines, push, pop = around(self.options, code)
        launch = f"{{{', '.join(map(str, self.grid))}}}, {{{', '.join(map(str, self.block))}}}"
        lines = push + defines + [f"namespace case_{number} {{", "using ::abs;", code]
        for k, name in enumerate(self.names()):
            if any(f"{part} " in f"{self.label} {name.partition('<')[0]} " for part in self.racing):
                continue
            lines += [f'extern "C" const char* types_{number}_{k}() {{ static const std::string all = shim_parameters(&{name}); return all.c_str(); }}',
                      f'extern "C" void ref_{number}_{k}(void** shim_a, int shim_mode) {{ shim_launch(&{name}, shim_a, shim_mode, {launch}); }}']
        return f'#line 1 "case_{number}"\n' + "\n".join(lines + ["}"] + pop) + "\n"


class Case:
    """One kernel with dtypes: what the driver reads, and the text of its reference."""

    unordered = False  # its threads race

    def __init__(self, entry, kind, name, types, **texts):
        self.entry, self.kind, self.types, self.texts = entry, kind, types, texts
        if re.search(r"\(unsigned long long\)\s*\(?&", "\n".join(str(t) for t in texts.values())):
            texts["addresses"] = "true"  # whose values differ
        self.label = f"{entry['project']}/{entry['file']}:{name}" + (f" [{', '.join(f'{k}={v}' for k, v in types.items())}]" if types else "")
        self.shown = {"elementwise": "elementwise", "reduction": "reduction"}[kind] if entry["kind"] in ("elementwise", "reduction") else entry["kind"]
        self.name = entry.get("name") or "kernel"
        whole = "\n".join(str(t) for t in texts.values())
        deep = max([int(k) + 1 for k in re.findall(r"_ind\.get\(\)\[(?:_ind\.ndim ?- ?)?(\d+)\]", whole)], default=1)
        self.shape = SHAPE if deep <= 2 else [2] * (deep - 2) + SHAPE
        self.size = 1
        for extent in self.shape:
            self.size *= extent
        self.operands = []
        some = [p for p in parameters(texts["in_params"] + "," + texts["out_params"]) if not p[0] and p[1] in types]
        for output, text in ((False, texts["in_params"]), (True, texts["out_params"])):
            for raw, spelled, pname in parameters(text):
                dtype = types.get(spelled, spelled)
                n = re.escape(pname)
                scalar = not output and (re.search(rf"\b{n}\s*[\[.]|&\s*{n}\b|\({n}\b|\b{n}\)", whole) is None if raw else
                                         bool(some) and re.fullmatch(r"u?int\d+|float\d+", spelled) is not None
                                         or re.search(rf"\b{n}\b", texts.get("post_map_expr", "") + texts.get("identity", "")) is not None)
                raw = raw and not scalar
                rank = rank_of(pname, whole, self.shape) if raw else 0
                shape = ([8] * (rank - 1) + [RAW >> 3 * (rank - 1)] if rank < 4 else [5] * rank) if raw else [] if scalar else self.shape
                self.operands.append(dict(name=pname, dtype=dtype, raw=raw, output=output, scalar=scalar, shape=shape))
        dtypes = [o["dtype"] for o in self.operands] + (["float32"] if re.search(r"\bfloat\b|float32|\d[fF]\b|\w[fF]\(", whole) else [])
        self.tolerance = max([TOLERANCE[t] for t in dtypes if t in TOLERANCE], default=1e-9)

    def valid(self):
        return all(o["dtype"] in DTYPES for o in self.operands)

    def job(self, number, own):
        return dict(self.texts, id=number, kind=self.kind, name=f"{self.name.rstrip('_')}_{number}", operands=self.operands, size=self.size, tolerance=self.tolerance,
                    options=list(self.entry.get("options") or ()) + ([f"-I{own}"] if "xsf" in self.texts["preamble"] else []))

    def reference(self, number):
        t = self.texts
        if self.unordered or "addresses" in t:
            return ""
        defines, push, pop = around(self.entry.get("options") or (), t["preamble"])
        lines = push + defines + [f"namespace case_{number} {{"] + [f"using {v} = {cpp(d)};" for v, d in self.types.items()]
        lines.append(INCLUDE.sub("", t["preamble"]))
        lines.append(f'extern "C" void ref_{number}(void** shim_a, int shim_mode) {{ (void)shim_a;')
        lines += self.loop() if self.kind == "elementwise" else self.reducing()
        lines += ["}", "}"] + pop
        return f'#line 1 "case_{number}"\n' + "\n".join(lines) + "\n"

    def arrays(self):
        return [f"CArray<{cpp(o['dtype'])}, {len(o['shape'])}> {o['name']}(shim_a[{k}], {{{', '.join(map(str, o['shape']))}}});"
                for k, o in enumerate(self.operands) if o["raw"]]

    def element(self, at):
        return [f"{'' if o['output'] else 'const '}{cpp(o['dtype'])}& {o['name']} = (({cpp(o['dtype'])}*)shim_a[{k}])[{'0' if o['scalar'] else at}];"
                for k, o in enumerate(self.operands) if not o["raw"]]

    def loop(self):
        t = self.texts
        return [f"CIndexer<{len(self.shape)}> _ind({{{', '.join(map(str, self.shape))}}}); const ptrdiff_t n = _ind.size();"] + self.arrays() + [
            "for (ptrdiff_t shim_k = 0; shim_k < n; ++shim_k) { const ptrdiff_t i = shim_mode ? n - 1 - shim_k : shim_k; _ind.set(i);",
            "[&] {"] + self.element("i") + [t["loop_prep"], ";do {", t["operation"], ";} while (0);", t["after_loop"], "}(); }"]

    def reducing(self):
        t = self.texts
        outs = [o for o in self.operands if o["output"]]
        plain = [o for o in self.operands if not o["raw"]]
        kind = t["reduce_type"] or cpp(outs[0]["dtype"])
        return [f"const ptrdiff_t shim_n = {self.size} / shim_mode; CIndexer<1> _out_ind({{shim_mode}}); CIndexer<2> _in_ind({{shim_n, shim_mode}});",
                f"typedef {kind} _type_reduce;"] + self.arrays() + [
            *[line for line, o in zip(self.element("0"), plain) if o["scalar"]],
            "for (ptrdiff_t _i = 0; _i < shim_mode; ++_i) { _out_ind.set(_i);",
            f"_type_reduce _s = _type_reduce({t['identity']});",
            "for (ptrdiff_t _J = 0; _J < shim_n; ++_J) { const ptrdiff_t _j = _i + _J * shim_mode; _in_ind.set(_j);",
            *[line for line, o in zip(self.element("_i * shim_n + _J"), plain) if not o["output"] and not o["scalar"]],
            f"const _type_reduce shim_x = static_cast<_type_reduce>({t['map_expr']});",
            f"_s = [&](const _type_reduce& a, const _type_reduce& b) -> _type_reduce {{ return ({t['reduce_expr']}); }}(_s, shim_x); }}",
            *[line for line, o in zip(self.element("_i"), plain) if o["output"]],
            f"const _type_reduce& a = _s; {t['post_map_expr']}; }}"]


def variables_of(entry):
    found = []
    for _, kind, _ in parameters(entry["in_params"]) + parameters(entry["out_params"]):
        if len(kind) == 1 and kind not in found:
            found.append(kind)
    return found


def of_elementwise(entry):
    texts = {k: entry.get(k) or "" for k in ("in_params", "out_params", "operation", "preamble", "loop_prep", "after_loop")}
    return [Case(entry, "elementwise", entry.get("name") or "kernel", types, **texts) for types in choices(entry, variables_of(entry), list(texts.values()))]


def of_reduction(entry):
    texts = {k: str(entry.get(k) if entry.get(k) is not None else "") for k in
             ("in_params", "out_params", "map_expr", "reduce_expr", "post_map_expr", "identity", "reduce_type", "preamble")}
    return [Case(entry, "reduction", entry.get("name") or "reduce_kernel", types, **texts) for types in choices(entry, variables_of(entry), list(texts.values()))]


def loops_of(entry):
    """(types of inputs, of outputs, routine) of the loops that are tried: some of those with the same text."""
    chosen = {}
    for op in entry["ops"]:
        spelled, routine = (op, None) if isinstance(op, str) else (op[0], op[1])
        if routine is None or isinstance(routine, (list, tuple)):
            routine = [r if r is not None else d for r, d in zip(routine or [None] * 4, entry["routine"])] if isinstance(entry["routine"], list) else entry["routine"]
        if not routine or "->" not in spelled or isinstance(routine, str) and "out" not in routine:
            continue
        ins, outs = spelled.split("->")
        key = (json.dumps(routine), len(ins))
        if all(c in CHARS for c in ins + outs) and (ins[:1] in LOOPS or key not in chosen):
            chosen.setdefault(key, []).append((ins, outs, routine))
    return [loop for group in chosen.values() for loop in group]


def of_ufunc(entry):
    made = []
    for ins, outs, routine in loops_of(entry):
        lists = [[(f"{side}{k}", CHARS[c]) for k, c in enumerate(chars)] for side, chars in (("in", ins), ("out", outs))]
        params = [", ".join(f"{d} {n}" for n, d in each) for each in lists]
        preamble = entry.get("preamble") or ""
        if entry["kind"] == "ufunc":
            typedefs = "".join(f"typedef {cpp(d)} {n}_type;\n" for each in lists for n, d in each)
            case = Case(entry, "elementwise", entry["name"] + " " + ins + "->" + outs, {}, in_params=params[0], out_params=params[1], operation=routine,
                        preamble=typedefs + preamble, loop_prep=entry.get("loop_prep") or "", after_loop="")
        else:
            typedefs = "".join(f"typedef {cpp(d)} type_{n}_raw;\n" for each in lists for n, d in each)
            identity = entry.get("identity")
            case = Case(entry, "reduction", entry["name"] + " " + ins + "->" + outs, {}, in_params=params[0], out_params=params[1], map_expr=routine[0],
                        reduce_expr=routine[1], post_map_expr=routine[2], reduce_type=routine[3] or "", identity="" if identity is None else str(identity),
                        preamble=typedefs + preamble)
        made.append([case])
    return made


def compile_references(cases, folder, syntax):
    """Numbers of the cases whose reference g++ takes; without `syntax` also the library of all of them."""
    good, text = set(cases), {number: case.reference(number) for number, case in cases.items()}
    for _ in range(8):
        parts = [sorted(good)[k::16] for k in range(16)]

        def one(k):
            source = folder / f"part_{k}.cpp"
            own = sorted({line.strip() for n in parts[k] for line in INCLUDE.findall(cases[n].texts["preamble"]) if "xsf" in line})
            source.write_text("\n".join(['#include "reference.hpp"\n#include "reference_threads.hpp"', *own, *(text[n] for n in parts[k])]))
            how = ["-fsyntax-only"] if syntax else ["-c", "-o", str(folder / f"part_{k}.o")]
            return subprocess.run(["g++", "-std=c++17", "-O1", "-w", "-fPIC", "-ffp-contract=off", "-fno-strict-aliasing", "-fmax-errors=0", "-fno-diagnostics-show-caret",
                                   *[f"-I{f}" for f in (HERE, *folder.glob("cupy-*/cupy/_core/include"))], *how, str(source)], capture_output=True, text=True)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = list(pool.map(one, range(16)))
        errors = "".join(d.stderr for d in done)
        bad = {int(n) for line in errors.splitlines() if "error" in line for n in re.findall(r"^case_(\d+):", line)}
        bad |= {int(n) for line in errors.splitlines() if "required from" in line for n in re.findall(r"^case_(\d+):", line)}
        (folder / f"errors{'-syntax' if syntax else ''}.txt").open("a").write(errors)
        if not bad & good:
            if any(d.returncode for d in done):
                sys.exit("run.py: g++ fails and names no case:\n" + errors[:3000])
            break
        good -= bad
    if not syntax:
        subprocess.run(["g++", "-shared", "-Wl,-z,muldefs", "-o", str(folder / "reference.so"), *[str(folder / f"part_{k}.o") for k in range(16)]], check=True)
    return good


def make_cases(kernels, folder, sample=0):
    """Cases, two for each kernel with type variables: those dtypes with which g++ takes the text, else the likeliest."""
    options = []
    for entry in kernels:
        if entry["kind"] in ("elementwise", "reduction"):
            options.append((of_elementwise if entry["kind"] == "elementwise" else of_reduction)(entry))
        elif entry["kind"] in ("ufunc", "reduction_func"):
            options += of_ufunc(entry)
        else:
            options.append([RawCase(entry)])
    if sample:
        options = sorted(options, key=lambda each: hashlib.sha256(each[0].label.encode()).hexdigest())[:sample]
    options = [[c for c in each if c.valid()] or each[:1] for each in options]
    numbered = dict(enumerate(c for each in options if len(each) > 1 for c in each if c.valid()))
    place = {id(c): n for n, c in numbered.items()}
    good = compile_references(numbered, folder, syntax=True)
    chosen, labels = [], collections.Counter()
    for each in options:
        taken = [c for c in each if place.get(id(c)) in good][:2] if len(each) > 1 else each
        for case in taken or each[:1]:
            labels[case.label] += 1
            if labels[case.label] > 1:
                case.label += f" #{labels[case.label]}"
            chosen.append(case)
    return chosen


def run_chunk(driver, jobs, folder, target, number):
    """Runs a chunk of cases, past those that end the process: {id: (state, why)}."""
    cases = folder / f"cases_{target}_{number}.json"
    cases.write_text(json.dumps([dict(job, target=target.split("-")[0]) for job in jobs]))
    env = dict(os.environ, **TARGETS[target], KILN_CACHE_DIR=str(folder / "cache"), KILN_RECORD=str(folder / f"manifest_{target}_{number}.json"))
    results, begin = {}, 0
    while begin < len(jobs):
        try:
            done = subprocess.run([driver, "run", cases, folder / "reference.so", str(begin)], env=env, capture_output=True, text=True, timeout=600)
            status, out, why = done.returncode, done.stdout, f"the process ends with status {done.returncode}: {done.stderr[-300:]}"
        except subprocess.TimeoutExpired as late:
            status, out, why = 1, (late.stdout or b"").decode(), "no end within 600 s"
        lines = [line.split("\t") for line in out.splitlines() if line.count("\t") == 2]
        results.update({int(i): (state, text.replace("\v", "\n")) for i, state, text in lines})
        begin += len(lines)
        if begin < len(jobs) and status != 3:  # the driver's kGoOn
            results[jobs[begin]["id"]] = ("wrong", why)
            begin += 1
    return results


def compile_chunk(driver, manifest, folder):
    env = dict(os.environ, **TARGETS["gfx942"], KILN_CACHE_DIR=str(folder / "cache"))
    recorded = json.loads(manifest.read_text())
    recorded["kernels"] = [k for k in recorded["kernels"] if k.get("kind") != "cupy.raw"]  # which have jobs of their own
    manifest.write_text(json.dumps(recorded))
    done = subprocess.run([driver, "compile", manifest, "gfx942"], env=env, capture_output=True, text=True, timeout=3600)
    found = {}
    for name, state, why in (line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 2):
        number = int(name.rsplit("_", 1)[1])
        if found.get(number, ("",))[0] != "refused":
            found[number] = (state, why.replace("\v", "\n"))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--target", action="append", choices=list(TARGETS))
    parser.add_argument("--only", default="")
    parser.add_argument("kernels", type=pathlib.Path, nargs="+")
    wanted = parser.parse_args()
    folder = wanted.build.resolve()
    targets = wanted.target or list(TARGETS)
    for stale in list(folder.glob("manifest_*.json")) + list(folder.glob("cases_*.json")) + list(folder.glob("errors*.txt")):
        stale.unlink()
    shutil.rmtree(folder / "cache", ignore_errors=True)
    kernels = [k for file in wanted.kernels for k in json.loads(file.read_text())["kernels"] if re.search(wanted.only, f"{k['project']}/{k['file']}:{k.get('name')}")]
    known = json.loads((HERE / "known.json").read_text())
    cases = [c for c in make_cases(kernels, folder, wanted.sample) if not any(part in c.label for part in known["invalid"])]
    for case in cases:
        case.unordered, case.racing = any(part in case.label for part in known["races"]), tuple(known["races"])
    numbered = dict(enumerate(cases))
    print(f"{len(kernels)} kernels, {len(cases)} cases", flush=True)
    referred = compile_references(numbered, folder, syntax=False)
    print(f"{len(referred)} have a reference", flush=True)
    own = next(folder.glob("cupy-*/cupy/_core/include"), folder)
    jobs = [dict(case.job(number, own), seed=int(hashlib.sha256(case.label.encode()).hexdigest()[:12], 16)) for number, case in numbered.items()]
    chunks = [jobs[k::max(1, len(jobs) // CHUNK)] for k in range(max(1, len(jobs) // CHUNK))]
    results = {target: {} for target in targets}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(run_chunk, wanted.driver, [j for j in chunk if target != "gfx942" or j["kind"] == "raw"], folder, target, k): target
                   for target in targets for k, chunk in enumerate(chunks)}
        for done in concurrent.futures.as_completed(running):
            results[running[done]].update(done.result())
        if "gfx942" in targets:
            for found in pool.map(lambda m: compile_chunk(wanted.driver, m, folder), sorted(folder.glob("manifest_[ns]*.json"))):
                for number, (state, why) in found.items():
                    if results["gfx942"].get(number, ("",))[0] != "refused":
                        results["gfx942"][number] = (state, why)
    (folder / "results.json").write_text(json.dumps({t: {numbered[n].label: r for n, r in sorted(found.items())} for t, found in results.items()}, indent=1))
    return report(numbered, results, known, wanted)


def report(cases, results, known, wanted):
    table, wrong, launched = collections.defaultdict(collections.Counter), [], collections.defaultdict(collections.Counter)

    def reasons(label, target):
        return [r for pattern, r in known["fail"].items() if (part := pattern.split(" on "))[0] in label and target in (part[1:] or [target])]

    for target, found in results.items():
        for number, case in cases.items():
            if number not in found:  # nobody recorded a call, for gfx942
                continue
            state, why = found[number]
            fails = state not in ("right", "compiled")
            row = table[case.shown, target]
            row.update(tried=1, compiled=state != "refused", compared=state in ("right", "wrong"), right=state == "right", failed=fails)
            if of := re.match(r"(\d+) of (\d+) kernels compared", why):
                launched[target].update(compared=int(of[1]), all=int(of[2]))
            if fails and not reasons(case.label, target):
                wrong.append(f"FAILED {target} {case.label}: {state}: {why[:1500]}")
            if not fails and reasons(case.label, target):
                wrong.append(f"PASSES, and known.json lists it: {target} {case.label}")
    print("\n".join(wrong))
    columns = ["tried", "compiled", "compared", "right"]
    lines = ["| kind | target | " + " | ".join(columns) + " |", "| --- " * 6 + "|"]
    lines += [f"| {kind} | {target} | " + " | ".join(str(row[c]) for c in columns) + " |" for (kind, target), row in sorted(table.items())]
    print("\n".join(lines))
    print("\n".join(f"{target}: of {count['all']} kernels of these raw sources {count['compared']} were launched and are right" for target, count in launched.items() if count["compared"]))
    total = sum(table.values(), collections.Counter())
    summary = dict(passed=total["tried"] - total["failed"], failed=len(wrong), skipped=total["failed"] - sum(w.startswith("FAILED") for w in wrong))
    (wanted.build / "test-summary.json").write_text(json.dumps(summary))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
