#!/usr/bin/env python3
"""Checks that every page and every example is installed, that the file beside the examples builds each of them, and that every
relative link of a page leads to a file that is installed, too.
usage: installed_docs.py REPOSITORY INSTALLED"""
import pathlib
import re
import sys

CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")


def main():
    repository, installed = (pathlib.Path(arg) for arg in sys.argv[1:])
    wanted = ["README.md", "LICENSE", "THIRD-PARTY-NOTICES.txt", "examples/CMakeLists.txt"]
    wanted += [str(path.relative_to(repository)) for pattern in ("docs/**/*.md", "examples/*.cpp") for path in repository.glob(pattern)]
    wrong = [f"{name} is not installed" for name in wanted if not (installed / name).is_file()]
    built = re.findall(r"\w+", (installed / "examples/CMakeLists.txt").read_text(encoding="utf-8"))
    wrong += [f"examples/CMakeLists.txt does not build {path.name}" for path in installed.glob("examples/*.cpp") if path.stem not in built]
    links = 0
    for page in sorted(installed.rglob("*.md")):
        for link in LINK.finditer(CODE.sub("", page.read_text(encoding="utf-8"))):
            links += 1
            if not (page.parent / link[1]).exists():
                wrong.append(f"{page.relative_to(installed)} links to {link[1]}, which is not there")
    print("\n".join(wrong) or f"{len(wanted)} files, {links} links")
    return 1 if wrong or links < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
