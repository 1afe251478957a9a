#!/usr/bin/env python3
"""Writes layouts.txt: what NumPy's own parser of gufunc signatures makes of layout strings, good and broken.

usage: make_layouts.py FOLDER        (needs NumPy 2; made with 2.4; pack.py packs it)

Left out is where kiln says otherwise on purpose: names that cannot stand in a body (C++ keywords), a missing arrow or no
input at all (NumPy takes both), the size 2**63 - 1.
"""
import pathlib
import random
import sys

import numpy as np
from numpy._core import _umath_tests

HAND = [
    "()->()", "(),()->()", "(n)->()", "(n),(n)->()", "(m,n),(n,p)->(m,p)", "(n?,k),(k,m?)->(n?,m?)", "(3),(3)->(3)", "(n)->(n)",
    "(n,d)->(p)", "(m),(n)->(p)", "(n)->(),()", "(3)->(03)", "(03),(3)->(003)", "(0)->()", "(00)->()", "(+3)->()", "(-3)->()",
    "(3n)->()", "(n3)->()", "(_)->()", "(_n,_m)->(_n)", "(n.m)->()", "(n,)->()", "(,n)->()", "(,)->()", "(n,,m)->()", "(n)->(),",
    "(n),->()", ",(n)->()", "(n)->", "(n)->n", "n->()", "((n))->()", "(n)->()()", "(n)(n)->()", "(n)->()x", "x(n)->()", "(n)->->()",
    "(n)-()", "(n)>()", "(n)- >()", "( n )->( )", "\t(n)\t->\t()\t", "(n ,m)->(m, n)", "(n m)->()", "(n?)->()", "(n ?)->()",
    "(?)->()", "(n??)->()", "(n?),(n)->()", "(n),(n?)->()", "(n?)->(n)", "(3?)->()", "(3?),(3)->()", "(3 ?)->()", "(n?,n?)->()",
    "(9223372036854775806)->()", "(9223372036854775808)->()", "(99999999999999999999)->()", "(n;m)->()", "(n)->(m)", "(n,n)->()",
    "(n,m,n)->(m)", "(N,n)->(n,N)", "(n1,n2)->(n2,n1)", "(1)->(1)", "(1?)->(1?)", "(n\u00e9)->()",
]


def made(rng):
    """A layout from the grammar, often with one character changed."""
    names = ["m", "p_1", "_q", "N", "3", "03", "12", "5?"] + rng.choice([["n", "k"], ["n?", "k"], ["n?", "k?"], ["n", "n?", "k"]])

    def operand():
        blank = rng.choice(["", "", "", " ", "\t"])
        return "(" + blank + ("," + blank).join(rng.choice(names) for _ in range(rng.randrange(4))) + blank + ")"

    text = ",".join(operand() for _ in range(rng.randrange(1, 4))) + "->" + ",".join(operand() for _ in range(rng.randrange(1, 3)))
    if rng.random() < 0.4:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", ",", "(", ")", "?", " ", "0", "x", "-", "->"]) + text[at + rng.randrange(2):]
    return text


def read(text):
    # NumPy is told the numbers of operands; kiln reads them off the text.
    arrow = text.find("->")
    if arrow < 0:
        return "error"
    nin, nout = text[:arrow].count("("), text[arrow:].count("(")
    if nin == 0 or nout == 0:
        return "error"
    try:
        _, counts, indices, flags, sizes = _umath_tests.test_signature(nin, nout, text)
    except ValueError:
        return "error"

    def line(numbers):
        return "".join(f" {n}" for n in numbers)

    can_ignore = 4
    return ("".join(f"{n} " for n in counts) + "|" + line(indices) + " |" + line(sizes) + " |" +
            line(int(flag & can_ignore != 0) for flag in flags))


def main():
    rng = random.Random(5)
    texts = list(HAND)
    while len(texts) < 900:
        text = made(rng)
        if text not in texts:
            texts.append(text)
    lines = [f"# Made by make_layouts.py with NumPy {np.__version__}.", *(f'"{text}" {read(text)}' for text in texts)]
    (pathlib.Path(sys.argv[1]) / "layouts.txt").write_text("\n".join(lines) + "\n")


main()
