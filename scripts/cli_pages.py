#!/usr/bin/env python3
"""Writes the manual pages (docs/man/) and the shell completions (tools/completion/) of the kiln command, from its own list of
commands and options (`kiln --describe`).

usage: cli_pages.py KILN [ROOT]           write them below ROOT (the project)
       cli_pages.py --check KILN [ROOT]   compare, and say what is out of date (exit status 1)
"""
import json
import pathlib
import re
import subprocess
import sys

# What an option or operand may be, where the value's name does not say it. Words are offered as they are.
FILES, FOLDERS, IDS = "files", "folders", "ids"
VALUES = {"FILE": FILES, "MANIFEST": FILES, "DIR": FOLDERS, "ID": IDS}
WORDS = {
    "--device": "best cpu cuda hip",
    "--casting": "no equiv safe same_kind unsafe",
    "--dtype": "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128",
    "--sort": "name size age hits",
    "--target": "native sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 gfx90a gfx942 gfx1100 x86-64 x86-64-v2 x86-64-v3 x86-64-v4",
    "--as": "source ptx sass amdgcn asm llvm-ir resources",
}
STATUS = "0 done, 1 something failed, 2 the command line is wrong"
ENVIRONMENT = [
    ("KILN_CACHE_DIR", "Where compiled kernels are kept; empty: nowhere. Unset: $XDG_CACHE_HOME/kiln, else ~/.cache/kiln."),
    ("KILN_CACHE_MAX_BYTES", "The bound of that directory, 1G unless it says otherwise; the least recently used kernels go."),
    ("KILN_CACHE_READONLY_DIRS", "Further directories and bundles, separated by colons, that are read and never written."),
    ("KILN_CPU_TARGET", "What kernels of the CPU are compiled for: native, x86-64-v2, x86-64-v3, x86-64-v4; native where it is not set."),
    ("KILN_DEVICE", "The device that \"best\" means."),
    ("KILN_RECORD", "A file that a program writes the kernels it used to, as a manifest."),
    ("NO_COLOR", "Where it is set, and not empty: no colours."),
]


class Footer:
    """The text below a command's options: paragraphs, examples, statuses."""

    def __init__(self, text):
        self.prose, self.examples, self.status, self.environment = [], [], "", ""
        for block in re.split(r"\n\s*\n", text.strip("\n")):
            lines = block.split("\n")
            if lines[0] in ("Examples:", "Example:"):
                self.examples = [line[2:] for line in lines[1:]]
            elif lines[0].startswith("Exit status"):
                status = [line for line in lines if not line.startswith("KILN_")]
                self.status = " ".join(status).removeprefix("Exit status:").strip()
                self.environment = " ".join(line for line in lines if line.startswith("KILN_"))
            elif block:
                self.prose.append(lines)


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    text = "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)
    return "\\&" + text if text.startswith((".", "\\(aq")) else text


def verbatim(lines):
    return [".PP", ".RS 4", ".nf", *[roff(line) for line in lines], ".fi", ".RE"]


def paragraphs(blocks):
    out = []
    for block in blocks:
        out.append(".PP")
        plain = False
        for line in block:
            if line.startswith("  "):
                out += [] if plain else [".RS 4", ".nf"]
                plain = True
                out.append(roff(line.strip()))
            else:
                out += [".fi", ".RE"] if plain else []
                plain = False
                out.append(roff(line))
        out += [".fi", ".RE"] if plain else []
    return out


def option_items(options):
    out = []
    for option in options:
        value = f" \\fI{roff(option['value'])}\\fR" if option["value"] else ""
        default = f" The default is {option['default']}." if option["default"] else ""
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
        out += [".TP", names + value, roff(option["help"].rstrip(".") + "." + default)]
    return out


def synopsis(usage):
    out = []
    for line in usage.removeprefix("Usage: ").split("\n"):
        out += [".br"] if out else []
        out.append(re.sub(r"^((?:kiln)(?: [a-z]+)*)", r"\\fB\1\\fR", roff(line.strip())))
    return out


def title(command, version):
    return [f'.\\" Made by scripts/cli_pages.py from kiln --describe: edit the help texts in tools/kiln instead.',
            f'.TH {command.upper()} 1 "" "kiln {version}" "kiln"']


def examples_section(footers):
    lines = [line for footer in footers for line in footer.examples]
    return [".SH EXAMPLES", *verbatim(lines)[1:]] if lines else []


def page(top, command, version):
    """The manual page of one command; with what lies below it, for a group."""
    name = f"kiln-{command['name']}"
    footer = Footer(command["footer"])
    out = title(name, version)
    out += [".SH NAME", f"{roff(name)} \\- {roff(command['help'][0].lower() + command['help'][1:])}"]
    out += [".SH SYNOPSIS", *synopsis(command["usage"])]
    if footer.prose:
        out += [".SH DESCRIPTION", *paragraphs(footer.prose)[1:]]
    below = command["commands"]
    if below:
        out += [".SH COMMANDS"]
        for each in below:
            inner = Footer(each["footer"])
            out += [f".SS kiln {command['name']} {each['name']}", roff(each["help"] + "."), ".PP", *synopsis(each["usage"])]
            out += paragraphs(inner.prose)
            out += option_items([o for o in each["options"] if "--help" not in o["names"]])
    out += [".SH OPTIONS", *option_items(command["options"])]
    out += examples_section([footer] + [Footer(each["footer"]) for each in below])
    out += [".SH EXIT STATUS", roff((footer.status or STATUS).rstrip(".") + ".")]
    out += environment()
    others = ["kiln(1)"] + [f"kiln-{c['name']}(1)" for c in top["commands"] if c is not command]
    return out + [".SH SEE ALSO", ", ".join(f"\\fB{roff(other[:-3])}\\fR(1)" for other in others)]


def environment():
    out = [".SH ENVIRONMENT"]
    for name, text in ENVIRONMENT:
        out += [".TP", f"\\fB{name}\\fR", roff(text)]
    return out


def main_page(top, version):
    out = title("kiln", version)
    out += [".SH NAME", "kiln \\- " + roff(top["help"].removeprefix("kiln: ")), ".SH SYNOPSIS", *synopsis(top["usage"])]
    out += [".SH COMMANDS"]
    for command in top["commands"]:
        out += [".TP", f"\\fBkiln\\-{command['name']}\\fR(1)", roff(command["help"] + ".")]
    out += [".SH OPTIONS", *option_items(top["options"])]
    footer = Footer("\n\n".join(top["footer"].split("\n")))
    out += [".SH EXIT STATUS", roff(footer.status.rstrip(".") + ".")]
    out += environment()
    return out + [".SH SEE ALSO", ", ".join(f"\\fBkiln\\-{c['name']}\\fR(1)" for c in top["commands"])]


def walk(command, path=()):
    path = (*path, command["name"])
    yield path, command
    for each in command["commands"]:
        yield from walk(each, path)


def offered(name, value):
    """What completes a value: (kind, words)."""
    if name in WORDS:
        return "words", WORDS[name]
    return VALUES.get(value, ""), ""


def operand_kind(command):
    kinds = [VALUES.get(operand["value"].split(" ")[-1], "") for operand in command["operands"]]
    # eval's operands are files too, and inspect's an id or a manifest.
    if command["name"] == "eval":
        return FILES
    if command["name"] == "inspect":
        return IDS
    return kinds[0] if kinds else ""


BASH_HEAD = """# bash completion of kiln. Made by scripts/cli_pages.py: edit the help texts in tools/kiln instead.
_kiln() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} path=kiln word i
  local commands= options= values= operands=
  COMPREPLY=()
  # The command is the words that are commands, up to the cursor.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case "$path $word" in
"""
BASH_TAIL = """  if [[ $cur != -* && -n $values ]] || [[ -n $values && $values != - ]]; then
    operands=$values options= commands=
  elif [[ $values == - ]]; then
    return
  fi
  case $operands in
    files) [[ $cur == -* ]] || compopt -o filenames 2>/dev/null; [[ $cur == -* ]] || mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    ids) [[ $cur == -* ]] || mapfile -t COMPREPLY < <(compgen -W "$(kiln cache list --quiet 2>/dev/null)" -- "$cur") ;;
    words:*) mapfile -t COMPREPLY < <(compgen -W "${operands#words:}" -- "$cur") ;;
  esac
  if [[ $cur == -* && -n $options ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
  fi
}
complete -F _kiln kiln
"""


def bash_completion(top):
    out = BASH_HEAD
    below = [" ".join(path) for path, _ in walk(top) if len(path) > 1]
    out += "      " + " | ".join(f'"{path}"' for path in below) + ") path+=\" $word\" ;;\n    esac\n  done\n  case $path in\n"
    for path, command in walk(top):
        names = " ".join(name for option in command["options"] for name in option["names"])
        commands = " ".join(each["name"] for each in command["commands"])
        out += f'    "{" ".join(path)}")\n      options="{names}" commands="{commands}" operands="{operand_kind(command)}"\n'
        cases = []
        for option in command["options"]:
            if not option["value"]:
                continue
            kind, words = offered(option["names"][-1], option["value"])
            cases.append(f'        {" | ".join(option["names"])}) values="{"words:" + words if words else kind or "-"}" ;;\n')
        if cases:
            out += "      case $prev in\n" + "".join(cases) + "      esac\n"
        out += "      ;;\n"
    return out + "  esac\n" + BASH_TAIL


def zsh_quote(text):
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


ZSH_ACTIONS = {FILES: "_files", FOLDERS: "_files -/", IDS: "_kiln_ids", "": " "}


def zsh_function(path, command):
    out = f"_{'_'.join(path)}() {{\n"
    specs = []
    for option in command["options"]:
        names = option["names"]
        head = names[0] if len(names) == 1 else "{" + ",".join(names) + "}"
        value = ""
        if option["value"]:
            kind, words = offered(names[-1], option["value"])
            value = f":{zsh_quote(option['value'])}:" + (f"({words})" if words else ZSH_ACTIONS[kind])
        body = f"[{zsh_quote(option['help'])}]{value}"
        specs.append(f"{head}'{body}'" if len(names) > 1 else f"'{head}{body}'")
    if command["commands"]:
        out += "  local context state state_descr line\n  typeset -A opt_args\n"
        specs += ["'1: :->command'", "'*:: :->rest'"]
    elif command["operands"]:
        specs.append(f"'*:{zsh_quote(command['operands'][0]['value'])}:{ZSH_ACTIONS[operand_kind(command)]}'")
    out += "  _arguments -s -S " + ("-C " if command["commands"] else "") + "\\\n    " + " \\\n    ".join(specs) + "\n"
    if command["commands"]:
        listed = " ".join("'" + each["name"] + ":" + zsh_quote(each["help"]) + "'" for each in command["commands"])
        out += f"  case $state in\n    command)\n      local -a commands=({listed})\n      _describe command commands ;;\n    rest)\n      case $line[1] in\n"
        for each in command["commands"]:
            out += f"        {each['name']}) _{'_'.join((*path, each['name']))} ;;\n"
        out += "      esac ;;\n  esac\n"
    return out + "}\n"


def zsh_completion(top):
    out = "#compdef kiln\n# zsh completion of kiln. Made by scripts/cli_pages.py: edit the help texts in tools/kiln instead.\n"
    out += "_kiln_ids() {\n  local -a ids=(${(f)\"$(kiln cache list --quiet 2>/dev/null)\"})\n  compadd -a ids\n}\n"
    for path, command in reversed(list(walk(top))):
        out += zsh_function(path, command)
    return out + '_kiln "$@"\n'


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_completion(top):
    out = "# fish completion of kiln. Made by scripts/cli_pages.py: edit the help texts in tools/kiln instead.\n"
    out += "function __kiln_at\n  # Whether the commands on the line are these, and no other one follows.\n"
    out += "  set -l words (commandline -opc)\n  set -l path\n  set -l known " + " ".join(
        fish_quote(" ".join(path[1:])) for path, _ in walk(top) if len(path) > 1) + "\n"
    out += "  for word in $words[2..-1]\n    if contains -- (string join ' ' $path $word) $known\n      set -a path $word\n    end\n  end\n"
    out += "  test (string join ' ' $path) = (string join ' ' $argv)\nend\n"
    out += "complete -c kiln -f\n"
    for path, command in walk(top):
        at = f"complete -c kiln -n {fish_quote(' '.join(('__kiln_at', *path[1:])))}"
        for each in command["commands"]:
            out += f"{at} -a {each['name']} -d {fish_quote(each['help'])}\n"
        kind = operand_kind(command)
        out += f"{at} -F\n" if kind == FILES else ""
        out += f"{at} -a '(kiln cache list --quiet 2>/dev/null)'\n" if kind == IDS else ""
        for option in command["options"]:
            line = at
            for name in option["names"]:
                line += f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}"
            if option["value"]:
                offer, words = offered(option["names"][-1], option["value"])
                line += " -r -F" if offer == FILES else " -x"
                line += f" -a {fish_quote(words)}" if words else " -a '(__fish_complete_directories)'" if offer == FOLDERS else ""
            out += f"{line} -d {fish_quote(option['help'])}\n"
    return out


def pages(kiln):
    run = lambda *words: subprocess.run([kiln, *words], check=True, capture_output=True, text=True).stdout
    top = json.loads(run("--describe"))
    version = run("--version").split()[1]
    files = {"docs/man/kiln.1": "\n".join(main_page(top, version)) + "\n"}
    for command in top["commands"]:
        files[f"docs/man/kiln-{command['name']}.1"] = "\n".join(page(top, command, version)) + "\n"
    files["tools/completion/kiln.bash"] = bash_completion(top)
    files["tools/completion/_kiln"] = zsh_completion(top)
    files["tools/completion/kiln.fish"] = fish_completion(top)
    return files


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    if not 1 <= len(words) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(words[1]) if len(words) == 2 else pathlib.Path(__file__).resolve().parent.parent
    status = 0
    for name, text in pages(words[0]).items():
        path = root / name
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            print(f"{name} is out of date: run scripts/cli_pages.py {words[0]}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
