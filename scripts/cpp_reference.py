#!/usr/bin/env python3
"""Makes the pages of the C++ reference from the contracts in include/kiln/*.hpp: the comments that begin with ///.

usage: cpp_reference.py [ROOT] [NAME]       print the page of a header, or the names of all
       cpp_reference.py --check [ROOT]      every contract is on a page, and declares something (exit status 1)

scripts/site_hooks.py adds the pages to the site. What is in a namespace `detail` or private is left out.
"""
import pathlib
import re
import sys

FOLDER = "reference/cpp"
TYPE = re.compile(r"^(?:template\b.*?>\s*)?(?:class|struct|union|enum class|enum)\s+(?:KILN_API\s+|\[\[\w+\]\]\s+)*(\w+)")
NAME = re.compile(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]{1,3}|bool\b)|~?\w+)\s*\(")
NOISE = re.compile(r"\bKILN_API\s+|\[\[nodiscard\]\]\s*|\[\[maybe_unused\]\]\s*")


class Entry:
    """A declaration with its contract. A type has entries of its own."""

    def __init__(self, comment, declaration, line):
        self.comment, self.declaration, self.line = comment, declaration, line
        self.members, self.is_type = [], False

    @property
    def is_field(self):
        text = re.sub(r"^template\s*<.*", "(", self.declaration, flags=re.S)
        return not self.is_type and text and "(" not in text.split(" = ")[0] and not re.search(r"\boperator\b|^using\b", text)

    @property
    def name(self):
        text = NOISE.sub("", self.declaration)
        if match := TYPE.match(text):
            return match[1]
        text = re.sub(r"^template\s*<.*?>\s*(?=\w)", "", text, flags=re.S)
        text = re.sub(r"^requires\s*(\(.*?\)|[\w:<>., ]+?)\s(?=[\w\[])", "", text, flags=re.S)
        if match := re.match(r"using\s+(\w+)", text):
            return match[1]
        if match := NAME.search(text):
            return match[1].replace(" ", "")
        words = re.findall(r"[\w:]+", text.split("=")[0].split("{")[0])
        return words[-1] if words else text


def closes(text):
    """Whether brackets are closed, strings apart."""
    plain = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//.*', "", text)
    return all(plain.count(a) <= plain.count(b) for a, b in ("()", "{}"))


class Reader:
    """Reads a header in the form that clang-format gives it."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.at = 0
        self.file_comment = []
        while self.lines[self.at].startswith("//"):
            self.file_comment.append(self.lines[self.at][2:].strip())
            self.at += 1

    def entries(self, indent="", private_at_first=False):
        """The entries up to the line that closes the block."""
        found, comment, hidden = [], [], private_at_first
        while self.at < len(self.lines):
            line = self.lines[self.at]
            text = line.strip()
            if line.startswith(indent[:-2] + "}") and indent:
                return found
            if re.match(r"(public|private|protected):", text):
                hidden = text != "public:"
            if re.match(r"namespace\b.*\bdetail\b.*\{$", text):
                self.skip_block()
                continue
            if text.startswith("///") and not text.startswith("///<"):
                comment.append(text[3:].strip())
                self.at += 1
                continue
            if comment and comment[0].startswith(("@name", "@{", "@}")):
                # A group has a title and words of its own up to "@{".
                end = next((i for i, word in enumerate(comment) if word.startswith(("@{", "@}"))), len(comment) - 1)
                if comment[0].startswith("@name") and not hidden:
                    found.append(Entry([comment[0].removeprefix("@name").strip(), *comment[1:end]], "", self.at))
                comment = comment[end + 1:]
                continue
            if not text or text.startswith(("//", "#")) or re.match(r"(public|private|protected):|namespace\b|\}|extern \"C\"", text):
                if not text or not text.startswith(("//", "#")):
                    comment = [] if text else comment
                self.at += 1
                continue
            entry = self.declaration(comment, hidden, indent)
            comment = []
            if entry is not None and not hidden:
                found.append(entry)
        return found

    def skip_block(self):
        depth = 0
        while True:
            depth += self.lines[self.at].count("{") - self.lines[self.at].count("}")
            self.at += 1
            if depth <= 0:
                return

    def declaration(self, comment, hidden, indent):
        start, taken, behind = self.at, [], []
        is_type, has_body = False, False
        while True:
            line = self.lines[self.at]
            code, _, after = line.partition("///<")
            code = re.sub(r"\s*//.*$", "", code).rstrip()
            if after:
                behind.append(after.strip())
            taken.append(code[len(indent):] if code.startswith(indent) else code.strip())
            joined = "\n".join(taken)
            self.at += 1
            is_type = bool(TYPE.match(NOISE.sub("", re.sub(r"^template.*\n", "", joined))))
            if code.endswith(";") and closes(joined):
                break
            if code.endswith(",") and closes(joined) and indent and not is_type and "(" not in joined:  # of an enumeration
                break
            if code.endswith("{") and is_type and "(" not in joined.split("{")[-2].split("\n")[-1]:
                has_body = True
                break
            if code.endswith("}") and closes(joined):
                break
            if self.at >= len(self.lines):
                raise SystemExit(f"line {start + 1} is no declaration that this script reads:\n{joined}")
            if re.fullmatch(r"\w+(\s*=\s*[\w:<> ]+)?", code.strip()) and self.lines[self.at].strip().startswith("}"):
                break
        entry = Entry(comment or behind, self.tidy(taken, has_body), start)
        entry.is_type = is_type
        if has_body:
            kind = TYPE.match(NOISE.sub("", re.sub(r"^template.*\n", "", "\n".join(taken))))[0]
            entry.members = self.entries(indent + "  ", kind.startswith("class") or "\nclass" in kind)
            self.at += 1
        return entry if entry.comment or (is_type and entry.members) else None

    @staticmethod
    def tidy(lines, has_body):
        text = NOISE.sub("", "\n".join(lines)).strip()
        if has_body:
            return text.removesuffix("{").strip()
        # Without a body, and without what a constructor begins with.
        depth = 0
        for i, c in enumerate(text):
            depth += c in "(" and 1 or c in ")" and -1 or 0
            if c == "{" and depth == 0 and re.search(r"\)[\w\s&:>()-]*$|\bconst\s*$|noexcept\s*$", text[:i].split(" : ")[0] if " : " in text[:i] else text[:i]):
                text = text[:i].rstrip()
                break
        text = re.sub(r"\)((?:\s*(?:const|noexcept|&&?))*)\s*:\s.*$", r")\1", text, flags=re.S)
        return text.rstrip(";,").rstrip() + (";" if "(" in text or "using" in text else "")


def prose(lines):
    text = "\n".join(lines)
    text = re.sub(r"\bdocs/([\w-]+)\.md\b", r"[\1.md](../../\1.md)", text)
    # What stands in back quotes stays; the rest has no tags.
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else p.replace("&", "&amp;").replace("<", "&lt;").replace("*", r"\*") if "](" not in p else p for p in parts)


def section(entry, depth):
    if not entry.declaration:
        return [f"{'#' * depth} {prose([entry.comment[0]])}", "", prose(entry.comment[1:]).strip(), ""]
    out = [f"{'#' * depth} {entry.name}", "", "```cpp", entry.declaration, "```", "", prose(entry.comment), ""]
    fields = [m for m in entry.members if m.is_field]
    if fields:
        out += ["| member | meaning |", "| --- | --- |"]
        for field in fields:
            declaration, meaning = " ".join(field.declaration.rstrip(";").split()), prose([" ".join(field.comment)])
            out.append("| `{}` | {} |".format(declaration.replace("|", "&#124;"), meaning.replace("|", "&#124;")))
        out.append("")
    for member in entry.members:
        if member not in fields:
            out += section(member, min(depth + 1, 6))
    return out


def read(root):
    """Name to (file comment, entries), of the headers that have entries."""
    pages = {}
    for path in sorted((root / "include/kiln").glob("*.hpp")):
        reader = Reader(path.read_text(encoding="utf-8"))
        entries = reader.entries()
        if any(e.declaration for e in entries):
            pages[path.stem] = (reader.file_comment, entries)
    return pages


def page(name, comment, entries):
    out = [f"# kiln/{name}.hpp", "", prose(comment), ""]
    for entry in entries:
        out += section(entry, 2)
    return "\n".join(out) + "\n"


def pages(root):
    """Path below the site to Markdown, with an index."""
    read_pages = read(root)
    index = ["# C++ reference", "", "`#include <kiln/kiln.hpp>` is all of it but MPI's header. Each header has a page, made from the contracts in it.", "",
             "| header | what it has |", "| --- | --- |"]
    out = {}
    for name, (comment, entries) in read_pages.items():
        out[f"{FOLDER}/{name}.md"] = page(name, comment, entries)
        names = [e.name for e in entries if e.declaration]
        unique = list(dict.fromkeys(n for n in names if n.isidentifier()))
        index.append(f"| [kiln/{name}.hpp]({name}.md) | {', '.join(f'`{n}`' for n in unique[:12])}{', …' if len(unique) > 12 else ''} |")
    out[f"{FOLDER}/index.md"] = "\n".join(index) + "\n"
    return out


def check(root):
    """Every contract of a public declaration is on a page: what stands in include/ and on no page is printed."""
    lost = []
    for path in sorted((root / "include/kiln").glob("*.hpp")):
        text = path.read_text(encoding="utf-8")
        reader = Reader(text)
        shown = page(path.stem, reader.file_comment, reader.entries())
        hidden = re.sub(r"(?ms)^namespace (?:kiln::)?detail \{.*?^\}  // namespace", "", text)
        hidden = re.sub(r"(?ms)^ (?:private|protected):$.*?(?=^ public:$|^\};$)", "", hidden)
        # A private part that a type within a type has.
        for line in re.findall(r"^\s*///<? ?(.*)$", hidden, flags=re.M):
            wanted = prose([line]).strip()
            if wanted and not wanted.startswith("@") and wanted not in shown and line not in shown:
                lost.append(f"{path.name}: {line}")
    return lost


def main():
    arguments = sys.argv[1:]
    checking = arguments[:1] == ["--check"]
    arguments = arguments[checking:]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent).resolve()
    if checking:
        lost = check(root)
        print("\n".join(lost) or "every contract is on a page")
        sys.exit(1 if lost else 0)
    made = pages(root)
    if len(arguments) > 1:
        print(made[f"{FOLDER}/{arguments[1]}.md"], end="")
    else:
        print("\n".join(made))


if __name__ == "__main__":
    main()
