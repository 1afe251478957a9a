"""The layers of lib/kiln, as the folders' own lines of CMake say them: kiln_layer(<folder> [USES <folder>...])."""
import pathlib
import re

LINE = re.compile(r"^kiln_layer\((\S+?)(?:\s+USES\s+([^)]*))?\)", re.M)


def read(root):
    """{folder: what it may use, besides itself and whatever these may use in turn}"""
    layers = {}
    for file in sorted((pathlib.Path(root) / "lib/kiln").rglob("CMakeLists.txt")):
        for name, uses in LINE.findall(file.read_text()):
            layers[name] = uses.split()
    return layers


def reachable(layers, layer):
    """The layers that `layer` may use, itself among them."""
    seen, todo = set(), [layer]
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += layers[here]
    return seen


def layer_of(layers, path):
    """The layer of a path below lib/kiln, or None."""
    parts = path.split("/")
    for depth in (2, 1):
        name = "/".join(parts[:depth])
        if len(parts) > depth and name in layers:
            return name
    return None
