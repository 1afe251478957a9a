"""Pages that MkDocs makes beside docs/: the C++ reference, a page for each file that pages link to elsewhere in the tree, and llms.txt, all pages as one text.
Snippets of several languages that follow one another become tabs, and a link that is named by its file takes the title of the page."""
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import cpp_reference  # noqa: E402

# A link out of docs/: to a file of the tree, which has a page of its own here.
UPWARDS = re.compile(r"\]\(((?:\.\./)+[^)#\s]+)(#[^)\s]*)?\)")
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".c": "c", ".h": "c", ".py": "python", ".sh": "bash", ".cmake": "cmake", ".txt": "cmake"}
# [features.md](features.md): what a reader of the files wants to see, and not one of the site.
NAMED_BY_FILE = re.compile(r"\[[\w./-]+\.md\]\(([\w./-]+\.md)(#[^)\s]*)?\)")
SNIPPET = r"<!-- snippet: [^\n]+ -->\n```(\w+)\n.*?```\n(?:<!-- output[^\n]* -->\n```\w*\n.*?```\n)?"
SNIPPETS = re.compile(rf"^{SNIPPET}(?:\n{SNIPPET})+", re.M | re.S)
NAMES = {"python": "Python", "cpp": "C++", "c": "C", "bash": "Shell"}


def outside(link, src_uri):
    """The path below the tree's root that a link of a page leads to, or None where it leads to a page."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(src_uri), link))
    return None if path.startswith("docs/") else path


def page_of(path):
    return "tree/" + path + ("" if path.endswith(".md") else ".md")


def on_files(files, config):
    wanted = set()
    for file in files.documentation_pages():
        wanted.update(outside(match[1], file.src_uri) for match in UPWARDS.finditer(file.content_string))
    for path in sorted(wanted - {None}):
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


def tabs(match):
    """Snippets that follow one another, each of another language, as tabs; others unchanged."""
    snippets = list(re.finditer(SNIPPET, match[0], re.S))
    names = [NAMES.get(snippet[1]) for snippet in snippets]
    if None in names or len(set(names)) < len(names):
        return match[0]
    indented = (re.sub(r"^(?=.)", "    ", snippet[0], flags=re.M) for snippet in snippets)
    return "\n".join(f'=== "{name}"\n\n{text}' for name, text in zip(names, indented))


def on_page_markdown(markdown, page, files, **_):
    up = "../" * page.file.src_uri.count("/")

    def titled(match):
        target = files.get_file_from_path(posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), match[1])))
        title = target and re.search(r"^# (.+)$", target.content_string, re.M)
        return f"[{title[1]}]({match[1]}{match[2] or ''})" if title else match[0]

    def link(match):
        path = outside(match[1], page.file.src_uri)
        return f"]({up}{page_of(path)}{match[2] or ''})" if path else match[0]

    return NAMED_BY_FILE.sub(titled, UPWARDS.sub(link, SNIPPETS.sub(tabs, markdown)))


def on_post_build(config, **_):
    """The plug-in that makes the page of all pages gives it the server's root as its base, where no search is."""
    page = pathlib.Path(config.site_dir) / "print_page.html"
    if page.is_file():
        page.write_text(page.read_text(encoding="utf-8").replace('"base": "/"', '"base": "."', 1), encoding="utf-8")
