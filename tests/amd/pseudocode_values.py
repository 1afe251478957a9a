"""AMD's pseudocode (pseudocode.py): its tokens, its types, and values as pieces of Python."""
import re


class Untranslatable(Exception):
    pass


TOKEN = re.compile(r"""
    (?P<cast>\d+'(?:[UIF]|BF?)(?![\w.-]))
  | (?P<number>\d+'[UIFB]?-?(?:0x[0-9a-fA-F]+|[\d.]+)[UF]?(?!\w)|0x[0-9a-fA-F]+(?:ULL|LL|U|L)?|\d+\.\d+F?|\d+(?:ULL|LL|UL|U|L|F)?)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator>\*\*|<<|>>|<=|>=|==|!=|<>|&&|\|\||\+=|-=|&=|\|=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
  | (?P<space>\s+)
""", re.X)


def tokens(text):
    text = re.sub(r"//[^\n]*", "", text)
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Untranslatable(f"pseudocode at {text[at:at + 20]!r}")
        at = match.end()
        if match.lastgroup != "space":
            found.append((match.lastgroup, match.group()))
    return found


# Types are (kind, bits): u, i and f; a weak number (n: integer, w: float) takes the type of what it meets.
TYPES = {f"{kind}{bits}": ("u" if kind == "b" else kind, bits)
         for kind, widths in {"u": (1, 3, 4, 8, 16, 24, 32, 64), "b": (1, 2, 8, 16, 32, 64), "i": (1, 8, 16, 24, 32, 64),
                              "f": (16, 32, 64)}.items() for bits in widths}
U1, U32, U64 = ("u", 1), ("u", 32), ("u", 64)


def width(bits):
    """Of what holds so many."""
    if bits == 1:
        return 1
    for have in (8, 16, 32, 64):
        if bits <= have:
            return have
    raise Untranslatable(f"{bits} bits")


def dtype(type_):
    kind, bits = type_
    return "bool_" if bits == 1 else {"u": "uint", "i": "int", "f": "float"}[kind] + str(width(bits))


class Value:
    """A piece of Python and the type of its value."""

    def __init__(self, code, type_, number=None):
        self.code, self.type, self.number = code, type_, number


class Values:
    """What the parser reads from and writes to, and conversions between types."""

    def __init__(self, text, operands, scalar):
        self.tokens = tokens(text)
        self.at = 0
        self.scalar = scalar
        self.variables = {name: U1 if name in ("VCCL", "SCC") else ("u", bits) for name, bits in operands.items()}
        self.lambdas = {}
        self.lines = []
        self.indent = 1
        self.mask = None  # the lanes that are in this branch
        self.outputs = []
        self.names = 0

    # Reading.

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected is not None and token != expected):
            raise Untranslatable(f"{expected or 'more'} expected, not {token}")
        self.at += 1
        return token

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    # Writing.

    def emit(self, line):
        self.lines.append("    " * self.indent + line)

    def fresh(self, code):
        self.names += 1
        self.emit(f"t{self.names} = {code}")
        return f"t{self.names}"

    # Conversions.

    def typed(self, value, type_):
        """By value."""
        kind, bits = type_
        if value.type == type_:
            return value.code
        if value.type[0] in "nw" and value.number is not None:
            number = value.number
            if bits == 1:
                return f"np.bool_({bool(number)})"
            if kind == "f":
                return f"np.{dtype(type_)}({number!r})" if abs(number) < float("inf") and number == number else \
                    f"np.{dtype(type_)}('{number}')"
            number = int(number) & ((1 << width(bits)) - 1)
            if kind == "i" and number >> (width(bits) - 1):
                number -= 1 << width(bits)
            return f"np.{dtype(type_)}({number})"
        if value.type[0] in "nw":
            raise Untranslatable("a number of no type")
        if dtype(value.type) == dtype(type_):
            return value.code
        if bits == 1:
            return f"({value.code} & 1 != 0)" if value.type[0] != "f" else f"({value.code} != 0)"
        return f"{value.code}.astype(np.{dtype(type_)})"

    def bits(self, value, type_):
        """The same bits read as another type; as many as there are."""
        kind, bits = type_
        if value.type[0] in "nw":
            if kind != "f" and value.number is not None:
                return Value(self.typed(value, type_), type_)
            return Value(self.typed(value, type_), type_, value.number)
        have = width(value.type[1])
        code = value.code
        if value.type[1] == 1:
            code, have = f"{code}.astype(np.uint8)", 8
        elif value.type[0] == "f":
            code = f"{code}.view(np.uint{have})"
        elif value.type[0] == "i":
            code = f"{code}.view(np.uint{have})"
        wanted = 8 if bits == 1 else width(bits)
        if have != wanted:
            code = f"{code}.astype(np.uint{wanted})"
        if bits == 1:
            return Value(f"({code} & 1 != 0)", type_)
        if bits == 24:
            code = f"({code} & 0xffffff)" if kind == "u" else f"(({code} << 8).view(np.int32) >> 8)"
        elif bits not in (8, 16, 32, 64):
            code = f"({code} & {(1 << bits) - 1})"
        elif kind != "u":
            code = f"{code}.view(np.{dtype(type_)})"
        return Value(code, type_)

    def meet(self, left, right):
        """Both as one type: the wider, floats before integers, unsigned before signed."""
        if left.type[0] in "nw" and right.type[0] in "nw":
            return None
        for one, other in ((left, right), (right, left)):
            if one.type[0] in "nw":
                if one.type[0] == "w" and other.type[0] != "f":
                    raise Untranslatable("a fraction beside an integer")
                return other.type
        (k, m), (l, n) = left.type, right.type
        if "f" in (k, l):
            return ("f", max(b for t, b in (left.type, right.type) if t == "f"))
        m, n = width(m), width(n)
        if m != n:
            return left.type if m > n else right.type
        return (k if k == l else "u", max(left.type[1], right.type[1]))
