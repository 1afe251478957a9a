#!/usr/bin/env python3
"""Writes the manual pages (docs/man/) of the kiln command, and docs/command-reference.md, docs/errors.md and the tables of docs/environment.md, from its own lists (`kiln --describe`,
`kiln explain`, `kiln environment`).

usage: cli_pages.py KILN [ROOT]           write them below ROOT (the project)
       cli_pages.py --check KILN [ROOT]   compare, and say what is out of date (exit status 1)
"""
import itertools
import json
import pathlib
import re
import subprocess
import sys

STATUS = "0 done, 1 something failed, 2 the command line is wrong"
# What the pages of single commands have; kiln(1) has all.
USUAL_VARIABLES = ("KILN_DEVICE", "KILN_CPU_TARGET", "KILN_CACHE_DIR", "KILN_CACHE_MAX_BYTES", "KILN_CACHE_READONLY_DIRS", "NO_COLOR")
# The part of docs/environment.md that is made here.
TABLES = re.compile(r"(?<=<!-- variables: made by scripts/cli_pages\.py of lib/kiln/base/variables\.cpp -->\n).*?(?=<!-- end of variables -->)", re.S)


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


def page(top, command, version, variables):
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
    out += environment([each for each in variables if each["name"] in USUAL_VARIABLES]) + [".PP", "\\fBkiln\\fR(1) has all variables."]
    others = ["kiln(1)"] + [f"kiln-{c['name']}(1)" for c in top["commands"] if c is not command]
    return out + [".SH SEE ALSO", ", ".join(f"\\fB{roff(other[:-3])}\\fR(1)" for other in others)]


def environment(variables):
    out = [".SH ENVIRONMENT"]
    for each in variables:
        text = each["effect"] + f" Values: {each['values']}." + (f" Default: {each['default']}." if each["default"] else "")
        out += [".TP", f"\\fB{each['name']}\\fR", roff(text.replace("`", ""))]
    return out


def main_page(top, version, variables):
    out = title("kiln", version)
    out += [".SH NAME", "kiln \\- " + roff(top["help"].removeprefix("kiln: ")), ".SH SYNOPSIS", *synopsis(top["usage"])]
    out += [".SH COMMANDS"]
    for command in top["commands"]:
        out += [".TP", f"\\fBkiln\\-{command['name']}\\fR(1)", roff(command["help"] + ".")]
    out += [".SH OPTIONS", *option_items(top["options"])]
    footer = Footer("\n\n".join(top["footer"].split("\n")))
    out += [".SH EXIT STATUS", roff(footer.status.rstrip(".") + ".")]
    out += environment(variables)
    return out + [".SH SEE ALSO", ", ".join(f"\\fBkiln\\-{c['name']}\\fR(1)" for c in top["commands"])]


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def markdown_command(command, words, depth):
    """A command's heading, usage, options and words, and those of the commands below it."""
    footer = Footer(command["footer"])
    usage = [line.strip().removeprefix("Usage: ") for line in command["usage"].split("\n")]
    out = [f"{'#' * depth} {words}", "", command["help"] + ".", "", "```text", *usage, "```", ""]
    for block in footer.prose:
        # Lines with a blank before them are examples, which stand between sentences.
        for plain, lines in itertools.groupby(block, lambda line: not line.startswith("  ")):
            lines = [line.strip() for line in lines]
            out += [" ".join(lines).replace("*", "\\*").replace("<", "&lt;").replace("[", "\\["), ""] if plain else ["```text", *lines, "```", ""]
    options = [o for o in command["options"] if "--help" not in o["names"]]
    if options:
        out += ["| option | meaning |", "| --- | --- |"]
        for option in options:
            value = f" {option['value']}" if option["value"] else ""
            default = f" The default is `{option['default']}`." if option["default"] else ""
            out.append(f"| `{', '.join(option['names'])}{cell(value)}` | {cell(option['help'].rstrip('.'))}.{default} |")
        out.append("")
    if footer.examples:
        out += ["```text", *footer.examples, "```", ""]
    if footer.status:
        out += [f"Exit status: {footer.status.rstrip('.')}.", ""]
    for below in command["commands"]:
        out += markdown_command(below, f"{words} {below['name']}", depth + 1)
    return out


def markdown(top):
    out = ["# Command reference", "", "Made by scripts/cli_pages.py of the command's own help. Do not edit. [cli.md](cli.md) is the guide.", ""]
    for command in top["commands"]:
        out += markdown_command(command, f"kiln {command['name']}", 2)
    return "\n".join(out).rstrip("\n") + "\n"


def errors(topics):
    """The page of all kinds of errors, by code."""
    out = ["# Errors from A to Z", "", "Made by scripts/cli_pages.py of `kiln explain`. Do not edit.", "",
           "Each error has a code. On a terminal and from Python 3.11 on the code stands below the message: `kiln explain broadcast`. C has it as the key `\"code\"` of an error, C++ by",
           "`kiln::explain(error).code`.", ""]
    for topic in topics:
        out += [f"## {topic['code']}", "", f"{topic['title']} (`{topic['exception']}`). {cell(topic['cause'])}", "", f"**Remedy:** {cell(topic['remedy'])}", "",
                "```text", *topic["example"].split("\n"), "```", ""]
    return "\n".join(out).rstrip("\n") + "\n"


def environment_tables(variables):
    """The tables of variables, by subject."""
    out = []
    for subject, rows in itertools.groupby(variables, lambda each: each["subject"]):
        out += ["", f"## {subject}", "", "| variable | values | default | effect |", "| --- | --- | --- | --- |"]
        for each in rows:
            file, _, anchor = each["page"].partition("#")
            more = "" if not file else f" [More](#{anchor})." if file == "environment.md" else f" See [{file}]({each['page']})."
            out.append(f"| `{each['name']}` | {each['values']} | {each['default']} | {each['effect']}{more} |".replace("|  |", "| |"))
    return "\n".join(out) + "\n\n"


def pages(kiln, root):
    run = lambda *words: subprocess.run([kiln, *words], check=True, capture_output=True, text=True).stdout
    top = json.loads(run("--describe"))
    version = run("--version").split()[1]
    variables = json.loads(run("environment", "--json"))["variables"]
    files = {"docs/man/kiln.1": "\n".join(main_page(top, version, variables)) + "\n"}
    files["docs/command-reference.md"] = markdown(top)
    files["docs/errors.md"] = errors(json.loads(run("explain", "--json"))["errors"])
    for command in top["commands"]:
        files[f"docs/man/kiln-{command['name']}.1"] = "\n".join(page(top, command, version, variables)) + "\n"
    # Its prose is written by hand.
    template = root / "docs/environment.md"
    if template.is_file():
        files["docs/environment.md"] = TABLES.sub(lambda _: environment_tables(variables), template.read_text())
    return files


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    if not 1 <= len(words) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(words[1]) if len(words) == 2 else pathlib.Path(__file__).resolve().parent.parent
    status = 0
    for name, text in pages(words[0], root).items():
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
