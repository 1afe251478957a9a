"""Python's operators, by kiln where an operand is an array or a scalar of NumPy: `operator` for tests whose subject is `a + b`."""
import ast
import operator
import sys
import types

import numpy

import kiln
import peers

_BINARY = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "remainder", "pow": "power",
           "lshift": "left_shift", "rshift": "right_shift", "and_": "bitwise_and", "or_": "bitwise_or", "xor": "bitwise_xor", "eq": "equal",
           "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
_UNARY = {"neg": "negative", "pos": "positive", "invert": "invert"}
_NODES = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
          ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor", ast.Eq: "eq", ast.NotEq: "ne",
          ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


def _is_numpys(value):
    return type(value) is numpy.ndarray or isinstance(value, numpy.generic)


def _is_number(value):
    return (_is_numpys(value) and value.dtype.kind in "?biufc") or type(value) in (bool, int, float, complex)


def _by_kiln(name, ufunc):
    plain = getattr(operator, name)

    def call(*operands):
        if any(map(_is_numpys, operands)) and all(map(_is_number, operands)):
            peers.touch()
            return getattr(kiln.math, ufunc)(*operands)
        return plain(*operands)
    return call


class _Operators(types.ModuleType):
    def __getattr__(self, name):
        return getattr(operator, name)


for _name, _ufunc in {**_BINARY, **_UNARY}.items():
    globals()[_name] = _by_kiln(_name, _ufunc)
sys.modules[__name__].__class__ = _Operators


class _Rewriter(ast.NodeTransformer):
    def _call(self, node, kind, operands):
        function = ast.Attribute(ast.Name("peers_operators", ast.Load()), _NODES[kind], ast.Load())
        return ast.copy_location(ast.Call(function, operands, []), node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return self._call(node, type(node.op), [node.left, node.right]) if type(node.op) in _NODES else node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        constant = isinstance(node.operand, ast.Constant)
        return self._call(node, type(node.op), [node.operand]) if type(node.op) in _NODES and not constant else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) != 1 or type(node.ops[0]) not in _NODES:
            return node
        return self._call(node, type(node.ops[0]), [node.left, node.comparators[0]])


def rewrite(text):
    """Returns a source with its operators as calls of this module."""
    tree = _Rewriter().visit(ast.parse(text))
    body = tree.body
    place = next(i for i, node in enumerate(body) if isinstance(node, (ast.Import, ast.ImportFrom)) and getattr(node, "module", "") != "__future__")
    body.insert(place, ast.parse("from peers import operators as peers_operators").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


if __name__ == "__main__":
    sys.stdout.write(rewrite(sys.stdin.read()))
