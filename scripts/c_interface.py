#!/usr/bin/env python3
"""Writes the declarations of the C interface, for each language, and its reference page, from include/kiln/c/kiln.yml.

usage: c_interface.py [ROOT]           write them below ROOT (the project)
       c_interface.py --check [ROOT]   compare, and say what is out of date (exit status 1)
       c_interface.py --stubs [ROOT]   print C that defines every function and does nothing, for scripts/abi.sh
"""
import json
import pathlib
import re
import sys
import textwrap

import jsonschema
import yaml

NOTE = "Made by scripts/c_interface.py of kiln.yml. Do not edit."


def load(root):
    spec = yaml.safe_load((root / "include/kiln/c/kiln.yml").read_text())
    jsonschema.validate(spec, json.loads((root / "include/kiln/c/c_interface.schema.json").read_text()))
    functions = [f for group in spec["groups"] for f in group["functions"]]
    names = [entry["name"] for entry in functions + spec["structs"] + spec["callbacks"] + spec["handles"]]
    names += [value["name"] for enum in spec["enums"] for value in enum["values"]]
    for name in names:
        if names.count(name) > 1:
            raise SystemExit(f"kiln.yml: {name} is there twice")
    return spec, functions


def paragraph(text, indent="", first="/* ", rest=" * ", last=" */", width=128):
    lines = textwrap.wrap(text, width - len(indent) - len(rest) - len(last), break_long_words=False, break_on_hyphens=False)
    return "\n".join(indent + (first if i == 0 else rest) + line for i, line in enumerate(lines)) + last


def declared(type_, name):
    """`int64_t[3]` and `grid` to `int64_t grid[3]`."""
    base, bracket, extent = type_.partition("[")
    return f"{base}{'' if base.endswith('*') and not name else ' '}{name}{bracket}{extent}"


def prototype(returns, name, params):
    return f"{returns} {name}({', '.join(declared(t, n) for n, t in params) or 'void'})"


# --- C

def member_c(member):
    if "union" in member:
        inner = "\n".join("    " + declared(m["type"], m["name"]) + ";" + (f" /* {m['text']} */" if "text" in m else "") for m in member["union"])
        return f"  union {{\n{inner}\n  }} {member['name']};"
    return f"  {declared(member['type'], member['name'])}; /* {member['text']} */"


def kiln_h(spec):
    out = ["/* clang-format off */", "/* NOLINTBEGIN(modernize-use-using) */", f"/* {spec['introduction'].rstrip()}".replace("\n", "\n * ").replace("\n * \n", "\n *\n"),
           " *", f" * {NOTE}", " */",
           "#ifndef KILN_C_KILN_H_", "#define KILN_C_KILN_H_", "#include <stddef.h>", "#include <stdint.h>", "",
           f"/* Version of the interface that is visible. */\n#ifndef KILN_API_VERSION\n#define KILN_API_VERSION {spec['api_version']}\n#endif",
           "/* Length of a string that a NUL ends. */\n#define KILN_NUL SIZE_MAX",
           "/* Number of axes that stands for all of them. */\n#define KILN_ALL_AXES SIZE_MAX", "",
           "#ifdef __cplusplus\n#define KILN_NOEXCEPT noexcept\n#define KILN_ZERO {}\nextern \"C\" {\n#else\n#define KILN_NOEXCEPT\n#define KILN_ZERO {0}\n#endif",
           "#define KILN_C_API __attribute__((visibility(\"default\")))",
           "#define KILN_CHECK __attribute__((warn_unused_result))",
           "/* A function: { sizeof(x) } is a warning of -Wextra in each file that uses it. */\n"
           "#define KILN_DEFAULTS(type) \\\n  static inline type type##_default(void) { \\\n    type value = KILN_ZERO; \\\n"
           "    value.struct_size = sizeof value; \\\n    return value; \\\n  }", ""]
    for handle in spec["handles"]:
        out.append(f"typedef struct {handle['name']} {handle['name']}; /* {handle['text']} */")
    out.append("\ntypedef int32_t kiln_status; /* kiln_status_code */")
    for enum in spec["enums"]:
        out.append(f"\n/* {enum['name']}: {enum['text']} */\nenum {{")
        out += [f"  {v['name']} = {v['value']}, /* {v['text']} */" for v in enum["values"][:-1]]
        out += [f"  {v['name']} = {v['value']} /* {v['text']} */" for v in enum["values"][-1:]] + ["};"]
    for struct in in_order(spec):
        if "params" in struct:
            returns = struct["returns"]
            params = ", ".join(declared(t, n) for n, t in struct["params"])
            out.append(f"\n{paragraph(struct['text'])}\ntypedef {returns} (*{struct['name']})({params});")
            continue
        out.append(f"\n{paragraph(struct['text'])}\ntypedef struct {struct['name']} {{")
        if struct.get("sized"):
            out.append("  size_t struct_size; /* bytes of the struct, as the caller knows it */")
        out += [member_c(m) for m in struct["members"]] + [f"}} {struct['name']};"]
        if struct.get("sized"):
            out.append(f"KILN_DEFAULTS({struct['name']})")
    for group in spec["groups"]:
        out.append(f"\n/* --- {group['title']} */")
        for f in group["functions"]:
            since = f.get("since", 1)
            guard = f"#if KILN_API_VERSION >= {since}\n" if since > 1 else ""
            check = "KILN_CHECK " if f["returns"] == "kiln_status" and f["name"] != "kiln_error_status" else ""
            gone = f"__attribute__((deprecated(\"{f['deprecated']}\"))) " if "deprecated" in f else ""
            text = f["text"] + (f" Since {since}." if since > 1 else "")
            declaration = f"KILN_C_API {check}{gone}{prototype(f['returns'], f['name'], f['params'])} KILN_NOEXCEPT;"
            lines = textwrap.wrap(declaration, 126, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
            out.append(guard + paragraph(text) + "\n" + "\n".join(lines) + ("\n#endif" if guard else ""))
    out.append("\n" + spec["helpers"].rstrip())
    out.append("\n#ifdef __cplusplus\n}\n#endif\n#endif\n/* NOLINTEND(modernize-use-using) */\n")
    return "\n".join(out)


def in_order(spec):
    """Structs and callbacks, each behind what it names."""
    left = spec["structs"] + spec["callbacks"]
    done = []
    while left:
        for entry in left:
            used = [t for _, t in entry.get("params", [])] + [m.get("type", "") for m in entry.get("members", [])]
            used += [m["type"] for member in entry.get("members", []) for m in member.get("union", [])]
            others = {other["name"] for other in left if other is not entry}
            if not any(word in others for t in used for word in re.findall(r"\w+", t)):
                break
        else:
            raise SystemExit("kiln.yml: structs name each other in a circle")
        left.remove(entry)
        done.append(entry)
    return done


# --- what the library exports

CXX_SYMBOLS = ["_ZN4kiln*", "_ZNK4kiln*", "_ZNKR4kiln*", "_ZNO4kiln*", "_ZNR4kiln*", "_ZTIN4kiln*", "_ZTSN4kiln*", "_ZTVN4kiln*", "_ZTTN4kiln*", "_ZGVN4kiln*",
               "_ZTCN4kiln*", "_ZThn*_N4kiln*", "_ZTv0_n*_N4kiln*"]


def version_script(functions):
    out = [f"# {NOTE}"]
    for since in sorted({f.get("since", 1) for f in functions}):
        names = "".join(f"\n    {f['name']};" for f in functions if f.get("since", 1) == since)
        out.append(f"KILN_{since - 1} {{\n  global:{names}\n}}{f' KILN_{since - 2}' if since > 1 else ''};")
    out.append("KILN_CXX_0 {\n  global:" + "".join(f"\n    {name};" for name in CXX_SYMBOLS) + "\n  local: *;\n};")
    return "\n".join(out) + "\n"


# --- the reference page

def reference(spec):
    out = ["# The C interface: reference", "", f"<!-- {NOTE} -->", "",
           "[c.md](c.md) has the conventions, what belongs to whom, threads, and recipes. The header is `kiln/c/kiln.h`.", "",
           "## Types", "", "| handle | |", "| --- | --- |"]
    out += [f"| `{h['name']}` | {h['text']} |" for h in spec["handles"]]
    for enum in spec["enums"]:
        out += ["", f"### {enum['name']}", "", enum["text"], "", "| name | value | |", "| --- | --- | --- |"]
        out += [f"| `{v['name']}` | {v['value']} | {v['text']} |" for v in enum["values"]]
    for struct in spec["structs"]:
        out += ["", f"### {struct['name']}", "", struct["text"], "", "| member | |", "| --- | --- |"]
        if struct.get("sized"):
            out.append(f"| `size_t struct_size` | bytes of the struct: `{struct['name']}_default()` sets it |")
        for m in struct["members"]:
            if "union" in m:
                names = ", ".join(f"`{declared(u['type'], u['name'])}`" for u in m["union"])
                out.append(f"| `union {m['name']}` | {names} |")
            else:
                out.append(f"| `{declared(m['type'], m['name'])}` | {m['text']} |")
    out += ["", "### Callbacks", ""]
    for c in spec["callbacks"]:
        out += [f"`typedef {c['returns']} (*{c['name']})({', '.join(declared(t, n) for n, t in c['params'])});`  ", c["text"], ""]
    for group in spec["groups"]:
        out += [f"## {group['title']}", ""]
        for f in group["functions"]:
            note = f" Deprecated: {f['deprecated']}." if "deprecated" in f else ""
            out += [f"### {f['name']}", "", "<!-- quoted: include/kiln/c/kiln.h -->", "```c", prototype(f["returns"], f["name"], f["params"]) + ";", "```", "",
                    f"{f['text']} Since {f.get('since', 1)}.{note}", ""]
    return "\n".join(out).rstrip() + "\n"


# --- Python

PYTHON = {"int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64", "size_t": "c_size_t", "double": "c_double",
          "float": "c_float", "uint8_t": "c_uint8", "uint16_t": "c_uint16", "kiln_status": "c_int32", "void": "None"}


def python_type(type_, structs, callbacks):
    base, _, extent = type_.partition("[")
    if extent:
        return f"{python_type(base, structs, callbacks)} * {extent[:-1]}"
    plain = base.replace("const ", "").replace(" const", "").strip()
    if plain in callbacks:
        return plain
    if plain.endswith("*"):
        inner = plain[:-1].strip()
        if inner == "char":
            return "c_char_p"
        if inner in structs:
            return f"POINTER({inner})"
        if inner.endswith("*") or inner not in PYTHON or inner == "void":
            return "POINTER(c_void_p)" if inner.endswith("*") else "c_void_p"
        return f"POINTER({PYTHON[inner]})"
    return PYTHON.get(plain, plain)


def ctypes_table(spec, functions):
    structs, callbacks = {s["name"] for s in spec["structs"]}, {c["name"] for c in spec["callbacks"]}
    type_of = lambda t: python_type(t, structs, callbacks)
    out = [f'"""The C interface of kiln for ctypes. {NOTE}', "", "`lib = bind(ctypes.CDLL(\"libkiln.so\"))` gives the functions their types. Handles are c_void_p.", '"""',
           "from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32,",
           "                    c_uint64, c_void_p, sizeof)", "", "KILN_NUL = KILN_ALL_AXES = c_size_t(-1).value"]
    for enum in spec["enums"]:
        out += [f"{v['name']} = {v['value']}" for v in enum["values"]]
    for entry in in_order(spec):
        if "params" in entry:
            params = "".join(f", {type_of(t)}" for _, t in entry["params"])
            out.append(f"\n{entry['name']} = CFUNCTYPE({type_of(entry['returns'])}{params})")
            continue
        fields = ['("struct_size", c_size_t)'] if entry.get("sized") else []
        for m in entry["members"]:
            if "union" in m:
                union = f"{entry['name']}_{m['name']}"
                inner = ", ".join(f'("{u["name"]}", {type_of(u["type"])})' for u in m["union"])
                out.append(f"\n\nclass {union}(Union):\n    _fields_ = [{inner}]")
                fields.append(f'("{m["name"]}", {union})')
            else:
                fields.append(f'("{m["name"]}", {type_of(m["type"])})')
        out.append(f"\n\nclass {entry['name']}(Structure):\n    _fields_ = [" + ",\n                ".join(fields) + "]")
        if entry.get("sized"):
            out.append(f"\n    def __init__(self, **members):\n        super().__init__(struct_size=sizeof({entry['name']}), **members)")
    out.append("\n\nFUNCTIONS = {")
    for f in functions:
        result = "c_void_p" if f.get("bytes") else type_of(f["returns"])
        out.append(f'    "{f["name"]}": ({result}, [{", ".join(type_of(t) for _, t in f["params"])}]),')
    out += ["}", "", "", "def bind(library):", '    """Gives the functions of a loaded libkiln.so their types, and returns it."""',
            "    for name, (result, arguments) in FUNCTIONS.items():", "        function = getattr(library, name)",
            "        function.restype, function.argtypes = result, arguments", "    return library", ""]
    return "\n".join(out)


# --- Fortran

FORTRAN = {"int32_t": "integer(c_int32_t)", "uint32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)",
           "size_t": "integer(c_size_t)", "double": "real(c_double)", "float": "real(c_float)", "uint8_t": "integer(c_int8_t)",
           "uint16_t": "integer(c_int16_t)", "kiln_status": "integer(c_int32_t)"}
FORTRAN_HELPERS = """contains

  !> The characters of a C string; empty for a null pointer.
  function kiln_string(text) result(string)
    type(c_ptr), intent(in), value :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: characters(:)
    integer(c_size_t) :: length, i
    interface
      pure function kiln_strlen(text) bind(c, name="strlen") result(length)
        import :: c_ptr, c_size_t
        type(c_ptr), intent(in), value :: text
        integer(c_size_t) :: length
      end function kiln_strlen
    end interface
    if (.not. c_associated(text)) then
      string = ""
      return
    end if
    length = kiln_strlen(text)
    call c_f_pointer(text, characters, [length])
    allocate(character(length) :: string)
    do i = 1, length
      string(i:i) = characters(i)
    end do
  end function kiln_string

  !> The message of an error, which is released.
  function kiln_take_message(error) result(message)
    type(c_ptr), intent(inout) :: error
    character(:), allocatable :: message
    message = kiln_string(kiln_error_message(error))
    call kiln_error_release(error)
    error = c_null_ptr
  end function kiln_take_message

  !> A scalar operand.
  function kiln_real64(x) result(arg)
    real(c_double), intent(in) :: x
    type(kiln_arg) :: arg
    arg%kind = KILN_SCALAR
    arg%dtype = kiln_dtype(int(KILN_FLOAT, c_int8_t), 64_c_int8_t, 1_c_int16_t)
    arg%value = transfer(x, arg%value)
  end function kiln_real64

  !> An operand in memory that `info` describes, which must live until the call returns.
  function kiln_memory_arg(info) result(arg)
    type(kiln_array_info), intent(in), target :: info
    type(kiln_arg) :: arg
    arg%kind = KILN_MEMORY
    arg%value = transfer(c_loc(info), arg%value)
  end function kiln_memory_arg
end module kiln
"""


def fortran_type(type_, by_value, known):
    plain = type_.replace("const ", "").replace(" const", "").strip()
    if plain in known["callbacks"]:
        return "type(c_funptr)"
    if plain.endswith("*"):
        return "type(c_ptr)"
    if plain in known["structs"]:
        return f"type({plain})"
    return FORTRAN[plain]


def fortran_param(name, type_, known):
    """Pointers that the function fills are intent(inout) by reference, all others by value."""
    plain = type_.replace("const ", "").strip()
    inner = plain[:-1].strip() if plain.endswith("*") else ""
    handle_out = plain.endswith("**") and "const" not in type_
    number_out = inner in FORTRAN and "const" not in type_
    if handle_out:
        return f"type(c_ptr), intent(inout) :: {name}"
    if number_out and name not in ("shape",):
        return f"{FORTRAN[inner]}, intent(inout) :: {name}"
    if inner in known["structs"] and "const" not in type_ and name not in ("outputs", "devices"):
        return f"type({inner}), intent(inout) :: {name}"
    if inner == "char":
        return f"character(kind=c_char), intent(in) :: {name}(*)"
    return f"{fortran_type(type_, True, known)}, intent(in), value :: {name}"


def fortran(spec, functions):
    known = {"structs": {s["name"] for s in spec["structs"]}, "callbacks": {c["name"] for c in spec["callbacks"]}}
    out = [f"! The C interface of kiln for Fortran. {NOTE}", "! Handles and arrays are type(c_ptr). Strings are passed with their length: f(text, len(text, c_size_t)),",
           "! or end with c_null_char where the function takes no length.", "module kiln", "  use, intrinsic :: iso_c_binding", "  implicit none", "  public", "",
           "  integer(c_size_t), parameter :: KILN_NUL = -1, KILN_ALL_AXES = -1"]
    taken = {f["name"].lower() for f in functions} | {s["name"].lower() for s in spec["structs"]}
    for enum in spec["enums"]:
        for v in enum["values"]:
            # Fortran does not tell KILN_CALL from kiln_call.
            name = v["name"] + ("_METHOD" if v["name"].lower() in taken and enum["name"] == "kiln_method" else "_KIND" if v["name"].lower() in taken else "")
            out.append(f"  integer(c_int32_t), parameter :: {name} = {v['value']}")
    for struct in [s for s in in_order(spec) if "members" in s]:
        out += ["", f"  type, bind(c) :: {struct['name']}"]
        if struct.get("sized"):
            out.append("    integer(c_size_t) :: struct_size = 0")
        for m in struct["members"]:
            if "union" in m:
                out.append(f"    integer(c_int64_t) :: {m['name']} = 0")
                continue
            base, _, extent = m["type"].partition("[")
            kind = fortran_type(base, False, known)
            zero = "c_null_ptr" if kind == "type(c_ptr)" else "c_null_funptr" if kind == "type(c_funptr)" else "0"
            default = "" if base in known["structs"] else f" = {zero}"
            out.append(f"    {kind} :: {m['name']}{f'({extent[:-1]})' if extent else ''}{default}")
        out.append(f"  end type {struct['name']}")
    out += ["", "  interface"]
    for f in functions:
        result = "" if f["returns"] == "void" else " result(result_)"
        kind = "subroutine" if f["returns"] == "void" else "function"
        names = ", &\n      & ".join(n for n, _ in f["params"])
        out.append(f"    {kind} {f['name']}({names}) bind(c, name=\"{f['name']}\"){result}")
        out.append("      import")
        out += [f"      {fortran_param(n, t, known)}" for n, t in f["params"]]
        if result:
            out.append(f"      {fortran_type(f['returns'], True, known)} :: result_")
        out.append(f"    end {kind} {f['name']}")
    out += ["  end interface", "", FORTRAN_HELPERS]
    return "\n".join(out)


# --- Rust

RUST = {"int32_t": "i32", "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "size_t": "usize", "double": "f64", "float": "f32", "uint8_t": "u8",
        "uint16_t": "u16", "kiln_status": "i32", "void": "c_void", "char": "c_char"}


def rust_type(type_, callbacks):
    base, _, extent = type_.partition("[")
    if extent:
        return f"[{rust_type(base, callbacks)}; {extent[:-1]}]"
    if base in callbacks:
        return base
    tokens = re.findall(r"\w+|\*", base)
    const = tokens[0] == "const"
    result = tokens[1] if const else tokens[0]
    result = RUST.get(result, result)
    for i, token in enumerate(tokens):
        if token == "*":
            result = f"*{'const' if const else 'mut'} {result}"
            const = i + 1 < len(tokens) and tokens[i + 1] == "const"
    return result


def rust(spec, functions):
    callbacks = {c["name"] for c in spec["callbacks"]}
    type_of = lambda t: rust_type(t, callbacks)
    name_of = lambda n: "type_" if n == "type" else "where_" if n == "where" else n
    params_of = lambda params: ", ".join(f"{name_of(n)}: {type_of(t)}" for n, t in params)
    returned = lambda r: "" if r == "void" else f" -> {type_of(r)}"
    out = [f"// The C interface of kiln for Rust. {NOTE}", "// A program includes it: #[allow(non_camel_case_types, dead_code)] mod kiln { include!(\"kiln.rs\"); }", "use std::os::raw::{c_char, c_void};", "",
           "pub const KILN_NUL: usize = usize::MAX;", "pub const KILN_ALL_AXES: usize = usize::MAX;", "pub type kiln_status = i32;"]
    for enum in spec["enums"]:
        kind = "i32" if enum["name"] in ("kiln_status_code", "kiln_device_type") else "u8" if enum["name"] == "kiln_dtype_code" else "u32"
        out += [f"pub const {v['name']}: {kind} = {v['value']};" for v in enum["values"]]
    out += [f"#[repr(C)]\npub struct {h['name']} {{\n    _opaque: [u8; 0],\n}}" for h in spec["handles"]]
    for entry in in_order(spec):
        if "params" in entry:
            out.append(f"pub type {entry['name']} = Option<unsafe extern \"C\" fn({params_of(entry['params'])}){returned(entry['returns'])}>;")
            continue
        fields = ["    pub struct_size: usize,"] if entry.get("sized") else []
        for m in entry["members"]:
            if "union" in m:
                union = f"{entry['name']}_{m['name']}"
                inner = "\n".join(f"    pub {u['name']}: {type_of(u['type'])}," for u in m["union"])
                out.append(f"#[repr(C)]\n#[derive(Clone, Copy)]\npub union {union} {{\n{inner}\n}}")
                fields.append(f"    pub {m['name']}: {union},")
            else:
                fields.append(f"    pub {name_of(m['name'])}: {type_of(m['type'])},")
        out.append(f"#[repr(C)]\n#[derive(Clone, Copy)]\npub struct {entry['name']} {{\n" + "\n".join(fields) + "\n}")
        size = f"\n        value.struct_size = std::mem::size_of::<{entry['name']}>();" if entry.get("sized") else ""
        mutable = "mut " if size else ""
        out.append(f"impl Default for {entry['name']} {{\n    fn default() -> Self {{\n        let {mutable}value: {entry['name']} = unsafe {{ std::mem::zeroed() }};{size}\n        value\n    }}\n}}")
    out.append('extern "C" {')
    out += [f"    pub fn {f['name']}({params_of(f['params'])}){returned(f['returns'])};" for f in functions]
    out += ["}", ""]
    return "\n".join(out)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    check = "--check" in sys.argv[1:]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    spec, functions = load(root)
    if "--stubs" in sys.argv[1:]:
        print("#include <kiln/c/kiln.h>")
        for f in functions:
            body = "" if f["returns"] == "void" else f" return ({f['returns']})0; "
            print(f"{prototype(f['returns'], f['name'], f['params'])} {{{body}}}")
        return
    files = {"lib/kiln/kiln.map": version_script(functions), "include/kiln/c/kiln.h": kiln_h(spec), "docs/c-reference.md": reference(spec), "include/kiln/c/kiln_ctypes.py": ctypes_table(spec, functions),
             "include/kiln/c/kiln.f90": fortran(spec, functions), "include/kiln/c/kiln.rs": rust(spec, functions)}
    stale = [name for name, text in files.items() if not (root / name).exists() or (root / name).read_text() != text]
    if check:
        for name in stale:
            print(f"{name} is out of date: run scripts/c_interface.py")
        sys.exit(1 if stale else 0)
    for name in stale:
        (root / name).write_text(files[name])
        print(f"wrote {name}")


main()
