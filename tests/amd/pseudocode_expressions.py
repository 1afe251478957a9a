"""AMD's pseudocode (pseudocode.py): its expressions."""
import re

from pseudocode_values import TYPES, U1, U32, U64, Untranslatable, Value, Values, dtype, width


class Expressions(Values):
    """Parsed by precedence; each rule gives a Value."""

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
            if operator == "<>":  # less or greater: false of NaN
                return Value(f"(({a} < {b}) | ({a} > {b}))", U1)
            return Value(f"({a} {operator} {b})", U1)
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
        if kind == "f" and isinstance(value.number, int) and value.number > 0xffff:  # 0xffc00000: a NaN's bits
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
