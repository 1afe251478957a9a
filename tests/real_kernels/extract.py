#!/usr/bin/env python3
"""Finds the kernels that a Python project defines as C++ strings and prints them as JSON.

usage: extract.py PROJECT FOLDER > kernels.json      PROJECT is a name for the report, FOLDER the project's sources

It is a small abstract interpreter over Python's `ast`. It executes each module and each function body with unknown values for what is
not a constant. It takes both ways of an `if` whose test is unknown, and calls helpers of the same tree with what their callers pass.
A kernel whose text is a constant is an entry; another is `skipped` with the reason. Cython files become Python by dropping their
declarations. Nothing of the tree is imported or run.
"""
import ast
import json
import os
import re
import string
import sys
import textwrap
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(20000)
MAX_PATHS, MAX_DEPTH, MAX_STEPS = 12, 10, 40000


class Unknown:
    def __init__(self, why, path=""):
        self.why, self.path = why, path

    def __repr__(self):
        return f"<{self.why}>"


class Module:
    def __init__(self, name, file):
        self.name, self.file, self.env, self.state = name, file, {}, 0


class Func:
    def __init__(self, node, module, env, bound=None):
        self.node, self.module, self.env, self.bound = node, module, env, bound


class Class:
    def __init__(self, node, module, env):
        self.node, self.module, self.env = node, module, env


class Kernel:
    def __init__(self, entry):
        self.entry = entry


class Dtype:
    def __init__(self, name):
        self.name = name


class Steps(Exception):
    pass


CONSTRUCTORS = {"ElementwiseKernel", "ReductionKernel", "create_ufunc", "create_reduction_func", "RawKernel", "RawModule"}
DOTTED = {"cuda.elementwise": "elementwise", "cuda.reduce": "reduce", "cuda.raw": "RawKernel", "backend.cuda.elementwise": "elementwise"}
NUMPY = {"bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64",
         "complex128", "intp", "float_", "int_"}
CTYPE = {"float32": "float", "float64": "double", "int32": "int", "int64": "long long", "uint32": "unsigned int", "uint64": "unsigned long long",
         "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "bool": "bool",
         "complex64": "complex<float>", "complex128": "complex<double>", "float16": "half"}


def plain(v):
    return isinstance(v, (str, int, float, bool, type(None), bytes, complex))


def known(v):
    if plain(v) or isinstance(v, (Kernel, Dtype)):
        return True
    if isinstance(v, (tuple, list)):
        return all(known(x) for x in v)
    if isinstance(v, dict):
        return all(known(x) for x in v.values())
    return False


def first_unknown(v):
    if isinstance(v, Unknown):
        return v.why
    if isinstance(v, (tuple, list)):
        for x in v:
            w = first_unknown(x)
            if w:
                return w
    if isinstance(v, dict):
        for x in v.values():
            w = first_unknown(x)
            if w:
                return w
    if not known(v):
        return f"a {type(v).__name__.lower()} of Python"
    return None


def de_cython(text):
    """Cython to something that Python's parser takes: declarations go, so do casts and types of parameters."""
    out, lines, n = [], text.split("\n"), 0
    in_string = None
    skip_block = None
    pending = None
    for line in lines:
        if in_string:
            out.append(line)
            if line.count(in_string) % 2:
                in_string = None
            continue
        indent = len(line) - len(line.lstrip())
        s = line.strip()
        if skip_block is not None:
            if s and indent <= skip_block:
                skip_block = None
            else:
                out.append("")
                continue
        for q in ('"""', "'''"):
            if s.count(q) % 2 and not s.startswith("#"):
                in_string = q
        pad = line[:indent]
        if re.match(r"(cimport |from .* cimport )", s):
            if s.endswith("(") or (s.count("(") > s.count(")")):
                pending = "paren"
            out.append(pad + "pass")
            if s.endswith("\\"):
                pending = "slash"
            continue
        if pending == "paren":
            out.append("")
            if ")" in s:
                pending = None
            continue
        if pending == "slash":
            out.append("")
            if not s.endswith("\\"):
                pending = None
            continue
        if re.match(r"cdef (extern|class|struct|cppclass|enum|union|packed|inline class)", s) or re.match(r"cdef\s*:$", s) or re.match(r"ctypedef\b", s) or re.match(r"cdef public:", s):
            if s.startswith("cdef class"):
                m = re.match(r"cdef class (\w+)(\(.*\))?:", s)
                out.append(pad + (f"class {m.group(1)}:" if m else "if True:"))
                continue
            out.append(pad + "pass")
            if s.endswith(":"):
                skip_block = indent
            continue
        m = re.match(r"(cdef|cpdef)\s+(.*)$", s)
        if m:
            rest = m.group(2)
            f = re.match(r"(?:[\w\.\*&<>\[\], ]+?\s+)?\**(\w+)\((.*)$", rest)
            eq = re.match(r"(?:(?:readonly|public|inline|static)\s+)*(?:const\s+)?(?:[\w\.]+(?:\[[^\]]*\])?(?:<[^>]*>)?\s*[\*&]*\s+)?(\w+)\s*=\s*(.*)$", rest)
            if eq and (not f or rest.index("=") < rest.index("(")):
                out.append(f"{pad}{eq.group(1)} = {strip_casts(eq.group(2))}")
            elif f and "=" not in rest.split("(")[0]:
                out.append(f"{pad}def {f.group(1)}({f.group(2)}")
                n += 1
            else:
                out.append(pad + "pass")
            continue
        out.append(strip_casts(line))
    text = "\n".join(out)

    def header(m):
        args = m.group(3)
        parts, depth, cur = [], 0, ""
        for c in args:
            if c in "([{<":
                depth += 1
            if c in ")]}>":
                depth -= 1
            if c == "," and depth == 0:
                parts.append(cur)
                cur = ""
            else:
                cur += c
        parts.append(cur)
        names = []
        for p in parts:
            p = p.strip()
            if not p:
                continue
            d = ""
            if "=" in p:
                p, d = p.split("=", 1)
                d = "=" + d.strip()
            star = re.match(r"^(\*{1,2})(\w+)$", p.strip())
            if star:
                names.append(star.group(0))
                continue
            if p.strip() in ("*", "/"):
                names.append(p.strip())
                continue
            w = re.findall(r"[A-Za-z_]\w*", p.split(":")[0])
            if not w:
                return m.group(0)
            names.append(w[-1] + d)
        return f"{m.group(1)}def {m.group(2)}({', '.join(names)}):"

    return re.sub(r"^([ ]*)def (\w+)\(((?:[^()]|\([^()]*\))*)\)[^\n:]*:", header, text, flags=re.M)


def strip_casts(line):
    return re.sub(r"<[A-Za-z_][\w\. ]*[\*&]?>\s*(?=[\w(&])", "", line) if "<" in line and "'" not in line and '"' not in line else line


def parse(text, pyx):
    if not pyx:
        return ast.parse(text), []
    text = de_cython(text)
    lost = []
    for _ in range(200):
        try:
            return ast.parse(text), lost
        except SyntaxError as e:
            lines = text.split("\n")
            k = min((e.lineno or 1) - 1, len(lines) - 1)
            # drop the top-level block in which the fault is
            a = k
            while a > 0 and not (lines[a] and not lines[a][0].isspace() and not lines[a].startswith((")", "'", '"', "]", "}"))):
                a -= 1
            b = k + 1
            while b < len(lines) and (not lines[b] or lines[b][0].isspace() or lines[b].startswith((")", "]", "}", "'''", '"""'))):
                b += 1
            lost.append(lines[a][:80])
            for j in range(a, b):
                lines[j] = ""
            lines[a] = "pass"
            text = "\n".join(lines)
    return None, lost


class Extractor:
    def __init__(self, project, root):
        self.project, self.root = project, root
        self.modules, self.entries, self.lost = {}, [], []
        self.sites = {}          # (file, line, kind) -> {"done": n, "why": set}
        self.files = []
        self.consumed = set()
        self.seen = set()
        self.depth = self.steps = 0
        for folder, dirs, names in os.walk(root):
            dirs[:] = sorted(d for d in dirs if d not in (".git", "build", "third_party"))
            for n in sorted(names):
                if n.endswith((".py", ".pyx", ".pxi")):
                    self.files.append(os.path.relpath(os.path.join(folder, n), root))
        self.index = {}
        for f in self.files:
            parts = re.sub(r"\.(py|pyx|pxi)$", "", f).split(os.sep)
            if parts[-1] == "__init__":
                parts = parts[:-1]
            for k in range(len(parts)):
                self.index.setdefault(".".join(parts[k:]), []).append(f)

    # --- modules
    def module_of(self, dotted, near):
        c = self.index.get(dotted)
        if not c:
            return None
        c = sorted(c, key=lambda f: (-len(os.path.commonprefix([f, near])), len(f)))
        return self.load(c[0])

    def load(self, file):
        if file in self.modules:
            return self.modules[file]
        m = self.modules[file] = Module(file, file)
        path = os.path.join(self.root, file)
        try:
            text = open(path, encoding="utf-8", errors="replace").read()
            tree, lost = parse(text, file.endswith((".pyx", ".pxi")))
        except (SyntaxError, ValueError) as e:
            self.lost.append((file, f"cannot be parsed: {e}"))
            return m
        for l in lost:
            self.lost.append((file, f"block not parsed: {l}"))
        if tree is None:
            return m
        m.text, m.tree = text, tree
        saved = self.steps, self.depth
        self.steps = 0
        try:
            self.block(tree.body, m.env, m)
        except Steps:
            self.lost.append((file, "too many steps"))
        self.steps, self.depth = saved
        m.state = 2
        return m

    def run(self):
        for f in self.files:
            self.load(f)
        wanted = self.functions_that_matter()
        for f in self.files:
            m = self.modules[f]
            if not hasattr(m, "tree"):
                continue
            for node in ast.walk(m.tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in wanted:
                    env = {}
                    a = node.args
                    for x in a.posonlyargs + a.args + a.kwonlyargs:
                        env[x.arg] = Unknown(f"argument `{x.arg}` of Python's {node.name}()", x.arg)
                    for x in (a.vararg, a.kwarg):
                        if x:
                            env[x.arg] = Unknown(f"argument `{x.arg}` of Python's {node.name}()", x.arg)
                    scope = Scope(m.env, env)
                    self.steps = 0
                    try:
                        self.block(node.body, scope, m)
                    except Steps:
                        self.lost.append((f, f"too many steps in {node.name}"))
        self.raw_strings()
        return self.result()

    def functions_that_matter(self):
        """Names of functions that call a constructor, or a function that does."""
        calls = {}
        for f in self.files:
            m = self.modules[f]
            if hasattr(m, "tree"):
                for node in ast.walk(m.tree):
                    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        c = calls.setdefault(node.name, set())
                        for x in ast.walk(node):
                            if isinstance(x, ast.Call):
                                c.add(dotted(x.func).split(".")[-1])
        wanted = set(CONSTRUCTORS) | {"elementwise", "reduce", "raw"}
        for _ in range(2):
            wanted |= {n for n, c in calls.items() if c & wanted and n not in ("__init__", "__call__", "main", "forward", "run", "get", "backward")
                       or c & (CONSTRUCTORS | {"elementwise", "reduce"})}
        return wanted

    def raw_strings(self):
        """String constants with __global__ in them that no constructor has taken."""
        for f in self.files:
            m = self.modules[f]
            if not hasattr(m, "tree"):
                continue
            docs = set()
            for node in ast.walk(m.tree):
                if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and node.body and isinstance(node.body[0], ast.Expr):
                    docs.add(id(node.body[0].value))
                if isinstance(node, ast.JoinedStr):
                    for v in node.values:
                        docs.add(id(v))
                    if any(isinstance(v, ast.Constant) and "__global__" in str(v.value) for v in node.values):
                        self.note(f, node.lineno, "raw", "f-string of unknown values", string=True)
            for node in ast.walk(m.tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and "__global__" in node.value and "{" in node.value and id(node) not in docs:
                    if any(node.value in c for c in self.consumed):
                        continue
                    if re.search(r"\$\{|%\(\w+\)[sd]|\{\{|\$\w+|%s|\{0\}|\{\w+\}", node.value):
                        self.note(f, node.lineno, "raw", "a template that Python fills in (%, format, string.Template, mako, jinja)", string=True)
                        continue
                    self.add(f, node.lineno, "raw", dict(code=node.value, name=None, how="string"))

    def note(self, file, line, kind, why, string=False):
        s = self.sites.setdefault((file, line, kind), {"done": 0, "why": [], "string": string})
        if why not in s["why"]:
            s["why"].append(why)

    def add(self, file, line, kind, fields):
        s = self.sites.setdefault((file, line, kind), {"done": 0, "why": [], "string": False})
        key = json.dumps([file, line, kind, fields], sort_keys=True, default=str)
        if "code" in fields:
            self.consumed.add(fields["code"])
        if key in self.seen:
            return None
        self.seen.add(key)
        s["done"] += 1
        e = dict(project=self.project, file=file, line=line, kind=kind, **fields)
        self.entries.append(e)
        return e

    def result(self):
        skipped = []
        has = {f for (f, l, k), s in self.sites.items() if not s["string"]}
        for (f, l, k), s in sorted(self.sites.items()):
            if s["string"] and not s["done"] and f in has:
                continue
            if not s["done"]:
                skipped.append(dict(project=self.project, file=f, line=l, kind=k, reason=s["why"][0] if s["why"] else "?"))
        return dict(project=self.project, kernels=self.entries, skipped=skipped,
                    not_read=[dict(file=f, why=w) for f, w in self.lost if ".py" in f])

    # --- statements: one path after the other; gives a list of (env, returned?) is too dear, so forks copy the scope
    def tick(self):
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Steps()

    def block(self, body, env, m, k=0):
        """Executes statements; gives the list of values returned, one for each path."""
        paths = [env]
        returns = []
        for st in body:
            nxt = []
            for e in paths:
                more, rets = self.stmt(st, e, m)
                returns += rets
                nxt += more
            paths = nxt[:MAX_PATHS]
            if not paths:
                break
        self.open_paths = paths
        return returns, paths

    def stmt(self, st, env, m):
        self.tick()
        if isinstance(st, ast.Assign):
            v = self.ev(st.value, env, m)
            for t in st.targets:
                self.bind(t, v, env, m)
        elif isinstance(st, ast.AnnAssign):
            if st.value is not None:
                self.bind(st.target, self.ev(st.value, env, m), env, m)
        elif isinstance(st, ast.AugAssign):
            cur = self.ev(ast.copy_location(ast.Name(id=st.target.id, ctx=ast.Load()), st), env, m) if isinstance(st.target, ast.Name) else Unknown("an attribute")
            self.bind(st.target, self.binop(st.op, cur, self.ev(st.value, env, m)), env, m)
        elif isinstance(st, ast.Expr):
            self.ev(st.value, env, m)
        elif isinstance(st, ast.Return):
            return [], [self.ev(st.value, env, m) if st.value is not None else None]
        elif isinstance(st, (ast.Raise, ast.Continue, ast.Break)):
            if isinstance(st, ast.Raise):
                return [], []
            env["__signal__"] = True
            return [env], []
        elif isinstance(st, ast.If):
            t = self.truth(self.ev(st.test, env, m))
            if t is True:
                r, p = self.block(st.body, env, m)
                return p, r
            if t is False:
                r, p = self.block(st.orelse, env, m)
                return p, r
            a, b = fork(env), fork(env)
            if type(env) is dict:      # module level: both, in order
                r1, _ = self.block(st.body, env, m)
                r2, _ = self.block(st.orelse, env, m)
                return [env], r1 + r2
            r1, p1 = self.block(st.body, a, m)
            r2, p2 = self.block(st.orelse, b, m)
            return p1 + p2, r1 + r2
        elif isinstance(st, (ast.For, ast.AsyncFor)):
            it = self.ev(st.iter, env, m)
            if isinstance(it, dict):
                it = list(it)
            if isinstance(it, (list, tuple, str)) and len(it) <= 300:
                paths, rets = [env], []
                for x in it:
                    nxt = []
                    for e in paths:
                        self.bind(st.target, x, e, m)
                        r, p = self.block(st.body, e, m)
                        rets += r
                        nxt += p
                    paths = nxt[:MAX_PATHS]
                return paths, rets
            self.bind(st.target, Unknown("a loop of Python over what is not constant"), env, m)
            touched = {n.id for s in st.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            touched |= {n.func.value.id for s in st.body for n in ast.walk(s) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
                        and n.func.attr in ("append", "extend") and isinstance(n.func.value, ast.Name)}
            r, p = self.block(st.body, env, m)
            for e in p:
                for t in touched:
                    if isinstance(lookup(e, t), (str, list, tuple)):
                        e[t] = Unknown("text that a loop of Python makes")
            return p, r
        elif isinstance(st, ast.While):
            r, p = self.block(st.body, env, m)
            return p, r
        elif isinstance(st, (ast.With, ast.AsyncWith)):
            for i in st.items:
                v = self.ev(i.context_expr, env, m)
                if i.optional_vars is not None:
                    self.bind(i.optional_vars, v, env, m)
            r, p = self.block(st.body, env, m)
            return p, r
        elif isinstance(st, ast.Try) or st.__class__.__name__ == "TryStar":
            r, p = self.block(st.body, env, m)
            rets, paths = r, p
            if not paths and not rets:
                paths = [env]
            for e in paths[:1]:
                for h in st.handlers:
                    if not any(isinstance(n, (ast.Raise,)) for s in h.body for n in ast.walk(s)):
                        f = fork(e)
                        for s in h.body:
                            if not isinstance(s, (ast.Import, ast.ImportFrom, ast.Assign)):
                                try:
                                    self.stmt(s, f, m)
                                except RecursionError:
                                    pass
            if paths:
                for e in list(paths):
                    r2, p2 = self.block(st.orelse + st.finalbody, e, m)
                    rets += r2
            return paths, rets
        elif isinstance(st, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for d in st.decorator_list:
                self.ev(d, env, m)
            env[st.name] = Func(st, m, env)
        elif isinstance(st, ast.ClassDef):
            scope = Scope(env, {})
            self.block(st.body, scope, m)
            c = Class(st, m, scope)
            env[st.name] = c
        elif isinstance(st, ast.Import):
            for a in st.names:
                if a.asname:
                    env[a.asname] = Unknown(a.name, a.name)
                    mod = self.module_of(a.name, m.file)
                    if mod:
                        env[a.asname] = mod
                else:
                    top = a.name.split(".")[0]
                    env[top] = Package(top)
        elif isinstance(st, ast.ImportFrom):
            base = st.module or ""
            if st.level:
                parts = m.file.split(os.sep)[:-st.level] if st.level <= len(m.file.split(os.sep)) else []
                base = ".".join(parts + ([base] if base else []))
            for a in st.names:
                if a.name == "*":
                    mod = self.module_of(base, m.file)
                    if mod:
                        for k, v in list(mod.env.items()):
                            env.setdefault(k, v)
                    continue
                mod = self.module_of(base + "." + a.name, m.file) if base else None
                if mod is None:
                    holder = self.module_of(base, m.file)
                    if holder is not None and a.name in holder.env:
                        env[a.asname or a.name] = holder.env[a.name]
                        continue
                env[a.asname or a.name] = mod if mod is not None else Unknown(f"{base}.{a.name}", f"{base}.{a.name}")
        return [env], []

    def bind(self, t, v, env, m):
        if isinstance(t, ast.Name):
            env[t.id] = v
        elif isinstance(t, (ast.Tuple, ast.List)):
            if isinstance(v, (tuple, list)) and len(v) == len(t.elts) and not any(isinstance(x, ast.Starred) for x in t.elts):
                for x, y in zip(t.elts, v):
                    self.bind(x, y, env, m)
            else:
                for x in t.elts:
                    self.bind(x.value if isinstance(x, ast.Starred) else x, Unknown(first_unknown(v) or "a part of a value"), env, m)
        elif isinstance(t, ast.Subscript):
            base = self.ev(t.value, env, m)
            key = self.ev(t.slice, env, m)
            if isinstance(base, dict) and plain(key):
                base[key] = v
            elif isinstance(base, list) and isinstance(key, int) and -len(base) <= key < len(base):
                base[key] = v

    # --- expressions
    def truth(self, v):
        if plain(v) or isinstance(v, (tuple, list, dict)):
            return bool(v)
        return None

    def binop(self, op, a, b):
        if isinstance(op, ast.Add):
            if isinstance(a, (str, int, float)) and isinstance(b, (str, int, float)):
                try:
                    return taint(a + b, a, b)
                except TypeError:
                    return Unknown("a sum of different types")
            if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
                return type(a)(list(a) + list(b))
        if isinstance(op, ast.Mod) and isinstance(a, str):
            b = tuple(sample(x) for x in b) if isinstance(b, tuple) else {k: sample(x) for k, x in b.items()} if isinstance(b, dict) else b
            if known(b):
                try:
                    if any(isinstance(x, Sample) for x in (b if isinstance(b, tuple) else b.values() if isinstance(b, dict) else (b,))) or isinstance(a, Sample):
                        return Sample(re.sub(r"%(\(\w+\))?[-+0-9.]*[dfgi]", lambda mt: "%" + (mt.group(1) or "") + "s", str(a)) % (
                            tuple(show(x) for x in b) if isinstance(b, tuple) else {k: show(x) for k, x in b.items()} if isinstance(b, dict) else show(b)))
                    return a % (tuple(show(x) for x in b) if isinstance(b, tuple) else {k: show(x) for k, x in b.items()} if isinstance(b, dict) else show(b))
                except (TypeError, ValueError, KeyError):
                    return Unknown("a format that does not fit")
            return Unknown(first_unknown(b) or "a format of unknown values")
        if isinstance(op, ast.Mult):
            if isinstance(a, (str, tuple, list)) and isinstance(b, int) and b < 100:
                return a * b
            if isinstance(b, (str, tuple, list)) and isinstance(a, int) and a < 100:
                return a * b
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            try:
                return {ast.Mult: lambda: a * b, ast.Sub: lambda: a - b, ast.Div: lambda: a / b, ast.FloorDiv: lambda: a // b, ast.Mod: lambda: a % b,
                        ast.Pow: lambda: a ** b if abs(b) < 64 else Unknown("pow"), ast.LShift: lambda: a << b, ast.RShift: lambda: a >> b,
                        ast.BitOr: lambda: a | b, ast.BitAnd: lambda: a & b}.get(type(op), lambda: Unknown("an operator"))()
            except (ZeroDivisionError, TypeError, ValueError):
                return Unknown("arithmetic")
        return Unknown(first_unknown(a) or first_unknown(b) or "an operator")

    def ev(self, n, env, m):
        self.tick()
        t = type(n)
        if t is ast.Constant:
            return n.value
        if t is ast.Name:
            v = lookup(env, n.id)
            if v is MISSING:
                if n.id in ("True", "False", "None"):
                    return {"True": True, "False": False, "None": None}[n.id]
                return Unknown(f"name `{n.id}`", n.id)
            return v
        if t is ast.JoinedStr:
            out, samples = "", False
            for v in n.values:
                if isinstance(v, ast.Constant):
                    out += str(v.value)
                else:
                    x = sample(self.ev(v.value, env, m))
                    samples = samples or isinstance(x, Sample)
                    if not (plain(x) or isinstance(x, Dtype)):
                        return Unknown(first_unknown(x) or "an f-string of unknown values")
                    try:
                        spec = self.ev(v.format_spec, env, m) if v.format_spec else ""
                        out += format(repr(x) if v.conversion == 114 else show(x), spec if isinstance(spec, str) else "")
                    except (ValueError, TypeError):
                        return Unknown("a format")
            return Sample(out) if samples else out
        if t is ast.BinOp:
            return self.binop(n.op, self.ev(n.left, env, m), self.ev(n.right, env, m))
        if t in (ast.Tuple, ast.List):
            out = []
            for x in n.elts:
                if isinstance(x, ast.Starred):
                    v = self.ev(x.value, env, m)
                    if isinstance(v, (tuple, list)):
                        out += list(v)
                    elif isinstance(x.value, ast.Call) and dotted(x.value.func).endswith("bf16_loop"):
                        pass             # bfloat16 loops of CuPy, which are there only with ml_dtypes
                    else:
                        out.append(v)
                else:
                    out.append(self.ev(x, env, m))
            return tuple(out) if t is ast.Tuple else out
        if t is ast.Dict:
            d = {}
            for k, v in zip(n.keys, n.values):
                if k is None:
                    x = self.ev(v, env, m)
                    if isinstance(x, dict):
                        d.update(x)
                    continue
                kk = self.ev(k, env, m)
                if plain(kk):
                    d[kk] = self.ev(v, env, m)
                else:
                    self.ev(v, env, m)
            return d
        if t is ast.IfExp:
            c = self.truth(self.ev(n.test, env, m))
            if c is None:
                a, b = self.ev(n.body, env, m), self.ev(n.orelse, env, m)
                if known(a) and known(b) and a == b:
                    return a
                return Unknown(first_unknown(self.ev(n.test, env, m)) or "a choice of Python")
            return self.ev(n.body if c else n.orelse, env, m)
        if t is ast.Compare and len(n.ops) == 1:
            a, b = self.ev(n.left, env, m), self.ev(n.comparators[0], env, m)
            if isinstance(n.ops[0], (ast.Is, ast.IsNot)) and b is None and not isinstance(a, Unknown):
                return (a is None) == isinstance(n.ops[0], ast.Is)
            if known(a) and known(b):
                try:
                    return {ast.Eq: lambda: a == b, ast.NotEq: lambda: a != b, ast.Lt: lambda: a < b, ast.LtE: lambda: a <= b, ast.Gt: lambda: a > b,
                            ast.GtE: lambda: a >= b, ast.In: lambda: a in b, ast.NotIn: lambda: a not in b, ast.Is: lambda: a is b,
                            ast.IsNot: lambda: a is not b}[type(n.ops[0])]()
                except TypeError:
                    return Unknown("a comparison")
            return Unknown(first_unknown(a) or first_unknown(b) or "a comparison")
        if t is ast.BoolOp:
            vals = [self.ev(v, env, m) for v in n.values]
            ts = [self.truth(v) for v in vals]
            if isinstance(n.op, ast.And):
                if False in ts:
                    return vals[ts.index(False)]
                return vals[-1] if None not in ts else Unknown("a condition")
            if True in ts and None not in ts[:ts.index(True)]:
                return vals[ts.index(True)]
            return vals[-1] if None not in ts else Unknown("a condition")
        if t is ast.UnaryOp:
            v = self.ev(n.operand, env, m)
            if isinstance(n.op, ast.Not):
                c = self.truth(v)
                return Unknown("a condition") if c is None else not c
            if isinstance(v, (int, float)):
                return -v if isinstance(n.op, ast.USub) else v
            return Unknown("an operator")
        if t is ast.Attribute:
            return self.attribute(n, env, m)
        if t is ast.Subscript:
            base = self.ev(n.value, env, m)
            if isinstance(n.slice, ast.Slice):
                lo, hi, st = (self.ev(x, env, m) if x is not None else None for x in (n.slice.lower, n.slice.upper, n.slice.step))
                if isinstance(base, (str, tuple, list)) and all(x is None or isinstance(x, int) for x in (lo, hi, st)):
                    return base[slice(lo, hi, st)]
                return Unknown("a slice")
            k = self.ev(n.slice, env, m)
            if isinstance(base, (str, tuple, list, dict)) and plain(k):
                try:
                    return base[k]
                except (KeyError, IndexError, TypeError):
                    return Unknown("an element that is not there")
            return Unknown(first_unknown(base) or first_unknown(k) or "an element")
        if t in (ast.ListComp, ast.GeneratorExp, ast.SetComp):
            return self.comprehension(n, env, m)
        if t is ast.DictComp:
            return Unknown("a dictionary comprehension")
        if t is ast.Call:
            return self.call(n, env, m)
        if t is ast.Lambda:
            return Unknown("a lambda")
        if t is ast.NamedExpr:
            v = self.ev(n.value, env, m)
            self.bind(n.target, v, env, m)
            return v
        if t is ast.Starred:
            return self.ev(n.value, env, m)
        for c in ast.iter_child_nodes(n):
            if isinstance(c, ast.expr):
                self.ev(c, env, m)
        return Unknown("an expression of Python")

    def comprehension(self, n, env, m):
        out = []

        def go(k, e):
            if k == len(n.generators):
                out.append(self.ev(n.elt, e, m))
                return True
            g = n.generators[k]
            it = self.ev(g.iter, e, m)
            if isinstance(it, dict):
                it = list(it)
            if not isinstance(it, (list, tuple, str)) or len(it) > 500:
                return False
            for x in it:
                f = Scope(e, {})
                self.bind(g.target, x, f, m)
                ok = True
                for c in g.ifs:
                    tr = self.truth(self.ev(c, f, m))
                    if tr is None:
                        return False
                    ok = ok and tr
                if ok and not go(k + 1, f):
                    return False
            return True

        return out if go(0, env) else Unknown("a comprehension over what is not constant")

    def attribute(self, n, env, m):
        d = dotted(n)
        base = self.ev(n.value, env, m)
        if isinstance(base, Module):
            if n.attr in base.env:
                return base.env[n.attr]
            sub = re.sub(r"(/__init__)?\.(py|pyx|pxi)$", "", base.file).replace(os.sep, ".") + "." + n.attr
            mod = self.module_of(sub, m.file)
            return mod if mod is not None else Unknown(f"`{d}`", d)
        if isinstance(base, Package):
            mod = self.module_of(base.name + "." + n.attr, m.file)
            if n.attr in NUMPY:
                return Dtype(n.attr.rstrip("_"))
            top = self.module_of(base.name, m.file)
            if mod is not None:
                return mod
            if top is not None and n.attr in top.env:
                return top.env[n.attr]
            return Unknown(f"`{d}`", d)
        if isinstance(base, Class):
            v = lookup(base.env, n.attr)
            return Unknown(f"`{d}`", d) if v is MISSING else v
        if isinstance(base, Dtype):
            if n.attr == "name":
                return base.name
            if n.attr == "__name__":
                return base.name
            return base if n.attr in ("dtype", "type") else Unknown(f"`{d}`", d)
        if isinstance(base, Unknown):
            if n.attr in NUMPY and base.path in ("numpy", "np", "cupy", "cp"):
                return Dtype(n.attr.rstrip("_"))
            return Unknown(base.why if base.path else f"`{d}`", (base.path + "." if base.path else "") + n.attr)
        return Unknown(f"`{d}`", d)

    def call(self, n, env, m):
        d = dotted(n.func)
        last = d.split(".")[-1]
        kind = None
        if last in CONSTRUCTORS:
            kind = last
        for k, v in DOTTED.items():
            if d == k or d.endswith("." + k):
                kind = v
        if kind is None and last in ("elementwise", "reduce") and isinstance(n.func, ast.Attribute) and "cuda" in d:
            kind = last
        if kind:
            args = []
            for a in n.args:
                if isinstance(a, ast.Starred):
                    v = self.ev(a.value, env, m)
                    args += list(v) if isinstance(v, (tuple, list)) else [v]
                else:
                    args.append(self.ev(a, env, m))
            kw = {}
            for k in n.keywords:
                v = self.ev(k.value, env, m)
                if k.arg is None:
                    if isinstance(v, dict):
                        kw.update(v)
                else:
                    kw[k.arg] = v
            f = self.ev(n.func, env, m)
            if not (isinstance(f, Func) and kind not in ("create_ufunc", "create_reduction_func", "elementwise", "reduce")):
                return self.construct(kind, n, args, kw, m, env)
        if last == "bf16_loop":
            return ()
        f = self.ev(n.func, env, m)
        args = []
        star = False
        for a in n.args:
            if isinstance(a, ast.Starred):
                v = self.ev(a.value, env, m)
                if isinstance(v, (tuple, list)):
                    args += list(v)
                else:
                    star = True
            else:
                args.append(self.ev(a, env, m))
        kw = {}
        for k in n.keywords:
            v = self.ev(k.value, env, m)
            if k.arg is not None:
                kw[k.arg] = v
            elif isinstance(v, dict):
                kw.update(v)
        if isinstance(n.func, ast.Attribute):
            r = self.method(n.func.attr, self.ev(n.func.value, env, m), args, kw)
            if r is not MISSING:
                return r
        if isinstance(f, Func) and not star:
            return self.enter(f, args, kw)
        if d in ("string.Template", "Template", "_string.Template") and args:
            return Template(args[0]) if isinstance(args[0], str) else Unknown(first_unknown(args[0]) or "a template")
        if d in ("textwrap.dedent", "dedent", "inspect.cleandoc") and args and isinstance(args[0], str):
            return textwrap.dedent(args[0])
        if last == "bf16_loop":
            return ()
        if d in ("str", "tuple", "list", "len", "range", "zip", "enumerate", "repr", "int", "float", "hex", "sorted", "min", "max", "dict", "bool", "abs", "reversed", "sum", "map"):
            if d in ("range",) and all(isinstance(a, int) for a in args) and args:
                return list(range(*args))[:500]
            if d == "dict" and not args:
                return dict(kw)
            if all(known(a) for a in args) and args:
                try:
                    if d in ("zip", "enumerate", "reversed", "map"):
                        return [tuple(x) if d != "reversed" else x for x in {"zip": zip, "enumerate": enumerate, "reversed": reversed}[d](*args)]
                    if d == "str":
                        return show(args[0])
                    return {"tuple": tuple, "list": list, "len": len, "repr": repr, "int": int, "float": float, "hex": hex, "sorted": sorted,
                            "min": min, "max": max, "dict": dict, "bool": bool, "abs": abs, "sum": sum}[d](*args)
                except Exception:
                    return Unknown(f"{d}()")
            if d in ("tuple", "list") and args and isinstance(args[0], (tuple, list)):
                return tuple(args[0]) if d == "tuple" else list(args[0])
        if last == "open":
            return Unknown("the text is in a file that is read at run time", "open")
        if last in ("get_typename", "_get_typename", "get_ctype_name", "dtype_to_ctype", "base_dtype_to_ctype", "get_scalar_type") and args:
            return CTYPE.get(args[0].name, Unknown("a type's name")) if isinstance(args[0], Dtype) else Sample("float")
        if last == "dtype" and args and isinstance(args[0], (Dtype,)):
            return args[0]
        if last == "dtype" and args and isinstance(args[0], str) and re.fullmatch(r"[a-z]+\d+|bool", args[0]):
            return Dtype(args[0])
        why = first_unknown(f) if isinstance(f, Unknown) and f.why.startswith("the text is in a file") else None
        return Unknown(why or f"what {d or 'a call'}() gives", d + "()")

    def method(self, name, base, args, kw):
        if isinstance(base, Template):
            if name in ("substitute", "safe_substitute"):
                d = dict(args[0]) if args and isinstance(args[0], dict) else {}
                d.update(kw)
                d = {k: sample(v) for k, v in d.items()}
                if all(known(v) for v in d.values()):
                    try:
                        return taint(getattr(string.Template(base.text), name)({k: show(v) for k, v in d.items()}), *d.values())
                    except (KeyError, ValueError):
                        return Unknown("a template whose values are not all known")
                return Unknown(next(filter(None, (first_unknown(v) for v in d.values())), "a template of unknown values"))
            return Unknown("a template")
        if isinstance(base, str):
            if name == "format":
                args, kw = [sample(a) for a in args], {k: sample(v) for k, v in kw.items()}
                if all(known(a) for a in args) and all(known(v) for v in kw.values()):
                    try:
                        return taint(base, *args, *kw.values()).__class__(base.format(*[show(a) if not isinstance(a, (int, float, str)) else a for a in args], **{k: show(v) if isinstance(v, Dtype) else v for k, v in kw.items()}))
                    except (KeyError, IndexError, ValueError, AttributeError):
                        return Unknown("a format that does not fit")
                return Unknown(next(filter(None, [first_unknown(a) for a in list(args) + list(kw.values())]), "a format of unknown values"))
            if name == "join" and args and isinstance(args[0], (tuple, list)):
                if all(isinstance(x, str) for x in args[0]):
                    return taint(base.join(args[0]), *args[0])
                return Unknown(first_unknown(args[0]) or "joined text")
            if name in ("replace", "strip", "lstrip", "rstrip", "upper", "lower", "split", "splitlines", "startswith", "endswith", "title", "capitalize", "rsplit", "count", "find"):
                if all(plain(a) for a in args):
                    try:
                        r = getattr(base, name)(*args)
                        return taint(r, base, *args) if isinstance(r, str) else r
                    except (TypeError, ValueError):
                        return Unknown(name)
                return Unknown(first_unknown(args) or name)
        if isinstance(base, list):
            if name == "append" and args:
                base.append(args[0])
                return None
            if name == "extend" and args and isinstance(args[0], (tuple, list)):
                base.extend(args[0])
                return None
            if name in ("append", "extend", "insert"):
                base.append(Unknown("an element"))
                return None
        if isinstance(base, dict):
            if name == "items":
                return [tuple(x) for x in base.items()]
            if name == "keys":
                return list(base)
            if name == "values":
                return list(base.values())
            if name == "get" and args and plain(args[0]):
                return base.get(args[0], args[1] if len(args) > 1 else None)
            if name == "copy":
                return dict(base)
            if name == "update" and args and isinstance(args[0], dict):
                base.update(args[0])
                return None
        if isinstance(base, Unknown) and base.path == "open" or (isinstance(base, Unknown) and base.why.startswith("the text is in a file")):
            return Unknown("the text is in a file that is read at run time", "open")
        if name in ("read_text", "read"):
            return Unknown("the text is in a file that is read at run time", "open")
        return MISSING

    def enter(self, f, args, kw):
        if self.depth >= MAX_DEPTH:
            return Unknown("calls too deep")
        a = f.node.args
        env = {}
        names = [x.arg for x in a.posonlyargs + a.args]
        if f.bound is not None:
            args = [f.bound] + list(args)
        elif names and names[0] in ("self", "cls") and len(args) < len(names):
            args = [Unknown("self")] + list(args)
        for nme, d in zip(reversed(names), reversed(a.defaults)):
            env[nme] = self.ev(d, f.env, f.module)
        for x, d in zip(a.kwonlyargs, a.kw_defaults):
            env[x.arg] = self.ev(d, f.env, f.module) if d is not None else Unknown(f"argument `{x.arg}`")
        for k, v in zip(names, args):
            env[k] = v
        if a.vararg:
            env[a.vararg.arg] = tuple(args[len(names):])
        extra = {}
        for k, v in kw.items():
            if k in names or k in [x.arg for x in a.kwonlyargs]:
                env[k] = v
            else:
                extra[k] = v
        if a.kwarg:
            env[a.kwarg.arg] = extra
        for k in names:
            env.setdefault(k, Unknown(f"argument `{k}` of Python's {f.node.name}()", k))
        self.depth += 1
        try:
            rets, _ = self.block(f.node.body, Scope(f.env, env), f.module)
        finally:
            self.depth -= 1
        for r in rets:
            if known(r) and r is not None:
                same = [x for x in rets if known(x) and x is not None]
                if all(x == r for x in same) or all(isinstance(x, Kernel) for x in same):
                    return r
        if len(rets) == 1:
            return rets[0]
        if not rets:
            return None
        u = next((x for x in rets if isinstance(x, Unknown)), None)
        return Unknown(u.why if u else f"what {f.node.name}() gives by way of its conditions")

    # --- constructors
    def construct(self, kind, n, args, kw, m, env):
        file, line = m.file, n.lineno
        def get(i, name, default=MISSING):
            if name in kw:
                return kw[name]
            if i is not None and i < len(args):
                return args[i]
            return default

        def fields(spec, outkind):
            out, bad = {}, None
            for i, name, default in spec:
                v = get(i, name, default)
                if v is MISSING:
                    bad = bad or f"no `{name}`"
                    continue
                if not known(v):
                    if name in ("name", "options", "doc", "name_expressions"):
                        v = None
                    else:
                        bad = bad or f"`{name}`: {first_unknown(v)}"
                        continue
                if isinstance(v, Dtype):
                    v = v.name
                out[name] = v
            if any(isinstance(v, Sample) for v in out.values()):
                out["sampled"] = True
            if bad:
                self.note(file, line, outkind, bad)
                return Unknown("a kernel whose text is not constant")
            e = self.add(file, line, outkind, out)
            return Kernel(e)

        if kind in ("ElementwiseKernel", "elementwise"):
            return fields([(0, "in_params", MISSING), (1, "out_params", MISSING), (2, "operation", MISSING), (3, "name", "kernel"), (4, "reduce_dims", True),
                           (5, "preamble", ""), (None, "loop_prep", ""), (None, "after_loop", ""), (None, "options", ())], "elementwise")
        if kind in ("ReductionKernel", "reduce"):
            return fields([(0, "in_params", MISSING), (1, "out_params", MISSING), (2, "map_expr", MISSING), (3, "reduce_expr", MISSING),
                           (4, "post_map_expr", MISSING), (5, "identity", None), (6, "name", "reduce_kernel"), (7, "reduce_type", None), (8, "reduce_dims", True),
                           (9, "preamble", ""), (10, "options", ())], "reduction")
        if kind == "create_ufunc":
            return fields([(0, "name", MISSING), (1, "ops", MISSING), (2, "routine", None), (3, "preamble", ""), (6, "loop_prep", ""), (None, "out_ops", None)], "ufunc")
        if kind == "create_reduction_func":
            return fields([(0, "name", MISSING), (1, "ops", MISSING), (2, "routine", None), (3, "identity", None), (4, "preamble", ""),
                           (None, "sort_reduce_axis", True)], "reduction_func")
        if kind == "RawKernel":
            return fields([(0, "code", MISSING), (1, "name", None), (2, "options", ())], "raw")
        if kind == "RawModule":
            return fields([(None if "code" in kw else 0, "code", MISSING), (None, "name_expressions", ()), (None, "options", ())], "raw")
        return Unknown("a kernel")


class Sample(str):
    """A value that stands for one that only a run of the program knows: an element type, a size. Text made with it says so."""


NUMBERS = re.compile(r"width|height|resolution|threshold|alpha|size|noise|factor|range|dist|max|min|num|^n$|^n_|_n$|ramped|time|variance|weight|^dim|blocks|ndim|"
                     r"layer|cell|wall|outlier|enable|use_")


def sample(v):
    """For a value that a text is filled in with: what stands for an unknown number."""
    if isinstance(v, Unknown) and v.path and NUMBERS.search(v.path.split(".")[-1]):
        return Sample("8")
    return v


def taint(text, *values):
    return Sample(text) if any(isinstance(v, Sample) for v in values) else text


class Template:
    def __init__(self, text):
        self.text = text


class Package:
    def __init__(self, name):
        self.name = name


class Scope(dict):
    def __init__(self, outer, own):
        super().__init__(own)
        self.outer = outer


MISSING = object()


def lookup(env, name):
    while env is not None:
        if dict.__contains__(env, name):
            return dict.__getitem__(env, name)
        env = getattr(env, "outer", None)
    return MISSING


def fork(env):
    def copy(v):
        return list(v) if isinstance(v, list) else dict(v) if type(v) is dict else v
    if isinstance(env, Scope):
        return Scope(env.outer, {k: copy(v) for k, v in env.items()})
    return env


def show(v):
    return v.name if isinstance(v, Dtype) else v


def dotted(n):
    if isinstance(n, ast.Name):
        return n.id
    if isinstance(n, ast.Attribute):
        b = dotted(n.value)
        return f"{b}.{n.attr}" if b else n.attr
    return ""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    json.dump(Extractor(sys.argv[1], sys.argv[2]).run(), sys.stdout, indent=1, default=str)


if __name__ == "__main__":
    main()
