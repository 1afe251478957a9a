"""The scripts of examples/gallery as modules."""
import functools
import pathlib
import runpy
import types

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "gallery"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


@functools.cache
def load(name):
    """Returns the names of a script. It becomes no module: other modules have its name, and the examples are installed as they are."""
    return types.SimpleNamespace(**runpy.run_path(str(FOLDER / f"{name}.py")))


# How a picture is compared: arguments beside the size, the largest difference, and the share of numbers that may differ more. Orbits
# of the attractor and rounds of k-means enlarge the last bits, so that few steps are compared.
CHECKS = {
    "bokeh": ({}, 1e-5, 0), "filter": ({}, 1e-5, 0), "fractal": ({}, 1e-6, 1e-3), "heat": ({}, 1e-5, 0),
    "histogram": ({"steps": 40}, 1e-6, 1e-4), "kmeans": ({"rounds": 2}, 1e-5, 0.01), "life": ({}, 0, 0),
    "nbody": ({"count": 100000, "steps": 40}, 1e-5, 1e-3), "option": ({}, 1e-4, 1e-3), "raymarch": ({}, 1e-5, 1e-3),
    "terrain": ({}, 1e-5, 1e-3), "wave": ({}, 1e-5, 0)}


def difference(name, got, wanted):
    """Returns the largest difference but for the share of numbers that may differ more. Raises where that is too large."""
    _, tolerance, share = CHECKS[name]
    assert got.shape == wanted.shape, f"{name}: the shapes are {got.shape} and {wanted.shape}"
    sizes = np.sort(abs(got.astype(float) - wanted).ravel())
    largest = sizes[len(sizes) - 1 - int(share * len(sizes))]
    assert largest <= tolerance, f"{name}: results differ by {largest}, {tolerance} is allowed"
    return largest
