"""The project's #include lines, the file that each names, and what includes a file in turn."""
import pathlib
import re
import typing

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".inc"}
FOLDERS = ("include", "lib", "tools", "examples", "tests", "bench", "kernels-src")
# Where the compiler looks after the file's own folder.
ROOTS = ("lib/kiln", "include", "lib", "", "tests/unit", "tests", "tests/fake_cuda", "tools/kiln")


class Include(typing.NamedTuple):
    path: str  # of the file with the line, below the root
    line: int
    text: str
    quoted: bool
    name: str
    target: str | None  # the project's file that it names, below the root


class Tree:
    """The sources below a root. `files` are their paths, in order."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = [file.relative_to(self.root).as_posix() for folder in FOLDERS for file in sorted((self.root / folder).rglob("*"))
                      if file.suffix in SUFFIXES and file.is_file()]
        self.known = set(self.files)

    def target(self, path, quoted, name):
        """The project's file that an include in `path` names, or None."""
        here = (pathlib.PurePosixPath(path).parent,) if quoted else ()
        for base in (*here, *map(pathlib.PurePosixPath, ROOTS)):
            candidate = plain(base / name)
            if candidate in self.known:
                return candidate
        return None

    def includes(self):
        """All include lines, file by file."""
        for path in self.files:
            text = (self.root / path).read_text(encoding="utf-8", errors="replace")
            for match in INCLUDE.finditer(text):
                quoted = match[1] == '"'
                yield Include(path, text.count("\n", 0, match.start()) + 1, match[0].strip(), quoted, match[2], self.target(path, quoted, match[2]))


def graph(root):
    """{file: the files that it includes directly}, by paths below the root. Kernels' templates are included, and not read."""
    tree = Tree(root)
    direct = {path: set() for path in tree.files if not path.startswith("kernels-src/")}
    for include in tree.includes():
        if include.path in direct and include.target:
            direct[include.path].add(include.target)
    return direct


def plain(path):
    """The path without its `..`."""
    parts = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ".."):
            parts.append(part)
    return "/".join(parts)


def users(direct):
    """{file: all files that include it, directly or in turn}"""
    back = {}
    for file, included in direct.items():
        for name in included:
            back.setdefault(name, set()).add(file)
    result = {}
    for file in back:
        seen, todo = set(), [file]
        while todo:
            for user in back.get(todo.pop(), ()):
                if user not in seen:
                    seen.add(user)
                    todo.append(user)
        result[file] = seen
    return result
