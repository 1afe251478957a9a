#!/usr/bin/env python3
"""Writes size_rules.txt: random integer expressions over m and n, and what Python computes for them.

usage: make_size_rules.py FOLDER        (pack.py packs it)
"""
import ast
import operator
import pathlib
import random
import sys

# Python writes floor division as two strokes; its % rounds down as well.
OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}


def expression(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.2:
        return rng.choice(["m", "n", str(rng.choice([0, 1, 2, 3, 7, 100, 2**40]))])
    if kind < 0.3:
        return "-" + expression(rng, depth - 1)
    if kind < 0.45:
        arguments = ", ".join(expression(rng, depth - 1) for _ in range(rng.randrange(2, 4)))
        return f"{rng.choice(['min', 'max'])}({arguments})"
    if kind < 0.6:
        return f"({expression(rng, depth - 1)})"
    blank = rng.choice(["", " "])
    return f"{expression(rng, depth - 1)}{blank}{rng.choice('+-*/%')}{blank}{expression(rng, depth - 1)}"


def value(node, names):
    """The node's value; ArithmeticError where it, or a part of it, is no 64-bit number."""
    if isinstance(node, ast.Expression):
        return value(node.body, names)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.UnaryOp):
        result = -value(node.operand, names)
    elif isinstance(node, ast.Call):
        result = {"min": min, "max": max}[node.func.id]([value(a, names) for a in node.args])
    else:
        result = OPERATIONS[type(node.op)](value(node.left, names), value(node.right, names))
    if not -2**63 <= result < 2**63:
        raise OverflowError
    return result


def main():
    rng = random.Random(7)
    lines = ["# Made by make_size_rules.py: m n expression; value"]
    for _ in range(600):
        text = expression(rng, 4)
        m, n = rng.choice([0, 1, 2, 3, 5, 17, 10**9, 2**62]), rng.choice([0, 1, 2, 3, 5, 17])
        try:
            result = value(ast.parse(text.replace("/", "//"), mode="eval"), {"m": m, "n": n})
        except ArithmeticError:
            result = -1
        lines.append(f"{m} {n} {text}; {result if result >= 0 else 'error'}")
    (pathlib.Path(sys.argv[1]) / "size_rules.txt").write_text("\n".join(lines) + "\n")


main()
