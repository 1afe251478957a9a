"""Stands in for CuPy, PyTorch and numba-cuda where scripts/gpu-verify.sh is rehearsed: what bench/gpu_peers.py calls of them, in plain
Python on the emulated GPU's memory, which is the host's. It keeps to their signatures; its times mean nothing."""
import ctypes
import math
import re
import sys
import types


class Values:
    """float32 in memory that has an address; () is a shape, too."""

    def __init__(self, memory, shape=None):
        self.memory, self.shape = memory, (len(memory),) if shape is None else shape

    def reshape(self, shape):
        return Values(self.memory, shape)

    def copy_(self, values):
        self.memory[:] = values.memory[:]
        return self

    def each(self, other, function):
        other = other.memory if isinstance(other, Values) else [other] * len(self.memory)
        return Values([function(a, b) for a, b in zip(self.memory, other, strict=True)])

    def __mul__(self, other):
        return self.each(other, lambda a, b: a * b)

    def __add__(self, other):
        return self.each(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self.each(other, lambda a, b: a - b)

    def __truediv__(self, other):
        return self.each(other, lambda a, b: a / b)

    __rmul__ = __mul__


def shared(array):
    interface = array.__cuda_array_interface__
    assert interface["typestr"] == "<f4" and interface["version"] == 3 and interface["strides"] is None
    return Values((ctypes.c_float * interface["shape"][0]).from_address(interface["data"][0]))


def run_statements(text, names):
    """C's statements of one element, which Python's are near enough to."""
    text = re.sub(r"/\*.*?\*/", "", text)
    text = re.sub(r"\b(sqrt|exp|log|erfc)f\(", r"\1(", re.sub(r"(\d)f\b", r"\1", text))
    for statement in re.sub(r"\bfloat (?=\w+ =)", "", text).split(";"):
        if statement.strip() and not statement.strip().startswith("float "):
            exec(statement.strip(), {"sqrt": math.sqrt, "exp": math.exp, "log": math.log, "erfc": math.erfc}, names)


def module(name, **members):
    made = types.ModuleType(name)
    made.__version__ = "stand-in"
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


class ElementwiseKernel:
    def __init__(self, in_params, out_params, operation, name):
        assert out_params == "float32 out" and name.isidentifier()
        self.inputs, self.operation = [word.split()[-1] for word in in_params.split(",")], operation

    def __call__(self, *arrays):
        *inputs, out = (each.memory for each in arrays)
        for i in range(len(out)):
            names = {name: values[i] for name, values in zip(self.inputs, inputs, strict=True)}
            run_statements(self.operation, names)
            out[i] = names["out"]


class RawKernel:
    def __init__(self, code, name):
        assert f'extern "C" __global__ void {name}(' in code
        self.pointers = re.findall(r"float\* (\w+)", code)
        self.body = re.search(r"if \(i < n\) \{(.*?)\}", code).group(1)

    def __call__(self, grid, block, args):
        *arrays, size = args
        assert grid[0] * block[0] >= size
        for i in range(size):
            run_statements(self.body, {"i": i, **{name: array.memory for name, array in zip(self.pointers, arrays, strict=True)}})


def cupy_sum(a, axis=None, dtype=None, out=None, keepdims=False):
    assert out.shape == () and axis is None and dtype is None and not keepdims
    out.memory[0] = math.fsum(a.memory)


def unary(function):
    def apply(values, *, out=None):
        result = Values([function(x) for x in values.memory])
        return out.copy_(result) if out is not None else result
    return apply


def torch_sum(values, dim, keepdim=False, *, dtype=None, out=None):
    assert dim == 0 and out.shape == () and not keepdim and dtype is None
    out.memory[0] = math.fsum(values.memory)


def vectorize(signatures, target):
    assert target == "cuda" and all(each.startswith("float32(") for each in signatures)

    def decorate(function):
        def call(*inputs, out):
            for i in range(len(out.memory)):
                out.memory[i] = function(*(each.memory[i] for each in inputs))
        return call
    return decorate


def reduce(function):
    def call(arr, size=None, res=None, init=0, stream=0):
        assert size is None and stream == 0
        total = init
        for value in arr.memory:
            total = function(total, value)
        res.memory[0] = total
    return call


module("cupy", asarray=lambda a: a if isinstance(a, Values) else shared(a), ElementwiseKernel=ElementwiseKernel, RawKernel=RawKernel,
       sum=cupy_sum, int64=int,
       cuda=types.SimpleNamespace(runtime=types.SimpleNamespace(getDeviceCount=lambda: 1, deviceSynchronize=lambda: None)))
module("torch", as_tensor=lambda data, device: shared(data), sqrt=unary(math.sqrt), exp=unary(math.exp), log=unary(math.log),
       erfc=unary(math.erfc), sum=torch_sum, compile=lambda function: function, compiler=types.SimpleNamespace(reset=lambda: None),
       add=lambda x, y, *, alpha, out: out.copy_(x + y * alpha),
       cuda=types.SimpleNamespace(is_available=lambda: True, synchronize=lambda: None))
module("numba", vectorize=vectorize)
module("numba.cuda", is_available=lambda: True, synchronize=lambda: None, as_cuda_array=shared, reduce=reduce)
module("numpy", float32=float, vstack=None)
