"""kiln.chunked: calls of host arrays in chunks, with progress."""
import sys

from . import _kiln


class _Bar:
    """A line on stderr that shows how far a call is: tqdm's if it is installed."""

    def __init__(self, name):
        self._name, self._bar, self._done = name, None, 0

    def __call__(self, chunks_done, chunks, bytes_done, bytes_all, seconds):
        if self._bar is None:
            try:
                from tqdm.auto import tqdm
                self._bar = tqdm(total=bytes_all, unit="B", unit_scale=True, desc=self._name)
            except ImportError:
                self._bar = False
        if self._bar:
            self._bar.update(bytes_done - self._done)
            if chunks_done == chunks:
                self._bar.close()
        else:
            share = bytes_done / bytes_all if bytes_all else 1.0
            rate = bytes_done / seconds / 1e9 if seconds > 0 else 0.0
            end = "\n" if chunks_done == chunks else ""
            print(f"\r{self._name}: {share:4.0%} |{'#' * int(share * 30):30}| {seconds:.1f} s, {rate:.1f} GB/s", end=end, file=sys.stderr,
                  flush=True)
        self._done = bytes_done


class Chunked:
    """A function whose calls go in chunks. Its calls and methods take what those of the function take."""

    def __init__(self, function, options):
        self._function, self._options = function, options
        self.__name__ = function.__name__

    def _keywords(self, keywords):
        options = dict(self._options)
        if options.get("progress") is True:
            options["progress"] = _Bar(self.__name__)
        elif not options.get("progress"):
            options.pop("progress", None)
        return {"chunked": True, **options, **keywords}

    def __call__(self, *args, **keywords):
        return self._function(*args, **self._keywords(keywords))

    def reduce(self, *args, **keywords):
        return self._function.reduce(*args, **self._keywords(keywords))

    def accumulate(self, *args, **keywords):
        return self._function.accumulate(*args, **self._keywords(keywords))

    def __repr__(self):
        return f"<kiln.chunked of {self._function!r}>"


def chunked(function, *, chunk_bytes=None, devices=None, progress=None):
    """Returns the function for arrays that are larger than a device's memory, or are on disk.

    `progress` is True for a bar on stderr, or a function of (chunks_done, chunks, bytes_done, bytes, seconds); False from it, an
    exception and Ctrl+C end the call.

    >>> import kiln, numpy as np
    >>> add = kiln.chunked(kiln.math.add, chunk_bytes=1 << 20)
    >>> add(np.arange(3.0), 1)
    array([1., 2., 3.])
    """
    if not isinstance(function, _kiln.Function):
        raise TypeError(f"chunked: a function of kiln is expected, and this is {type(function).__name__}")
    options = {"chunk_bytes": chunk_bytes, "devices": devices, "progress": progress}
    return Chunked(function, {name: value for name, value in options.items() if value is not None})
