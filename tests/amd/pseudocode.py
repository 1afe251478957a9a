"""AMD's pseudocode of an instruction, translated to a Python function over NumPy values.

A value is an array with a number for each lane, or one number that all lanes share. Registers come as unsigned integers of their
width; a suffix (`S0.f32`) reads bits as another type. An `if` becomes a choice for each lane. The pseudocode of a scalar
instruction is translated alike, with Python's own `if`.

What cannot be translated (loops, arrays, rounding modes) raises Untranslatable; natives.py has those instructions.
"""
import re

import numpy as np

import arithmetic


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


class Translator:
    """One pass: the parser writes Python as it reads."""

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

    # Expressions, by precedence.

    def expression(self):
        return self.ternary()

    def ternary(self):
        condition = self.binary(0)
        if not self.accept("?"):
            return condition
        first = self.ternary()
        self.take(":")
        second = self.ternary()
        type_ = self.meet(first, second)
        if type_ is None:
            if first.type[0] == second.type[0] == "n":
                type_ = ("i", 32)
            else:
                type_ = ("f", 64)
        return Value(self.choice(self.condition(condition), self.typed(first, type_), self.typed(second, type_)), type_)

    def choice(self, condition, first, second):
        if self.scalar:
            return f"({first} if {condition} else {second})"
        return f"np.where({condition}, {first}, {second})"

    def condition(self, value):
        return value.code if value.type == U1 else f"({value.code} != 0)"

    LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!=", "<>"), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
              ("*", "/", "%"), ("**",))

    def binary(self, level):
        if level == len(self.LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in self.LEVELS[level]:
            operator = self.take()
            if operator in ("==", "!=") and self.peek() == "DENORM":
                self.take(), self.take("."), self.take()
                left = Value(f"A.denormal({left.code})", U1)
                continue
            left = self.combine(operator, left, self.binary(level + 1))
        return left

    def combine(self, operator, left, right):
        if operator in ("||", "&&"):
            if self.scalar:
                return Value(f"({self.condition(left)} {'or' if operator == '||' else 'and'} {self.condition(right)})", U1)
            return Value(f"({self.condition(left)} {operator[0]} {self.condition(right)})", U1)
        if operator == "**":
            if left.number != 2:
                raise Untranslatable("a power of another number than 2")
            if right.number is not None:
                return Value(repr(2.0 ** right.number), ("w", 0), 2.0 ** right.number)
            raise Untranslatable("a power of 2")
        if operator in ("<<", ">>"):
            return self.shift(operator, left, right)
        type_ = self.meet(left, right)
        if type_ is None:
            if left.number is None or right.number is None:
                raise Untranslatable("numbers of no type")
            number = eval(f"left.number {operator} right.number")  # noqa: S307
            return Value(repr(number), left.type if left.type[0] == "w" else right.type, number)
        a, b = self.typed(left, type_), self.typed(right, type_)
        if operator in ("==", "!=", "<>", "<", ">", "<=", ">="):
            return Value(f"({a} {'!=' if operator == '<>' else operator} {b})", U1)
        if type_ == U1 and operator in ("+", "-", "*"):
            raise Untranslatable("arithmetic of bits")
        if operator in ("/", "%") and type_[0] != "f":
            raise Untranslatable("a division of integers")
        return Value(f"({a} {operator} {b})", type_)

    def shift(self, operator, left, right):
        type_ = ("u", 32) if left.type[0] == "n" else left.type
        have = width(type_[1])
        count = self.typed(right, (type_[0], have))
        number = right.number
        if number is None:
            # NumPy leaves counts past the width undefined; AMD's are masked before, or give 0.
            return Value(f"A.{'left' if operator == '<<' else 'right'}({self.typed(left, type_)}, {count})", type_)
        if number >= have:
            raise Untranslatable("a shift past the width")
        return Value(f"({self.typed(left, type_)} {operator} {count})", type_)

    def unary(self):
        if self.accept("-"):
            value = self.unary()
            if value.number is not None:
                return Value(f"(-{value.code})", value.type, -value.number)
            if value.type[0] == "u":
                raise Untranslatable("an unsigned number negated")
            return Value(f"(-{value.code})", value.type)
        if self.accept("+"):
            return self.unary()
        if self.accept("~"):
            value = self.unary()
            return Value(f"(~{value.code})", value.type, None if value.number is None else ~value.number)
        if self.accept("!"):
            code = self.condition(self.unary())
            return Value(f"(not {code})" if self.scalar else f"(~{code})", U1)
        return self.postfix()

    def postfix(self):
        value = self.primary()
        while True:
            if self.peek() == "." and self.tokens[self.at + 1][0] == "name":
                self.take()
                name = self.take()
                if name not in TYPES:
                    raise Untranslatable(f".{name}")
                if value.code in ("VCC", "EXEC", "D0") and self.peek() == "[" and self.peek(1) == "laneId":
                    value = self.lane(value.code)
                else:
                    value = self.bits(value, TYPES[name])
            elif self.accept("["):
                value = self.index(value)
            else:
                return value

    def lane(self, name):
        for token in ("[", "laneId", "]"):
            self.take(token)
        return Value({"VCC": "VCCL", "EXEC": "EXECL", "D0": "D0L"}[name], U1)

    def index(self, value):
        high = self.expression()
        if self.accept(":"):
            low = self.expression()
            self.take("]")
            if high.number is None or low.number is None:
                raise Untranslatable("a slice that moves")
            if high.number < low.number:
                if high.number != 0:
                    raise Untranslatable("a slice that runs backwards")
                return Value(f"A.reversed_bits({value.code})", value.type)
            return self.slice(value, high.number, low.number)
        self.take("]")
        if high.number is not None:
            return self.slice(value, high.number, high.number)
        raw = self.bits(value, ("u", width(value.type[1])))
        return Value(f"(A.right({raw.code}, {self.typed(high, raw.type)}) & 1 != 0)", U1)

    def slice(self, value, high, low):
        bits = high - low + 1
        raw = self.bits(value, ("u", width(value.type[1])))
        code = f"({raw.code} >> {low})" if low else raw.code
        if bits == 1:
            return Value(f"({code} & 1 != 0)", U1)
        if width(bits) != width(raw.type[1]):
            code = f"{code}.astype(np.uint{width(bits)})"
        if bits != width(bits):
            code = f"({code} & {(1 << bits) - 1})"
        return Value(code, ("u", bits))

    def number(self, text):
        sized = re.fullmatch(r"(\d+)'([UIFB]?)(.*)", text)
        if sized:
            digits = sized[3].rstrip("U") if not sized[3].startswith("0x") else sized[3]
            fraction = sized[2] == "F" or "." in digits
            number = float(digits) if fraction else int(digits, 0)
            type_ = ("f" if fraction else "i" if sized[2] == "I" else "u", int(sized[1]))
            return Value(self.typed(Value("", ("w" if fraction else "n", 0), number), type_), type_, number)
        if text.startswith("0x"):
            number = int(text.rstrip("UL"), 16)
        elif "." in text or text.endswith("F"):
            number = float(text.rstrip("F"))
            return Value(repr(number), ("w", 0), number)
        else:
            number = int(text.rstrip("UL"))
        if text.endswith("ULL") or (text.endswith("LL") and number > 0xffffffff):
            return Value(f"np.uint64({number})", U64, number)
        return Value(repr(number), ("n", 0), number)

    CONSTANTS = {"INF": float("inf"), "NAN": float("nan"), "OVERFLOW_F32": float("inf"), "OVERFLOW_F64": float("inf"),
                 "UNDERFLOW_F32": 0.0, "UNDERFLOW_F64": 0.0, "PI": 3.141592653589793}

    def primary(self):
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else (None, "")
        if kind == "number":
            self.take()
            return self.number(text)
        if kind == "cast":
            self.take()
            self.take("(")
            value = self.expression()
            self.take(")")
            bits, letter = text.split("'")
            return self.cast(value, ("u" if letter in "UB" else letter.lower(), int(bits)))
        if self.accept("("):
            value = self.expression()
            self.take(")")
            return Value(f"({value.code})", value.type, value.number)
        if self.accept("{"):
            return self.concatenation()
        if kind != "name":
            raise Untranslatable(f"{text!r}")
        self.take()
        if self.peek() == "(" and text not in self.variables:
            return self.call(text)
        if text in self.CONSTANTS:
            return Value(f"float({str(self.CONSTANTS[text])!r})", ("w", 0), self.CONSTANTS[text])
        if text == "WAVE_MODE":
            self.take("."), self.take("IEEE")
            return Value("np.True_", U1)
        if text == "laneId":
            return Value("A.LANES[LANES]", U32)
        if text in ("VCC", "EXEC", "D0") and self.peek() == "." and self.peek(2) == "[" and self.peek(3) == "laneId":
            return Value(text, U64)
        if text not in self.variables:
            raise Untranslatable(f"{text} is read, and nothing wrote it")
        return Value(text, self.variables[text])

    def cast(self, value, type_):
        kind, bits = type_
        if kind == "f" and value.type[0] == "n" and value.number > 1:
            return self.bits(Value(f"np.uint{bits}({value.number})", ("u", bits)), type_)
        if bits not in (8, 16, 32, 64):
            raise Untranslatable(f"{bits} bits")
        if value.type[0] == "f" and kind != "f":
            raise Untranslatable("a fraction cast to an integer")
        return Value(self.typed(value, type_), type_)

    def concatenation(self):
        parts = [self.expression()]
        while self.accept(","):
            parts.append(self.expression())
        self.take("}")
        total = sum(part.type[1] for part in parts)
        type_ = ("u", total)
        code = self.typed(parts[0], ("u", width(total)))
        for part in parts[1:]:
            code = f"(({code} << {part.type[1]}) | {self.typed(part, ('u', width(total)))})"
        return Value(code, type_)

    def call(self, name):
        self.take("(")
        arguments = []
        while not self.accept(")"):
            arguments.append(self.expression())
            self.accept(",")
        if name in self.lambdas:
            parameters, body = self.lambdas[name]
            return self.inline(parameters, body, arguments)
        return self.function(name, arguments)

    def inline(self, parameters, body, arguments):
        if body[0][1] in ("declare", "if"):
            raise Untranslatable("a lambda of several statements")
        saved = self.tokens, self.at, dict(self.variables)
        for parameter, argument in zip(parameters, arguments):
            self.variables[parameter] = argument.type
            self.emit(f"{parameter} = {argument.code}")
        self.tokens, self.at = body, 0
        value = self.expression()
        if self.peek() is not None:
            raise Untranslatable("a lambda of several statements")
        value = Value(self.fresh(value.code), value.type)
        self.tokens, self.at, self.variables = saved
        return value

    def function(self, name, arguments):
        first = arguments[0] if arguments else None
        if name in ("isNAN", "isQuietNAN", "isSignalNAN"):
            # Of the register's own bits: a conversion to 64 bits would make a signaling one quiet.
            code = re.sub(r"^\(?(.*)\.astype\(np\.float64\)\)?$", r"\1", first.code)
            return Value(f"A.{name}({code})", U1)
        if name == "cvtToQuietNAN":
            return first
        if name == "signext":
            return Value(self.typed(first, ("i", 64)), ("i", 64))
        if name == "abs":
            return Value(f"np.abs({first.code})", first.type)
        if name == "sign":
            return Value(f"np.signbit({first.code})", U1)
        if name == "exponent":
            return Value(f"A.exponent({first.code})", ("i", 32))
        if name == "isEven":
            return Value(f"({first.code} % 2 == 0)", U1)
        if name == "ldexp":
            return Value(f"np.ldexp({first.code}, {self.typed(arguments[1], ('i', 32))})", first.type)
        if name in ("trunc", "floor", "sqrt", "log2", "sin", "cos", "fract"):
            return Value(f"{'A' if name == 'fract' else 'np'}.{name}({first.code})", first.type)
        if name == "pow":
            return Value(f"np.exp2({arguments[1].code})", arguments[1].type)
        if name == "fma":
            return Value(f"A.fma({', '.join(argument.code for argument in arguments)})", first.type)
        conversion = re.fullmatch(r"([uif]\d+)_to_([uif]\d+)", name)
        if conversion and conversion[1] in TYPES and conversion[2] in TYPES:
            target = TYPES[conversion[2]]
            source = self.typed(first, TYPES[conversion[1]])
            if conversion[1][0] != "f" or target[0] == "f":
                return Value(f"{source}.astype(np.{dtype(target)})", target)
            return Value(f"A.to_integer({source}, np.{dtype(target)})", target)
        extreme = re.fullmatch(r"v_(min|max)(3?)_([uif]\d+)", name)
        if extreme and extreme[3] in TYPES:
            type_ = TYPES[extreme[3]]
            codes = [self.typed(argument, type_) for argument in arguments]
            of = f"A.{extreme[1]}imum"
            code = f"{of}({codes[0]}, {codes[1]})"
            return Value(f"{of}({code}, {codes[2]})" if extreme[2] else code, type_)
        raise Untranslatable(f"{name}()")

    # Statements.

    def statements(self, *ends):
        while self.peek() is not None and self.peek() not in ends:
            self.statement()
            self.accept(";")

    def statement(self):
        token = self.peek()
        if token == "if":
            self.if_()
        elif token == "declare":
            self.declaration()
        elif token in ("for", "return", "break", "eval"):
            raise Untranslatable(token)
        elif self.peek(1) == "=" and self.peek(2) == "lambda":
            self.lambda_()
        else:
            self.assignment()

    def declaration(self):
        self.take("declare")
        name = self.take()
        self.take(":")
        token = self.take()
        if self.peek() == "[" or name in self.variables:
            raise Untranslatable("an array")
        bits, _, letter = token.partition("'")
        self.variables[name] = ("u" if letter in "UB" else letter.lower(), int(bits))
        self.emit(f"{name} = np.{dtype(self.variables[name])}(0)")

    def lambda_(self):
        name = self.take()
        self.take("="), self.take("lambda"), self.take("(")
        parameters = []
        while not self.accept(")"):
            parameters.append(self.take())
            self.accept(",")
        self.take("(")
        depth, begin = 1, self.at
        while depth:
            depth += {"(": 1, ")": -1}.get(self.take(), 0)
        self.lambdas[name] = (parameters, self.tokens[begin:self.at - 1])

    def if_(self):
        outer, left = self.mask, None
        while True:
            token = self.take()
            if token == "endif":
                break
            if token in ("if", "elsif"):
                code = self.condition(self.expression())
                self.take("then")
                if self.scalar:
                    self.emit(f"{'if' if token == 'if' else 'elif'} {code}:")
                else:
                    name = self.fresh(code)
                    here = name if left is None else self.fresh(f"{left} & {name}")
                    self.mask = here if outer is None else self.fresh(f"{outer} & {here}")
                    left = self.fresh(f"~{name}" if left is None else f"{left} & ~{name}")
            elif token == "else":
                if self.scalar:
                    self.emit("else:")
                else:
                    self.mask = left if outer is None else self.fresh(f"{outer} & {left}")
            else:
                raise Untranslatable(f"{token} in an if")
            if self.scalar:
                self.indent += 1
                self.emit("pass")
            self.statements("elsif", "else", "endif")
            if self.scalar:
                self.indent -= 1
        self.mask = outer

    def assignment(self):
        """target = [target =] expression"""
        targets = []
        while True:
            begin = self.at
            try:
                target = self.target()
            except Untranslatable:
                target = None
            if target is None or self.peek() not in ("=", "+=", "-=", "&=", "|="):
                self.at = begin
                if not targets:
                    raise Untranslatable(f"a statement that begins with {self.peek()}")
                break
            operator = self.take()
            targets.append(target)
            if operator != "=":
                name, type_, part = target
                if part is not None or name not in self.variables:
                    raise Untranslatable(f"{operator} of what nothing wrote")
                type_ = type_ or self.variables[name]
                value = self.combine(operator[0], self.bits(Value(name, self.variables[name]), type_), self.expression())
                self.store(target, value)
                return
        value = self.expression()
        for target in reversed(targets):
            self.store(target, value)

    def target(self):
        """Name, type, and bits (high, low) where it is a part."""
        if self.tokens[self.at][0] != "name":
            raise Untranslatable("no target")
        name = self.take()
        if name == "in":
            raise Untranslatable(f"a variable {name}")
        if name in ("MEM", "PC", "VGPR", "SGPR", "ROUND_MODE", "M0"):
            raise Untranslatable(f"{name} is written")
        type_, part = None, None
        while True:
            if self.peek() == "." and self.peek(1) in TYPES:
                self.take()
                type_ = TYPES[self.take()]
                if name in ("VCC", "EXEC", "D0") and self.peek() == "[" and self.peek(1) == "laneId":
                    return self.lane(name).code, U1, None
            elif self.peek() == "[":
                self.take()
                high = self.expression().number
                self.take(":")
                low = self.expression().number
                self.take("]")
                if high is None or low is None:
                    raise Untranslatable("a part that moves")
                part = (high, low)
            else:
                return name, type_, part

    def store(self, target, value):
        name, type_, part = target
        if name == "VCC" and not self.scalar:
            name, type_ = "VCCL", U1  # of this lane
        if part is not None:
            bits = part[0] - part[1] + 1
            raw = self.bits(Value(self.typed(value, type_ or ("u", bits)), type_ or ("u", bits)), ("u", width(bits)))
            had = self.variables.get(name, U32)
            if name not in self.variables:
                self.emit(f"{name} = np.uint32(0)")
            whole = width(had[1])
            old = self.bits(Value(name, had), ("u", whole)).code
            rest = ((1 << whole) - 1) & ~(((1 << bits) - 1) << part[1])
            value = Value(f"(({old} & {rest}) | ({self.typed(raw, ('u', whole))} << {part[1]}))", ("u", whole))
            type_ = ("u", whole)
        if name in ("SCC", "VCCL", "EXECL", "D0L"):
            type_ = U1
        if type_ is None:
            type_ = self.variables.get(name)
            if type_ is None or (name == "D0" and value.type[0] not in "nw"):
                type_ = value.type if value.type[0] not in "nw" else ("i", 32)
        code = self.typed(value, type_)
        if self.mask is not None:
            if name in self.variables:
                old = self.bits(Value(name, self.variables[name]), type_).code
                code = f"np.where({self.mask}, {code}, {old})"
            # Else nobody reads it where the branch is not taken.
        self.variables[name] = type_
        self.emit(f"{name} = {code}")
        if name in ("D0", "SCC", "VCC", "VCCL", "EXEC", "EXECL", "D0L") and name not in self.outputs:
            self.outputs.append(name)


class Function:
    """`call(**operands)` gives the values of `outputs`, as unsigned integers or, for SCC and lane masks, as bools."""

    def __init__(self, call, outputs, source):
        self.call, self.outputs, self.source = call, outputs, source


def translate(text, operands, scalar=False):
    """operands: name → bits. Lane masks are VCCL, EXECL and D0L (one bool a lane); LANES is how many there are."""
    translator = Translator(text, operands, scalar)
    translator.statements()
    if translator.peek() is not None:
        raise Untranslatable(f"{translator.peek()!r} at the end")
    if not translator.outputs:
        raise Untranslatable("nothing is written")
    results = []
    for name in translator.outputs:
        type_ = translator.variables[name]
        results.append(name if type_ == U1 else translator.bits(Value(name, type_), ("u", width(type_[1]))).code)
    source = f"def call({', '.join([*operands, 'LANES=64'])}):\n" + "\n".join(translator.lines) + \
        f"\n    return ({', '.join(results)},)\n"
    scope = {"np": np, "A": arithmetic}
    exec(compile(source, "<pseudocode>", "exec"), scope)  # noqa: S102
    return Function(scope["call"], translator.outputs, source)
