"""kiln from Python by ctypes: a ufunc, a generalized ufunc and a reduction on the program's own memory, an error with its place, and
kernels that are shipped as a bundle.

    PYTHONPATH=$(pkg-config --variable=includedir kiln)/kiln/c python3 tour.py
"""
import array
import ctypes
import json
import math
import os
import sys

import kiln_ctypes as kiln

lib = kiln.bind(ctypes.CDLL(os.environ.get("KILN_LIBRARY", "libkiln.so")))


class Error(Exception):
    """An error of kiln's: its status, its message and its place."""


def check(function, *arguments):
    """Calls a function of C. Raises its error."""
    error = ctypes.c_void_p()
    if status := function(*arguments, ctypes.byref(error)):
        message, place = lib.kiln_error_message(error), lib.kiln_error_get(error, b"position")
        lib.kiln_error_release(error)
        raise Error(lib.kiln_status_name(status).decode(), message.decode(), place and int(place))


def make(function, text, *more):
    handle = ctypes.c_void_p()
    check(function, ctypes.byref(handle), text.encode(), kiln.KILN_NUL, *more)
    return handle


def memory(values, ndim=1):
    """An operand on the memory of an array.array; it refers to `values`."""
    info = kiln.kiln_array_info(data=values.buffer_info()[0], dtype=kiln.kiln_dtype(kiln.KILN_FLOAT, 64, 1), ndim=ndim)
    info.held = (ctypes.c_int64 * 1)(len(values))
    info.shape = info.held
    arg = kiln.kiln_arg(kind=kiln.KILN_MEMORY)
    arg.value.memory = ctypes.pointer(info)
    return arg


def scalar(value):
    arg = kiln.kiln_arg(kind=kiln.KILN_SCALAR, dtype=kiln.kiln_dtype(kiln.KILN_FLOAT, 64, 1))
    arg.value.f = value
    return arg


def call(function, out, *inputs):
    check(lib.kiln_call, function, (kiln.kiln_arg * 1)(out), 1, (kiln.kiln_arg * len(inputs))(*inputs), len(inputs), None)


b, out, total = array.array("d", [3, 5, 7]), array.array("d", [0, 0, 0]), array.array("d", [0])
disc = make(lib.kiln_function_parse, "float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)")
call(disc, memory(out), scalar(1), memory(b), scalar(2))
assert out[0] == 1 and abs(out[2] - math.sqrt(41)) < 1e-15

dot = make(lib.kiln_function_parse, "(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c)"
           " { c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }")
call(dot, memory(total, 0), memory(b), memory(b))
assert total[0] == 83

mean = make(lib.kiln_function_define, json.dumps({
    "kind": "reduction", "name": "mean", "signatures": ["float64(float64 x)"], "accumulator": "float64 n, sum;",
    "map": "return {1, x};", "reduce": "return {a.n + b.n, a.sum + b.sum};", "post": "return a.sum / a.n;", "identity": "{0, 0}"}), None)
call(mean, memory(total, 0), memory(b))
assert total[0] == 5

try:
    make(lib.kiln_function_parse, "float64 f(flot64 a) = a")
    sys.exit("an error was expected")
except Error as error:
    assert error.args[0] == "KILN_E_SIGNATURE" and error.args[2] == 10
    print(error.args[1])


def open_cache(**options):
    handle = ctypes.c_void_p()
    check(lib.kiln_cache_open, ctypes.byref(handle), json.dumps(options).encode())
    return handle


text = json.dumps({"kind": "ufunc", "kernel": "float64 scaled(float64 a) = a * 3"})
builder = open_cache(directory="tour-cache")
call(make(lib.kiln_function_define, text, builder), memory(out), memory(b))
bundle, length = ctypes.c_void_p(), ctypes.c_size_t()
check(lib.kiln_cache_export, ctypes.byref(bundle), builder, None, 0)
with open("tour.bundle", "wb") as file:
    file.write(ctypes.string_at(lib.kiln_text_data(bundle, ctypes.byref(length)), length.value))
user = open_cache(read_only=["tour.bundle"])
call(make(lib.kiln_function_define, text, user), memory(out), memory(b))
stats = kiln.kiln_cache_stats()
check(lib.kiln_cache_statistics, user, ctypes.byref(stats))
assert list(out) == [9, 15, 21] and stats.compiles == 0 and stats.read_only_hits == 1
print("all right: the ufunc, the generalized ufunc, the reduction, the error, the bundle of", length.value, "bytes")
