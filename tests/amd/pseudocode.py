"""AMD's pseudocode of an instruction, translated to a Python function over NumPy values.

A value is an array with a number for each lane, or one number that all lanes share. Registers come as unsigned integers of their
width; a suffix (`S0.f32`) reads bits as another type. An `if` becomes a choice for each lane. The pseudocode of a scalar
instruction is translated alike, with Python's own `if`.

What cannot be translated (loops, arrays, rounding modes) raises Untranslatable; natives.py has those instructions.
"""
import numpy as np

import arithmetic
from pseudocode_expressions import Expressions
from pseudocode_values import TYPES, U1, U32, Untranslatable, Value, dtype, width

__all__ = ["Function", "Untranslatable", "translate"]


class Translator(Expressions):
    """One pass: the parser writes Python as it reads."""

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
