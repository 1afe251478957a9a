#!/usr/bin/env python3
"""Reads the comments of the public headers, and of a few internal ones that many files include. A comment begins with a verb
("Returns …", "Throws …") or with a noun that is its subject, never with a fragment ("Of the loop"); a sentence is short; words are
those of the field. The words are looked for in all comments of the libraries, the kernels' sources and the tools.

usage: comments_test.py ROOT        (exit status 1 and one line for each finding in a file that has more of them than KNOWN says)
       comments_test.py --list ROOT (all findings, also the known ones)
       comments_test.py --self-test (plants a comment of each kind and wants it found)
"""
import collections
import pathlib
import re
import sys
import tempfile

PUBLIC = "include/kiln"
SOURCES = ("lib", "kernels-src", "tools")
INTERNAL = ("lib/kiln/array/rep.hpp", "lib/kiln/call/operands.hpp", "lib/kiln/compiler/compiler.hpp", "lib/kiln/device/backend.hpp",
            "lib/kiln/kernel/spec.hpp", "lib/kiln/program/program.hpp", "lib/kiln/ufunc/plan.hpp")

# Findings that are still there, until they are rewritten: file -> how many. A count only falls.
KNOWN = {}

LONGEST = 28  # words of a sentence

# How a comment does not begin: the start -> (an example, a way to say it).
STARTS = {
    "after": ("after which the call ends", "time limit of the call"),
    "again": ("Again: nothing.", "A second call does nothing."),
    "along": ("along which axis", "axis that is reduced"),
    "also": ("also for tools", "names for tools"),
    "among": ("Among the queues of the process.", "Number among the queues of the process."),
    "as": ("As Ufunc::reduce.", "Reduces as Ufunc::reduce does."),
    "at": ("at the inverse transforms", "scales the inverse transforms"),
    "because": ("because a driver may refuse", "reason: a driver may refuse"),
    "behind": ("Behind the default stream.", "The copy waits for the default stream."),
    "beside": ("Beside what calls load, other sizes.", "Compiles other sizes, too."),
    "between": ("between two launches", "time between two launches"),
    "but": ("But for a GPU.", "A GPU is an exception."),
    "by": ("by reason", "misses, counted by reason"),
    "called": ("Called after each kernel.", "Callback, called after each kernel."),
    "else": ("else the first one", "the first one otherwise"),
    "exact": ("Exact.", "Converts exactly."),
    "for": ("For the library itself.", "Constructor that the library uses."),
    "from": ("From now on it counts.", "Starts the count."),
    "how": ("How many inputs it has.", "Returns the number of inputs."),
    "if": ("If empty, all entries.", "Exports all entries if `ids` is empty."),
    "in": ("in the directory", "kernels found in the directory"),
    "instead": ("instead of a body", "expression, instead of a body"),
    "into": ("Into an existing array.", "Copies the elements into an existing array."),
    "like": ("Like a call on that stream.", "Returns as soon as the work is queued."),
    "never": ("never null", "pointer, not null"),
    "none": ("None: each element is reduced for itself.", "The empty list: each element is reduced for itself."),
    "not": ("not for braces", "constructor that braces do not choose"),
    "of": ("of the loop", "signature of the loop"),
    "on": ("On the same device.", "Copies the array on its device."),
    "only": ("Only parses.", "Parses the definition; opens nothing."),
    "otherwise": ("Otherwise an error.", "Throws otherwise."),
    "per": ("per block", "bytes per block"),
    "since": ("since 1970", "seconds since 1970"),
    "so": ("So that the call waits.", "Makes the call wait."),
    "such": ("Such as NumPy's.", "Rules of NumPy."),
    "that": ("that are reduced", "axes that are reduced"),
    "the same": ("The same of an integer.", "Converts an integer."),
    "there": ("there: nothing", "a place without entries"),
    "those": ("Those of rfft().", "Returns the frequencies of rfft()."),
    "to": ("To integers.", "Rounding to integers."),
    "until": ("until it is freed", "lifetime: until it is freed"),
    "what": ("What the call would do.", "The plan of a call."),
    "when": ("When it was made.", "Time at which it was made."),
    "where": ("where it runs", "device that the call runs on"),
    "whether": ("Whether it is an array.", "Returns true if it is an array."),
    "which": ("Which stream goes first.", "Priority of the stream."),
    "while": ("while it runs", "state while it runs"),
    "who": ("Who compiles.", "The compiler."),
    "whoever": ("Whoever is free.", "The first free device."),
    "whose": ("whose kernels it compiles", "kind of device that it compiles for"),
    "why": ("Why nothing was tried.", "Reason for which nothing was tried."),
    "with": ("with a name alone", "name, without options"),
    "within": ("within the directory", "path within the directory"),
    "without": ("Without a stream.", "The form without a stream."),
}
# How no sentence of a comment begins: errors are thrown.
ERRORS = re.compile(r"(?:\w+Error|Error|Stopped)\s*(?:,|\.$|;|\b(?:as|for|if|in|of|on|otherwise|unless|where|with)\b)")

# Words that have a usual one in this field: the word -> the usual one.
WORDS = {
    "anew": "again", "as it was written": "unmodified", "crew": "worker pool", "doubtful": "suspicious", "goes along": "vectorizes along",
    "lookout": "spin-wait", "mended": "repaired", "one behind the other": "AoS", "passes over": "streams over", "piece": "chunk",
    "pieces": "chunks", "side by side": "SoA", "stacked": "unrolled", "told": "reported", "where it stands": "position"}
WORD = re.compile(r"\b(" + "|".join(WORDS) + r")\b")

# What is between literals, which may hold slashes, and comments.
TOKEN = re.compile(r'R"([^()\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|(?P<comment>//[^\n]*)', re.S)
MARKER = re.compile(r"///<|///|//")
DIRECTIVE = re.compile(r"NOLINT|namespace\b|clang-format |@[{}]")

Comment = collections.namedtuple("Comment", "line marker trailing column lines")


def comments(text):
    """The comments of a C++ text: adjacent lines with one marker are one comment. Directives for tools are left out."""
    found, joins = [], None
    for match in TOKEN.finditer(text):
        if match["comment"] is None:
            continue
        line = text.count("\n", 0, match.start()) + 1
        start = text.rfind("\n", 0, match.start()) + 1
        column = match.start() - start
        trailing = bool(text[start:match.start()].strip())
        marker = MARKER.match(match[0])[0]
        body = match[0][len(marker):].rstrip()
        if DIRECTIVE.match(body.strip()):
            joins = None
            continue
        body = re.sub(r"^ @name\b", "", body)
        if not trailing and joins == (line - 1, marker, column):
            found[-1].lines.append(body)
        elif not trailing and marker == "///<" and joins and joins[:2] == (line - 1, marker):
            found[-1].lines.append(body)
        else:
            found.append(Comment(line, marker, trailing, column, [body]))
        joins = (line, marker, column)
    return found


def sentences(comment):
    """The sentences of a comment; a blank line, an item of a list and an indented line of code begin a new one."""
    parts = [[]]
    for line in comment.lines:
        if not line.strip() or re.match(r"\s+[-*] ", line):
            parts.append([])
        if line.startswith("   "):
            parts.append([])
            continue
        parts[-1].append(re.sub(r"^\s+[-*] ", "", line).strip())
    for part in parts:
        text = re.sub(r'`[^`]*`|"[^"]*"', lambda m: "`" + re.sub(r"\W", "_", m[0][1:-1]) + "`", " ".join(part).strip())
        yield from (s for s in re.split(r"(?<=[.!?])[)\"]?\s+", text) if s.strip())


def words(sentence):
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def unusual_words(sentence, shown):
    for word in WORD.findall(re.sub(r"`[^`]*`", "", sentence.lower())):
        yield f'"{word}" is not the usual word, which is "{WORDS[word]}": "{shown}"'


def wrong_words(text):
    """(line, why) of a C++ text, for words alone."""
    return [(comment.line, why) for comment in comments(text) for sentence in sentences(comment) for why in unusual_words(sentence, sentence[:60])]


def faults(text):
    """(line, why) of a C++ text."""
    found = []
    for comment in comments(text):
        for number, sentence in enumerate(sentences(comment)):
            shown = sentence if len(sentence) <= 60 else sentence[:57] + "…"
            first = re.match(r"the same\b|\w+", sentence.lower())
            if number == 0 and first and first[0] in STARTS:
                bad, good = STARTS[first[0]]
                found.append((comment.line, f'begins with a fragment: "{shown}" (say it as "{good}", not "{bad}")'))
            if ERRORS.match(sentence):
                found.append((comment.line, f'an error without its verb: "{shown}" (say "Throws … if …")'))
            found += [(comment.line, why) for why in unusual_words(sentence, shown)]
            if words(sentence) > LONGEST:
                found.append((comment.line, f'{words(sentence)} words, {LONGEST} are allowed: "{shown}"'))
    return found


def covered(root):
    return sorted(p.relative_to(root).as_posix() for p in (root / PUBLIC).rglob("*.h*")) + [f for f in INTERNAL if (root / f).is_file()]


def sources(root):
    """The files whose words are read, but for those that covered() gives."""
    whole = set(covered(root))
    files = (p.relative_to(root).as_posix() for folder in SOURCES for p in (root / folder).rglob("*") if p.suffix in (".cpp", ".hpp", ".h"))
    return sorted(file for file in files if file not in whole)


def check(root, known):
    """(lines to print, how many files were read)"""
    lines = [f"{file}: is not there: correct INTERNAL" for file in INTERNAL if not (root / file).is_file()]
    files = covered(root)
    for file in files:
        found = faults((root / file).read_text(encoding="utf-8"))
        allowed = known.get(file, 0)
        if len(found) > allowed:
            lines += [f"{file}:{line}: {why}" for line, why in found]
        elif len(found) < allowed:
            lines.append(f"{file}: {len(found)} findings are left of {allowed}: lower the count in KNOWN")
    for file in sources(root):
        lines += [f"{file}:{line}: {why}" for line, why in wrong_words((root / file).read_text(encoding="utf-8"))]
    lines += [f"{file}: is in KNOWN but is not read" for file in known if file not in files]
    return lines, len(files)


def self_test():
    for start, (bad, good) in STARTS.items():
        for comment in (f"/// {bad[0].upper()}{bad[1:]}\nint a;\n", f"int a;  ///< {bad[0].lower()}{bad[1:]}\n"):
            assert [w.split(":")[0] for _, w in faults(comment)] == ["begins with a fragment"], (start, comment, faults(comment))
        assert bad.lower().startswith(start), start
        assert not faults(f"/// {good}\nint a;\n") and not faults(f"int a;  ///< {good}\n"), (start, good, faults(f"/// {good}\n"))
    for bad in ("TypeError for a mask.", "IoError where it is damaged.", "ShapeError, TypeError.", "TypeError."):
        assert len(faults(f"/// Returns the sum. {bad}\n")) == 1, bad
        assert len(faults(f"/// {bad}\n")) == 1, bad
        assert len(faults(f"/// Returns the sum.\n///\n/// {bad}\n")) == 1, bad
    for good in ("Throws TypeError for a mask.", "TypeError is thrown first.", "A TypeError ends the call.", "Stopped calls write nothing."):
        assert not faults(f"/// Returns the sum. {good}\n"), good
    for word, usual in WORDS.items():
        assert len(faults(f"/// Returns it, {word}.\n")) == 1 and not faults(f"/// Returns it, {usual}. `{word}`\n"), word
    longest = " ".join(["word"] * LONGEST)
    assert not faults(f"/// {longest}.\n/// {longest}. {longest}\n")
    assert [line for line, _ in faults(f"int a;\n\n/// One. {longest}\n/// more. End.\n")] == [3]
    assert not faults(f"/// {longest}\n///\n/// {longest}\n/// - {longest}\n/// - {longest}\n///   int code = {longest};\n/// {longest}\n")
    assert not faults(f"/// {longest[:-4]}`a b c d e`\n") and faults(f"/// {longest} `a`\n")
    # Literals and directives are no comments; a trailing comment goes on in the next line, and ends before another marker.
    assert not comments('auto a = "// of"; auto b = R"(// of)"; char c = \'"\'; int d = 1\'000; /* of */ int e;\n')
    assert not comments("}  // namespace kiln\nint a;  // NOLINT(x): of\n/// @{\n/// @}\n")
    assert [c.lines for c in comments("int a;  ///< one\n        ///< two\nint b;  ///< three\n// four\n")] == \
        [[" one", " two"], [" three"], [" four"]]
    assert [c.lines for c in comments("/// one\n/// two\n// three\n\n// four\n")] == [[" one", " two"], [" three"], [" four"]]
    assert faults("/// @name Of a call.\n/// @{\n") and not faults("/// @name Calls\n/// @{\n/// Returns it.\n")
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for file in (*INTERNAL, f"{PUBLIC}/a.hpp", f"{PUBLIC}/c/b.h"):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text("/// Returns it.\nint f();\n")
        assert check(root, {}) == ([], len(INTERNAL) + 2)
        for file in (INTERNAL[0], f"{PUBLIC}/a.hpp", f"{PUBLIC}/c/b.h"):
            (root / file).write_text("/// Of it.\nint f();\n")
            assert [line.split(": ")[0] for line in check(root, {})[0]] == [f"{file}:1"]
            assert not check(root, {file: 1})[0]
            assert "lower the count" in check(root, {file: 2})[0][0]
            (root / file).write_text("/// Returns it.\nint f();\n")
        (root / "tools").mkdir()
        (root / "tools/a.cpp").write_text("// Of it.\nint f();\nint b;  // told\n")
        assert [line.split(": ")[0] for line in check(root, {})[0]] == ["tools/a.cpp:3"]
        (root / "tools/a.cpp").unlink()
        assert "not read" in check(root, {"lib/other.hpp": 1})[0][0]
        (root / INTERNAL[0]).unlink()
        assert "is not there" in check(root, {})[0][0]
    print(f"{len(STARTS)} starts of fragments found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    everything = sys.argv[1:2] == ["--list"]
    if len(sys.argv) != 2 + everything:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[-1]).resolve()
    lines, read = check(root, {} if everything else KNOWN)
    print("\n".join(lines) or f"{read} headers keep the rules of comments; {sum(KNOWN.values())} findings in {len(KNOWN)} files are known")
    if read <= len(INTERNAL):
        print("no public headers were read: is ROOT the project?")
        return 1
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
