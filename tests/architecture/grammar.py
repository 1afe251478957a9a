"""Grammars in EBNF (ISO 14977), as pages show them: every rule that is named is there, and examples in the file match their rule or do not.

A file has rules, and lines `(* yes RULE: TEXT *)` and `(* no RULE: TEXT *)`. A line `(* uses FILE *)` takes the rules of another file, where this one has none of
the name. Blanks may stand between the words of a text, but not within what letters and digits are put together to.
"""
import re

TOKEN = re.compile(r'\s*(?:"([^"]*)"|([a-z]\w*)|([=|,;{}\[\]()]))')
CHARACTERS = {"letter": str.isalpha, "digit": str.isdigit, "upper": str.isupper}
EXAMPLE = re.compile(r"^\(\* (yes|no) (\w+): (.*) \*\)$", re.M)
USES = re.compile(r"^\(\* uses (\S+) \*\)$", re.M)
# What is C++ in a text, and what every grammar has.
BUILT_IN = {"expression": re.compile(r".+", re.S), "body": re.compile(r"[^}]*"), "number": re.compile(r"\d+")}


def rules_of(text):
    """Name to tree: ("or", [trees]), ("all", [trees]), ("many", tree), ("may", tree), ("word", text), ("rule", name)."""
    text, at, rules = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S), 0, {}

    def take(*wanted):
        nonlocal at
        match = TOKEN.match(text, at)
        found = None if match is None else ("word", match[1]) if match[1] is not None else ("rule", match[2]) if match[2] else ("mark", match[3])
        if found is None or (wanted and found not in [("mark", each) for each in wanted]):
            raise ValueError(f"{text[at:at + 20].strip()!r} stands where {' or '.join(wanted) or 'a word'} is wanted")
        at = match.end()
        return found

    def peek():
        match = TOKEN.match(text, at)
        return match and match[3]

    def choice():
        trees = [sequence()]
        while peek() == "|":
            take("|")
            trees.append(sequence())
        return ("or", trees)

    def sequence():
        trees = [term()]
        while peek() == ",":
            take(",")
            trees.append(term())
        return ("all", trees)

    def term():
        for opening, closing, kind in (("{", "}", "many"), ("[", "]", "may"), ("(", ")", "or")):
            if peek() == opening:
                take(opening)
                tree = choice()
                take(closing)
                return (kind, tree) if kind != "or" else tree
        return take()

    while text[at:].strip():
        name = take()[1]
        take("=")
        rules[name] = choice()
        take(";")
    return rules


def names_in(tree):
    kind, value = tree
    return {value} if kind == "rule" else set() if kind == "word" else set().union(*map(names_in, value)) if isinstance(value, list) else names_in(value)


class Matcher:
    def __init__(self, rules, text):
        self.rules, self.text = rules, text

    def ends(self, tree, begins, lexical):
        """Where a tree may end that begins at one of the places. `lexical`: no blanks stand before its words."""
        kind, value = tree
        if kind == "word":
            return {at + len(value) for at in map(lambda place: self.blanks(place, lexical), begins) if self.text.startswith(value, at)}
        if kind == "or":
            return set().union(*(self.ends(each, begins, lexical) for each in value))
        if kind == "all":
            for each in value:
                begins = self.ends(each, begins, lexical)
            return begins
        if kind == "may":
            return begins | self.ends(value, begins, lexical)
        if kind == "many":
            found, last = set(begins), begins
            while last := self.ends(value, last, lexical) - found:
                found |= last
            return found
        return self.rule_ends(value, begins, lexical)

    def rule_ends(self, name, begins, lexical):
        if not begins:
            return set()
        if name in CHARACTERS:
            return {at + 1 for at in begins if at < len(self.text) and CHARACTERS[name](self.text[at])}
        begins = {self.blanks(at, lexical) for at in begins}
        if name in self.rules:
            tree = self.rules[name]
            return self.ends(tree, begins, lexical or bool(names_in(tree) & set(CHARACTERS)))
        found = (BUILT_IN[name].match(self.text, at) for at in begins)
        return {match.end() for match in found if match}

    def blanks(self, at, lexical):
        while not lexical and at < len(self.text) and self.text[at] in " \t":
            at += 1
        return at


def matches(rules, name, text):
    return len(text) in Matcher(rules, text.strip()).rule_ends(name, {0}, False)


def faults(path):
    text = path.read_text(encoding="utf-8")
    try:
        rules = rules_of(text)
        for other in USES.findall(text):
            rules = {**rules_of((path.parent / other).read_text(encoding="utf-8")), **rules}
    except ValueError as error:
        yield f"{path.name}: {error}"
        return
    for name in sorted(set().union(*map(names_in, rules.values())) - set(rules) - set(CHARACTERS) - set(BUILT_IN)):
        yield f"{path.name}: the rule {name} is missing"
        return
    shown = {name for name in rules_of(text)}
    if not EXAMPLE.findall(text):
        yield f"{path.name} has no examples"
    for wanted, name, example in EXAMPLE.findall(text):
        if name not in shown:
            yield f"{path.name} has an example of {name}, and no such rule"
        elif matches(rules, name, example) != (wanted == "yes"):
            yield f"{path.name}: {name} {'does not match' if wanted == 'yes' else 'matches'} {example}"
