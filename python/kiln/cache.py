"""The kernel cache: what `kiln cache` does, and caches of a program's own."""
import json
import os

from . import _kiln


class Cache(_kiln.Cache):
    """A cache for the kernels of functions that are made with `cache=`.

    >>> import kiln
    >>> memory = kiln.Cache()
    >>> f = kiln.vectorize(["float64(float64 a)"], "a * 3", cache=memory)
    >>> f(2.0)
    np.float64(6.0)
    >>> memory.statistics()["compiles"]
    1
    """

    def __new__(cls, directory=None, *, read_only=(), max_bytes=None, memory_bytes=None, wait_ms=None):
        options = {"directory": None if directory is None else os.fspath(directory), "read_only": [os.fspath(each) for each in read_only] or None,
                   "max_bytes": max_bytes, "memory_bytes": memory_bytes, "wait_ms": wait_ms}
        given = {name: value for name, value in options.items() if value is not None}
        return super().__new__(cls, json.dumps(given) if given else None)

    def statistics(self):
        """Returns the counts of this cache in this process."""
        return _kiln.cache_statistics(self)

    def export(self):
        """Returns a bundle of the kernels as bytes."""
        return _kiln.cache_export(self)

    def load(self, bundle):
        """Puts the kernels of a bundle into the directory of the cache."""
        _kiln.cache_import(self, bundle)


def _bundle(bundle, cache, what):
    """Returns the bytes of a bundle: given as bytes or as a path, or those of a cache."""
    if bundle is None:
        if not list(cache)["entries"]:
            raise ValueError(f"{what}: the cache's directory has no kernels: call the functions first, or compile a manifest")
        return _kiln.cache_export(cache)
    if isinstance(bundle, bytes):
        return bundle
    with open(os.fspath(bundle), "rb") as file:
        return file.read()


def _command(command, cache=None, **members):
    request = {"command": command, **{name: value for name, value in members.items() if value is not None}}
    return json.loads(_kiln.command(json.dumps(request), cache))


def statistics(cache=None):
    """Returns the counts of a cache in this process: hits, compiles, bytes, times.

    >>> import kiln
    >>> "compiles" in kiln.cache.statistics()
    True
    """
    return _kiln.cache_statistics(cache)


def list(cache=None):  # noqa: A001
    """Returns the entries."""
    return _command("cache.list", cache)


def show(id, cache=None):  # noqa: A002
    """Returns one entry with its source."""
    return _command("cache.show", cache, id=id)


def path(cache=None):
    """Returns the directory."""
    return _command("cache.path", cache)


def stats(cache=None):
    """Returns sums over the directory."""
    return _command("cache.stats", cache)


def explain(manifest, targets=None, cache=None):
    """Returns hits and misses of a manifest's kernels, with the fields that differ."""
    return _command("cache.explain", cache, manifest=manifest, targets=targets)


def verify(fix=False, cache=None):
    """Returns faults of entries; `fix` removes those."""
    return _command("cache.verify", cache, fix=fix or None)


def prune(max_bytes=None, older_than_s=None, cache=None):
    """Removes the entries that were used longest ago."""
    return _command("cache.prune", cache, max_bytes=max_bytes, older_than_s=older_than_s)


def clear(cache=None):
    """Removes all entries."""
    return _command("cache.clear", cache)


def export(bundle, ids=None, cache=None):
    """Writes a bundle of kernels to a file."""
    return _command("cache.export", cache, bundle=os.fspath(bundle), ids=ids)


def load(bundle, cache=None):
    """Reads the kernels of a bundle from a file."""
    return _command("cache.import", cache, bundle=os.fspath(bundle))


def compile(manifest, targets=None, jobs=None, exact=None, cache=None):  # noqa: A001
    """Compiles the kernels of a manifest ahead of time. Returns counts, and each kernel."""
    return _command("compile", cache, manifest=manifest, targets=targets, jobs=jobs, exact=exact)
