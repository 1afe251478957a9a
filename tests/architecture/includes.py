"""The project's files and what each includes of them, directly and in turn."""
import pathlib
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
# Where the compiler looks, besides the file's own folder.
ROOTS = ("lib/kiln", "include", "lib", "", "tests/unit", "tests", "tests/fake_cuda", "tools/kiln")


def graph(root, folders=("include", "lib", "tools", "examples", "tests", "bench")):
    """{file: the files that it includes directly}, by paths below the root."""
    root = pathlib.Path(root)
    files = [f for folder in folders for f in (root / folder).rglob("*") if f.suffix in (".hpp", ".cpp", ".h", ".inc") and f.is_file()]
    known = {f.relative_to(root).as_posix() for f in files} | {f.relative_to(root).as_posix() for f in (root / "kernels-src").rglob("*.hpp")}
    direct = {}
    for file in files:
        path = file.relative_to(root).as_posix()
        here = pathlib.PurePosixPath(path).parent
        direct[path] = set()
        for name in INCLUDE.findall(file.read_text(encoding="utf-8", errors="replace")):
            for base in (here, *map(pathlib.PurePosixPath, ROOTS)):
                candidate = plain(base / name)
                if candidate in known:
                    direct[path].add(candidate)
                    break
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
