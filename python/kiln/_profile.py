"""kiln.profile: the calls of a block of code, with their times."""
import json

from . import _kiln


class Profile:
    """What was called. `calls` is a list of dicts, as docs/profiling.md has them."""

    def __init__(self, all_threads=False, ranges=False, limit=None, trace=None):
        self._options = {"all_threads": all_threads or None, "ranges": ranges or None, "limit": limit}
        self._trace = trace
        self._number = None
        self.report = None

    def __enter__(self):
        request = {"command": "profile.start", **{name: value for name, value in self._options.items() if value is not None}}
        self._number = json.loads(_kiln.command(json.dumps(request)))["profile"]
        return self

    def __exit__(self, *exception):
        request = {"command": "profile.stop", "profile": self._number}
        if self._trace is not None:
            request["trace"] = str(self._trace)
        self.report = json.loads(_kiln.command(json.dumps(request)))

    @property
    def calls(self):
        return [] if self.report is None else self.report["calls"]

    def __repr__(self):
        return f"<kiln.Profile of {len(self.calls)} calls>" if self.report is not None else "<kiln.Profile, not finished>"


def profile(*, all_threads=False, ranges=False, limit=None, trace=None):
    """Records the calls of a block. `trace` is the path of a file for Perfetto and chrome://tracing.

    >>> import kiln, numpy as np
    >>> with kiln.profile() as p:
    ...     _ = kiln.math.add(np.ones(4), 1)
    >>> len(p.calls)
    1
    """
    return Profile(all_threads, ranges, limit, trace)
