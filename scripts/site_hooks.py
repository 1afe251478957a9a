"""Pages that MkDocs makes beside docs/: the C++ reference, a page for each file that pages link to elsewhere in the tree, and llms.txt, all pages as one text."""
import pathlib
import re
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import cpp_reference  # noqa: E402

# A link out of docs/: to a file of the tree, which has a page of its own here.
OUTSIDE = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".c": "c", ".h": "c", ".py": "python"}


def page_of(path):
    return "tree/" + path + ("" if path.endswith(".md") else ".md")


def on_files(files, config):
    wanted = set()
    for file in files.documentation_pages():
        wanted.update(match[1] for match in OUTSIDE.finditer(file.content_string))
    for path in sorted(wanted):
        text = (ROOT / path).read_text(encoding="utf-8")
        if path.endswith(".md"):
            # Its own links lead on within the tree, not to pages.
            content = re.sub(r"\[([^]\n]*)\]\((?!https?:)[^)]*\)", r"\1", text)
        else:
            content = f"# {path}\n\n````{LANGUAGES.get(pathlib.Path(path).suffix, 'text')}\n{text}````\n"
        files.append(File.generated(config, page_of(path), content=content))
    for path, text in cpp_reference.pages(ROOT).items():
        files.append(File.generated(config, path, content=text))
    pages = "".join(f"\n\n----- {file.src_uri}\n\n{file.content_string}" for file in files.documentation_pages() if not file.src_uri.startswith("tree/"))
    files.append(File.generated(config, "llms.txt", content="All pages of kiln's documentation." + pages))
    return files


def on_page_markdown(markdown, page, **_):
    up = "../" * page.file.src_uri.count("/")
    return OUTSIDE.sub(lambda match: f"]({up}{page_of(match[1])}{match[2] or ''})", markdown)
