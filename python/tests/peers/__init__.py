"""Shims over kiln for the test suites of NumPy, CuPy and Numba. scripts/peer-suites.py runs them."""

#: Whether the running test has asked for a function of kiln. The plugin resets it before each test.
touched = False

#: Whether the running test expected NumPy's floating-point status.
left_out = False


def touch():
    global touched
    touched = True
