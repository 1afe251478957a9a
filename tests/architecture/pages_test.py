#!/usr/bin/env python3
"""Holds pages and configuration to the tree. Links of pages lead to files and headings that are there. Files, presets and parts of .ci/run that CONTRIBUTING.md
and the configuration name are there. YAML and JSON parse.

usage: pages_test.py ROOT          (exit status 1 and one line for each fault)
       pages_test.py --self-test   (plants one fault of each kind in a scratch tree and wants it found)
"""
import json
import pathlib
import re
import sys
import tempfile

try:
    import yaml
except ImportError:
    yaml = None

PAGES = ("*.md", "docs/**/*.md", "bench/*.md", "lib/*/README.md")
YAML = (".github/**/*.yml", ".pre-commit-config.yaml", ".clang-format", ".clang-tidy", ".clangd")
JSON = (".vscode/*.json", ".devcontainer/*.json", "CMakePresets.json", "docs/*.json")
# What names files and presets of the tree for people and programs to use.
NAMING = ("CONTRIBUTING.md", "docs/adding-a-kind.md", ".github/**/*", ".pre-commit-config.yaml", ".vscode/tasks.json", ".devcontainer/*")

FENCED = re.compile(r"^```.*?^```", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.M)
# A path below one of the tree's folders; what has a placeholder in it is none.
PATH = re.compile(r"(?<![\w/.<>*$}])((?:scripts|tests|tools|lib|docs|include|kernels-src|bench|examples|cmake|\.ci|\.github)/[\w./-]*\w/?)(?![\w<*{/…])")
# A part of .ci/run: named behind it, or among the choices of the CI's workflow.
PART = re.compile(r"\.ci/run ([a-z]+)(?=[\s`\"])|options: \[([a-z, ]+)\]|&& '([a-z]+)'")
PRESET = re.compile(r"--preset[ =]([a-z]\w*)")


def files_of(root, patterns):
    return sorted({file for pattern in patterns for file in root.glob(pattern) if file.is_file()})


def anchors_of(text):
    """The fragments that GitHub makes of a page's headings."""
    found = {}
    names = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = found[slug] = found.get(slug, -1) + 1
        names.add(slug if count == 0 else f"{slug}-{count}")
    return names


def links(root):
    for page in files_of(root, PAGES):
        name = page.relative_to(root)
        text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
        for target, anchor in LINK.findall(text):
            to = (page.parent / target) if target else page
            if not to.exists():
                yield f"{name} links to {target}, which is not there"
            elif anchor and to.suffix == ".md" and anchor not in anchors_of(to.read_text(encoding="utf-8")):
                yield f"{name} links to #{anchor} of {target or name}, which has no such heading"


def names(root):
    presets = {preset["name"] for preset in json.loads((root / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]}
    # The worked example's page speaks of the files that its patch makes.
    patch = root / "docs/adding-a-kind.patch"
    made = set(re.findall(r"^\+\+\+ b/(.*)$", patch.read_text(encoding="utf-8"), re.M)) if patch.is_file() else set()
    modes = re.search(r"^case \$mode in ([a-z |]+)\)", (root / ".ci/run").read_text(encoding="utf-8"), re.M)
    parts = set(modes[1].split(" | ")) if modes else set()
    for file in files_of(root, NAMING):
        name = file.relative_to(root)
        text = file.read_text(encoding="utf-8")
        for part in sorted({each for match in PART.findall(text) for each in ", ".join(filter(None, match)).split(", ")} - parts):
            yield f"{name} names the part {part}, which .ci/run has not"
        for path in sorted(set(PATH.findall(text))):
            of_patch = name.name == "adding-a-kind.md" and any(each.startswith(path) for each in made)
            if not (root / path).exists() and not of_patch:
                yield f"{name} names {path}, which is not there"
        for preset in sorted(set(PRESET.findall(text)) - presets):
            yield f"{name} names the preset {preset}, which CMakePresets.json has not"


def configuration(root):
    for file in files_of(root, JSON):
        try:
            json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            yield f"{file.relative_to(root)} is no JSON: {error}"
    for file in files_of(root, YAML) if yaml else ():
        try:
            list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
        except yaml.YAMLError as error:
            yield f"{file.relative_to(root)} is no YAML: {' '.join(str(error).split())}"


def faults(root):
    return [*links(root), *names(root), *configuration(root)]


PLANTED = {  # file: (a text that is fine, one that is not, words of the finding)
    "README.md": ("[a](docs/a.md#two-words-1)", "[a](docs/b.md)", "links to docs/b.md"),
    "docs/a.md": ("# Two words\n# Two words\n[here](#two-words)\n", "# Two words\n# Two words\n[here](#three)\n", "links to #three of docs/a.md"),
    "CONTRIBUTING.md": ("`scripts/test.sh layout`, `lib/<folder>/x.cpp`", "`scripts/tset.sh`", "names scripts/tset.sh"),
    ".github/pull_request_template.md": ("`.ci/run quick` passes", "`.ci/run quickly` passes", "names the part quickly"),
    ".vscode/tasks.json": ('"cmake --preset dev"', '"cmake --preset devel"', "names the preset devel"),
    ".devcontainer/devcontainer.json": ("{}", "{,}", "is no JSON"),
}


def self_test():
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        planted = dict(PLANTED)
        if yaml:
            planted[".github/workflows/ci.yml"] = ("on: push\noptions: [quick, full]\n", "on: [push\n", "is no YAML")
        others = {"scripts/test.sh": "", ".ci/run": "case $mode in quick | full) ;;\n", "CMakePresets.json": '{"configurePresets": [{"name": "dev"}]}'}
        for path, text in [*others.items(), *((path, each[0]) for path, each in planted.items())]:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        assert not faults(root), faults(root)
        for path, (good, bad, words) in planted.items():
            (root / path).write_text(bad, encoding="utf-8")
            found = faults(root)
            assert len(found) == 1 and words in found[0], f"{path}: {found}"
            (root / path).write_text(good, encoding="utf-8")
    print(f"{len(planted)} planted faults found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not yaml:
        print("KILN-NOT-RUN yaml 1")
    root = pathlib.Path(sys.argv[1]).resolve()
    found = faults(root)
    print("\n".join(found) or f"{len(files_of(root, PAGES))} pages and {len(files_of(root, YAML + JSON))} files of configuration hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
