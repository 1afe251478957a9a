#!/usr/bin/env python3
"""Counts the words of each sentence in README.md and the pages below docs/, and looks for words that are kiln's own where the field has another.
It fails where the 95th percentile of a page is more than 28 words, where pages together have more longer sentences than LONG_SENTENCES allows, and where a page
or a public header has such a word.

usage: prose_test.py ROOT           (exit status 1, and one line for each page or word that breaks a rule)
       prose_test.py --long FILE    (prints the sentences of a page that have more than 28 words)
       prose_test.py --self-test    (holds the counting to planted sentences, and wants planted faults found)
"""
import math
import pathlib
import re
import statistics
import sys
import tempfile

LIMIT = 28
# A limit of a file that lies further above what the file has must be lowered.
SLACK = 2

# How many sentences of all pages may have more than LIMIT words. Only falls.
LONG_SENTENCES = 0

# Pages whose sentences are still too long, with what their 95th percentile may be. These limits only fall.
KNOWN_LENGTHS = {}

# How many words of OWN_WORDS a file may still have. These limits only fall.
KNOWN_WORDS = {}

# Words with no innocent meaning in public text, and what the field says.
OWN_WORDS = [
    (r"side by side", "adjacent, or structure of arrays (SoA)"),
    (r"one behind the other|behind one another", "consecutive, or array of structures (AoS)"),
    (r"stacked", "unrolled, or batched"),
    (r"brings?|brought", "copies, gathers, or causes"),
    (r"go(es)? along|going along", "vectorizes along, or iterates along"),
    (r"crews?", "worker pool"),
    (r"lookouts?", "spin-wait"),
    (r"meetings?", "collisions"),
    (r"stamps?", "usage record, or time of last use"),
    (r"leaves? in place", "access with unit stride"),
    (r"along (the |their )?cores?", "inner-loop vectorization"),
    (r"suits? lanes", "legal to vectorize"),
    (r"comes? together", "join point"),
    (r"told", "reported, specified, or by default"),
    (r"anew", "again, or new"),
    (r"doubtful", "suspicious"),
    (r"as written", "unmodified"),
    (r"a finding|findings", "diagnostic"),
    (r"mend(s|ed|ing)?", "repair, or fix"),
    (r"pieces?", "chunk, or contiguous block"),
    (r"apart(?! from)", "strided, disjoint, or distinguished"),
    (r"behind", "after"),
]
OWN = [(re.compile(rf"\b(?:{pattern})\b", re.I), field) for pattern, field in OWN_WORDS]

CODE = "Code"
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|al|etc|Fig|No))\.$")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")


def plain(text):
    """Markdown without its marks: inline code is one word, a link is its text."""
    text = re.sub(r"(`+).+?\1", CODE, text)
    text = re.sub(r"<[^>\s]+>", "", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)


def blocks(text):
    """(number of the first line, text) of paragraphs, list items and table cells. Code blocks and headings are no prose."""
    found, lines, first, fence = [], [], 0, None

    def close():
        if lines:
            found.append((first, " ".join(lines)))
            lines.clear()

    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence or mark:
            close()
            if mark:
                fence = None if fence else mark[1]
        elif not line.strip() or line.startswith("#"):
            close()
        elif line.lstrip().startswith("|"):
            close()
            # Code in cells has bars of its own; what has fewer than four words is a name or a figure.
            cells = re.split(r"(?<!\\)\|", plain(line))
            found += [(number, cell.strip()) for cell in cells if len(words(cell)) > 3]
        else:
            if ITEM.match(line):
                close()
            if not lines:
                first = number
            lines.append(ITEM.sub("", line).strip())
    close()
    return [(number, plain(block)) for number, block in found]


def words(text):
    return [word for word in text.split() if re.search(r"\w", word)]


def sentences(block):
    parts, start = [], 0
    for end in re.finditer(r"[.!?…][\"')\]]*(?=\s|$)", block):
        if not ABBREVIATION.search(block[start:end.end()]):
            parts.append(block[start:end.end()].strip())
            start = end.end()
    return [part for part in [*parts, block[start:].strip()] if words(part)]


def lengths(text):
    return [len(words(sentence)) for _, block in blocks(text) for sentence in sentences(block)]


def percentile_95(counts):
    return sorted(counts)[math.ceil(0.95 * len(counts)) - 1] if counts else 0


def comments(text):
    """(number of the line, text) of a header's comments."""
    return [(number, match[1]) for number, line in enumerate(text.splitlines(), 1) if (match := re.search(r"(?:^|\s)//[/!]?<?\s?(.*)", line))]


def own_words(lines):
    """(number of the line, the word, what the field says)"""
    return [(number, match[0], field) for number, line in lines for pattern, field in OWN for match in pattern.finditer(line)]


def too_high(name, known, found):
    """A limit of a list of known ones that lies too far above what the file has, as a list of one message or none."""
    if known.get(name, 0) <= found + SLACK:
        return []
    return [f"{name}: prose_test.py lists it with {known[name]}, and it has {found}: lower that, or take it out"]


def check_length(name, counts, known):
    limit, found = known.get(name, LIMIT), percentile_95(counts)
    if found > limit:
        return [f"{name}: the 95th percentile of its sentences is {found} words, {limit} are allowed: see prose_test.py --long {name}"]
    return too_high(name, known, found)


def check_words(name, lines, known):
    limit, found = known.get(name, 0), own_words(lines)
    if len(found) > limit:
        return [f"{name}:{number}: \"{word}\" is a word of kiln's own: write {field}" for number, word, field in found]
    return too_high(name, known, len(found))


def check_long(pages, limit):
    """Whether the pages have as many sentences of more than LIMIT words as is allowed, as a list of messages or none."""
    long = {name: sum(count > LIMIT for count in counts) for name, counts in pages.items()}
    found = sum(long.values())
    if found > limit:
        return [f"{found} sentences have more than {LIMIT} words, {limit} are allowed: see " +
                ", ".join(f"prose_test.py --long {name}" for name, count in long.items() if count)]
    return [f"{found} sentences have more than {LIMIT} words, and LONG_SENTENCES is {limit}: lower it"] if found < limit else []


def check(root, known_lengths, known_words, long_sentences=None):
    """(what is wrong, {page: words of each of its sentences})"""
    wrong, pages = [], {}
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        if path.is_file():
            name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
            pages[name] = lengths(text)
            wrong += check_length(name, pages[name], known_lengths) + check_words(name, blocks(text), known_words)
    if long_sentences is not None:
        wrong += check_long(pages, long_sentences)
    for path in sorted((root / "include").rglob("*.h*")):
        name = path.relative_to(root).as_posix()
        wrong += check_words(name, comments(path.read_text(encoding="utf-8")), known_words)
    for name in sorted({*known_lengths, *known_words}):
        if not (root / name).is_file():
            wrong.append(f"{name} is listed in prose_test.py, and is not there")
    return wrong, pages


PLANTED = [  # text, words of each sentence
    ("One two three. kiln begins small.", [3, 3]),
    ("One\ntwo\nthree.\n\nFour five", [3, 2]),
    ("See e.g. that one, of Kahan et al. and of others. Next.", [11, 1]),
    ("The call `f(a, b). c` is one word; 19.1.7 is one, too.", [10]),
    ("A [link of words](docs/x.md \"A title. Two\") and **bold** *text*.", [7]),
    ("- one two\n  three\n- four. Five six.\n1. seven", [3, 1, 2, 1]),
    ("before\n```cpp\nfloat x = 1; // not counted.\n```\nafter it", [1, 2]),
    ("# Heading of four words\ntext", [1]),
    ("| name | what it means here |\n| --- | --- |\n| `a|b` | one two three four. Five six \\| seven |", [4, 4, 3]),
    ("Is it? (It is.) Yes!", [2, 2, 1]),
    ("a → b — c", [3]),
]


def self_test():
    for text, expected in PLANTED:
        assert lengths(text) == expected, f"{text!r}: got {lengths(text)}, expected {expected}"
    assert percentile_95(list(range(1, 101))) == 95 and percentile_95([7]) == 7
    long = " ".join(["word"] * 29) + ".\n"
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        (root / "docs").mkdir()
        (root / "include/kiln").mkdir(parents=True)
        page, header = root / "docs/page.md", root / "include/kiln/x.hpp"

        def wrong(page_text, header_text="", known_lengths=(), known_words=()):
            page.write_text(page_text)
            header.write_text(header_text)
            return check(root, dict(known_lengths), dict(known_words))[0]

        innocent = "A short sentence, that `told` in code.\n```\none behind the other\n```\n"
        assert wrong(innocent, "int told;  // innocent\n") == []
        assert "29 words, 28 are allowed" in wrong(long)[0]
        assert wrong(long, known_lengths={"docs/page.md": 29}) == wrong(long, known_lengths={"docs/page.md": 31}) == []
        assert "with 32, and it has 29" in wrong(long, known_lengths={"docs/page.md": 32})[0]
        assert "is not there" in wrong(innocent, known_lengths={"docs/other.md": 29})[0]
        page.write_text(f"{long} Short. {long}")
        header.write_text("")
        for limit, message in ((2, None), (1, "2 sentences have more than 28 words, 1 are allowed: see prose_test.py --long docs/page.md"), (3, "lower it")):
            found = check(root, {"docs/page.md": 29}, {}, limit)[0]
            assert found == [] if message is None else message in found[0], (limit, found)
        own = "Lanes lie\nside by side, and one is told.\n"
        assert len(wrong(own)) == 2 and "write adjacent" in wrong(own)[0]
        assert wrong(own, known_words={"docs/page.md": 2}) == []
        assert wrong(own, known_words={"docs/page.md": 4}) == []
        assert "with 5, and it has 2" in wrong(own, known_words={"docs/page.md": 5})[0]
        assert wrong(innocent, "/// Brings it.\n")[0].startswith("include/kiln/x.hpp:1: ")
    for pattern, field in OWN:
        assert not pattern.search(field), f"{field} is what it replaces"
    print(f"{len(PLANTED)} planted texts counted, and the planted faults found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) == 3 and sys.argv[1] == "--long":
        for number, block in blocks(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")):
            for sentence in sentences(block):
                if len(words(sentence)) > LIMIT:
                    print(f"{number}: {len(words(sentence))}: {sentence}")
        return 0
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    wrong, pages = check(pathlib.Path(sys.argv[1]).resolve(), KNOWN_LENGTHS, KNOWN_WORDS, LONG_SENTENCES)
    every = [count for counts in pages.values() for count in counts]
    if not every:
        print("no pages were read: is ROOT the project?")
        return 1
    for name, counts in [*pages.items(), ("all", every)]:
        print(f"{name:32} {len(counts):5} sentences, median {statistics.median(counts):4}, p95 {percentile_95(counts)}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
