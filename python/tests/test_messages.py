"""What errors say at first uses: the user's text, what is wrong with it, and what to write."""
import numpy as np
import pytest

import kiln


def message(error, call):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# --- Words of Python in errors

def test_options_are_keywords():
    a = np.zeros((2, 3))
    k = kiln.kernel("void(float32[:] x)", "x[item] = 1;", name="k")
    not_reorderable = kiln.vectorize("float64 half(float64 a, float64 b) = a / 2 + b")
    for call, text in [
            (lambda: kiln.math.maximum.reduce(a[:0]),
             "nothing to reduce in inputs of shape (0, 3), and the operation has no identity; give initial=, or identity= in the definition"),
            (lambda: not_reorderable.reduce(a, axis=(0, 1)), "name one axis, or set reorderable= or identity= in the definition"),
            (lambda: k(np.zeros(3, np.float32)), "the launch is not said: give size=, or grid= and block="),
            (lambda: k[1, 1](np.zeros(3)), "raw kernels cast no arrays: give astype('float32')"),
            (lambda: kiln.vectorize(["float32(float32 x)"], "x")(a), "convert an argument with astype(), or force a loop with dtype= or signature="),
            (lambda: kiln.math.bitwise_and(a, a), "or force a loop with dtype= or signature= and casting='unsafe'"),
            (lambda: kiln.vectorize(["float64(float64 x)"], '#include "no.hpp"\nreturn x;')(a),
             "give its text in headers= or its folder in include_dirs="),
            (lambda: kiln.vectorize(["float64(float64 x)"], "printf(x); return x;")(a), 'print("{}", x) prints, with debug=True, or KILN_DEBUG=1'),
            (lambda: kiln.vectorize(["float64(float64 x)"], "return threadIdx.x;")(a), "a kernel of threads is one of kiln.kernel() or kiln.RawKernel()"),
    ]:
        with pytest.raises(kiln.Error) as caught:
            call()
        assert text in str(caught.value)


def test_errors_have_the_option_that_they_name():
    with pytest.raises(kiln.TypeError) as caught:
        kiln.vectorize("float64 f(raw float64 a) = a[0]")(np.zeros(3), size=-1)
    assert caught.value.option == "size"
    with pytest.raises(kiln.ShapeError) as caught:
        kiln.math.add(np.zeros(2), np.zeros(3))
    assert caught.value.option is None
