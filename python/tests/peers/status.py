"""What stands for NumPy's expectations of floating-point status: kiln's functions report none, and the rest of a test is still of use.

A test that comes here does not count as passed.
"""
import contextlib

import peers


@contextlib.contextmanager
def raises(*_args, **_keywords):
    peers.left_out = True
    yield []


@contextlib.contextmanager
def warns(*_args, **_keywords):
    peers.left_out = True
    yield []


def call(_error, function=None, *args, **keywords):
    """Calls the function of `assert_raises(FloatingPointError, function, …)`."""
    if function is None:
        return raises()
    peers.left_out = True
    return function(*args, **keywords)
