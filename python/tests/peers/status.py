"""Expectations of errors and warnings that kiln cannot meet, so that what else a test checks is of use. Such a test does not count as passed.

kiln's functions report no floating-point status, and kiln's errors have texts of their own. Classes of errors are checked.
"""
import contextlib
import re

import pytest

import peers

STATUS = "it expects NumPy's floating-point warnings; all else in it passes"
WORDING = "it holds to the wording of an error; kiln raises the same class with a text of its own, and all else passes"


def raises(error, function=None, *args, match=None, **keywords):
    """pytest.raises."""
    if function is not None:
        return pytest.raises(error, function, *args, **keywords)
    return _raises(error, match)


@contextlib.contextmanager
def _raises(error, match):
    if error is FloatingPointError:
        peers.left_out = STATUS
        yield []
        return
    with pytest.raises(error) as found:
        yield found
    message(match or "", str(found.value))


@contextlib.contextmanager
def warns(expected_warning, match=None):
    """pytest.warns."""
    if expected_warning is RuntimeWarning:
        peers.left_out = STATUS
        yield []
        return
    with pytest.warns(expected_warning, match=match) as found:
        yield found


def message(pattern, text, *, literal=False):
    """Notes that a text is not the one that was expected."""
    if (pattern not in text) if literal else not re.search(pattern, text):
        peers.left_out = WORDING


def call(_error, function=None, *args, **keywords):
    """Calls the function of `assert_raises(FloatingPointError, function, …)`."""
    peers.left_out = STATUS
    return contextlib.nullcontext() if function is None else function(*args, **keywords)


@contextlib.contextmanager
def raises_regex(error, pattern):
    """unittest's assertRaisesRegex."""
    with raises(error, match=pattern):
        yield
