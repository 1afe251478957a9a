# Snippets of docs/python.md, over a cluster of dask in this process.
import os
import sys

try:
    import distributed
except ImportError:
    print("dask is not there", file=sys.stderr)
    sys.exit(77)
os.environ["KILN_CACHE_DIR"] = os.path.abspath("cache")
import kiln
import kiln.dask

kiln.vectorize("float64 half(float64 a) = a / 2")(1.0)
kiln.cache.export("kernels.kiln")
with distributed.Client(processes=False, n_workers=1, dashboard_address=None) as client:
    # snippet: dask
    client.register_plugin(kiln.dask.Kernels())                # those in this machine's cache
    client.register_plugin(kiln.dask.Kernels("kernels.kiln"))  # those of a bundle
    # end
