"""kiln.inspect: the kernel that a call would run."""
#: The names that the C interface and `kiln inspect` have, too.
FORMS = ("source", "ptx", "sass", "amdgcn", "asm", "llvm-ir", "code", "resources", "entry")


class Inspection:
    """The plan of a call and its kernel. Nothing ran. Texts are made when they are asked for."""

    def __init__(self, function, args, keywords):
        self._call = function, args, keywords
        self.plan = function.resolve(*args, **keywords)

    def text(self, form):
        """Returns the kernel in a form: "source", "ptx", "sass", "amdgcn", "asm", "llvm-ir", or "code" as bytes."""
        function, args, keywords = self._call
        return function._inspect(form, *args, **keywords)

    source = property(lambda self: self.text("source"), doc="The C++ that was compiled.")
    assembly = property(lambda self: self.text("asm"), doc="The CPU's instructions.")
    ptx = property(lambda self: self.text("ptx"))
    sass = property(lambda self: self.text("sass"))
    llvm_ir = property(lambda self: self.text("llvm-ir"))

    def _json(self, form):
        import json
        return json.loads(self.text(form))

    resources = property(lambda self: self._json("resources"), doc="Registers, spills, memory and bytes of the code.")
    entry = property(lambda self: self._json("entry"), doc="The entry of the cache.")

    def __repr__(self):
        return f"<kiln.Inspection of {self._call[0].__name__}: {self.plan.get('loop', '')} on {self.plan.get('device', '?')}>"

    def _repr_html_(self):
        import html
        rows = "".join(f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(str(value))}</td></tr>" for key, value in self.plan.items())
        return f"<table>{rows}</table><details><summary>source</summary><pre>{html.escape(self.source)}</pre></details>"


def inspect(function, *args, **keywords):
    """Returns the plan and the kernel of a call, which does not run.

    >>> import kiln, numpy as np
    >>> twice = kiln.vectorize("float32 twice(float32 a) = a + a")
    >>> found = kiln.inspect(twice, np.zeros(8, np.float32))
    >>> "a + a" in found.source
    True
    """
    return Inspection(getattr(function, "kernel", function), args, keywords)
