"""Devices of this machine, and settings of the process."""
import json

from . import _kiln
from ._array_methods import _device_name


class Device:
    """A device: "cuda:0", "hip:1", "cpu", "emulated:sm_90". Functions also take the text."""

    def __init__(self, name="best"):
        self._info = json.loads(_kiln.device_info(str(name)))
        kind = self._info["device"]
        self.name = kind

    @property
    def info(self):
        """What is known of it, as `kiln devices --json` prints it."""
        return dict(self._info)

    def synchronize(self):
        """Waits for all work of the device."""
        _kiln.synchronize(self.name)

    def __getattr__(self, name):
        try:
            return self.__dict__["_info"][name]
        except KeyError:
            raise AttributeError(f"'Device' object has no attribute '{name}'") from None

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"kiln.Device('{self.name}')"

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(self.name)

    def _repr_html_(self):
        import html
        rows = "".join(f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(str(value))}</td></tr>" for key, value in self._info.items())
        return f"<table>{rows}</table>"


def devices():
    """Returns the devices of this machine.

    >>> import kiln
    >>> kiln.Device("cpu") in kiln.devices()
    True
    """
    return [Device(_device_name(place)) for place in _kiln.devices()]


def compilers():
    """Returns which compiler each kind of device has, and why not another: what `kiln devices` prints."""
    return json.loads(_kiln.command('{"command": "devices"}'))["compilers"]


def set_device(device=None):
    """Makes a device the one on which calls of host arrays run. None restores the choice of KILN_DEVICE."""
    _kiln.device_default(None if device is None else str(device))


def synchronize(device="best"):
    """Waits for all work of a device."""
    _kiln.synchronize(str(device))


def set_log(callback):
    """Sets who takes the lines of the log: a function of a str, or None."""
    _kiln.set_log(callback)


def set_print(callback):
    """Sets who takes what kernels print: a function of a str, or None for standard output."""
    _kiln.set_print(callback)
