"""Fourier transforms with the arguments of numpy.fft. On the CPU they need FFTW, on GPUs the vendor's library: docs/fft.md."""
from . import _kiln, _support  # noqa: F401

_made = {}


def _transform(name):
    found = _made.get(name)
    if found is None:
        found = _kiln.math("fft." + name)
        found.__dict__["_math"] = "fft." + name
        _made[name] = found
    return found


def _one(name):
    def function(a, n=None, axis=-1, norm=None, out=None, *, measure=False, device=None):
        keywords = {"axis": axis, "norm": norm, "out": out, "measure": measure, "device": device}
        return _transform(name)(a, lengths=None if n is None else (n,), **keywords)
    return _named(function, name)


def _two(name):
    def function(a, s=None, axes=(-2, -1), norm=None, out=None, *, measure=False, device=None):
        return _transform(name)(a, lengths=s, axis=(-2, -1) if axes is None else tuple(axes), norm=norm, out=out, measure=measure,
                                device=device)
    return _named(function, name)


def _any(name):
    def function(a, s=None, axes=None, norm=None, out=None, *, measure=False, device=None):
        if axes is None and s is not None:
            axes = tuple(range(-len(s), 0))
        return _transform(name)(a, lengths=s, axis=None if axes is None else tuple(axes), norm=norm, out=out, measure=measure, device=device)
    return _named(function, name)


def _named(function, name):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy.fft.{name}, computed by kiln. `measure` plans a transform on the CPU by trials."
    return function


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    globals()[_name] = _one(_name)
for _name in ("fft2", "ifft2", "rfft2", "irfft2"):
    globals()[_name] = _two(_name)
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    globals()[_name] = _any(_name)


def __getattr__(name):
    if name in ("fftshift", "ifftshift", "fftfreq", "rfftfreq"):
        import numpy.fft
        return getattr(numpy.fft, name)
    raise AttributeError(f"module 'kiln.fft' has no attribute '{name}'")
