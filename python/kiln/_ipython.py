"""Jupyter: `%load_ext kiln`, then cells with `%%kiln`."""
import re


def load_ipython_extension(shell):
    """Adds the cell magic: each function of the cell, separated by blank lines, becomes a variable of its name."""
    def kiln_magic(line, cell):
        from . import _kiln
        for text in filter(str.strip, re.split(r"\n\s*\n(?=\S)", cell)):
            function = _kiln.parse(text.strip())
            shell.user_ns[function.__name__] = function
    shell.register_magic_function(kiln_magic, "cell", "kiln")
