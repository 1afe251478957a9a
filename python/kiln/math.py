"""NumPy's ufuncs, compiled by kiln: kiln.math.add, kiln.math.hypot, … Each is made when it is first asked for.

>>> import kiln, numpy as np
>>> kiln.math.hypot(np.float32([3, 5]), np.float32([4, 12]))
array([ 5., 13.], dtype=float32)
>>> kiln.math.add.reduce([1, 2, 3])
np.int64(6)
"""
from . import _kiln, _support  # noqa: F401

_made = {}


def _names():
    import json
    return [each["name"] for each in json.loads(_kiln.command('{"command": "functions"}'))["functions"]]


def _get(name):
    found = _made.get(name)
    if found is None:
        # An alias, such as true_divide, is the same object as what it is an alias of.
        function = _kiln.math(name)
        canonical = function.__name__
        function.__dict__["_math"] = canonical
        found = _made[name] = _made.setdefault(canonical, function)
    return found


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'kiln.math' has no attribute '{name}'")
    try:
        found = _get(name)
    except ValueError:
        import difflib
        close = difflib.get_close_matches(name, _names(), 1, 0.7)
        hint = f": did you mean '{close[0]}'?" if close else ""
        raise AttributeError(f"module 'kiln.math' has no attribute '{name}'{hint}") from None
    globals()[name] = found
    return found


def __dir__():
    return sorted(_names())
