"""The plugin of pytest that says of each test whether it used kiln: a property in the JUnit file."""
import os

import pytest

import kiln
import peers


def _has_function(value, depth=3):
    if isinstance(value, kiln.Function):
        return True
    if depth and isinstance(value, (tuple, list)):
        return any(_has_function(each, depth - 1) for each in value)
    return False


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    peers.left_out = ""
    peers.touched = any(_has_function(value) for value in parameters.values())
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    if call.when == "call":
        item.user_properties.append(("kiln", "used" if peers.touched else "unused"))
        if peers.left_out:
            item.user_properties.append(("left out", peers.left_out))
    yield


def pytest_collection_modifyitems(items):
    """Takes a sample of each file, evenly spread, where KILN_PEERS_SAMPLE has a number."""
    sample = int(os.environ.get("KILN_PEERS_SAMPLE") or 0)
    if sample:
        files = {}
        for item in items:
            files.setdefault(item.path, []).append(item)
        items[:] = [listed[i * len(listed) // sample] if len(listed) > sample else listed[i]
                    for listed in files.values() for i in range(min(sample, len(listed)))]
