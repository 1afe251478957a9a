# Snippets of docs/how-to/dask-and-ray.md. Processes of workers take seconds to start: KILN_TEST_BIG=1 runs it.
import os
import sys

try:
    from dask.distributed import Client
except ImportError:
    print("dask is not there", file=sys.stderr)
    sys.exit(77)
if not os.environ.get("KILN_TEST_BIG"):
    print("KILN_TEST_BIG is not set", file=sys.stderr)
    sys.exit(77)
os.environ["KILN_CACHE_DIR"] = os.path.abspath("cache")
# snippet: workers
import kiln
import kiln.dask
import numpy as np

f = kiln.vectorize("float64 f(float64 x) = sqrt(x)")

def compiled():
    f(np.ones(4))
    return kiln.cache.statistics()["compiles"]

if __name__ == "__main__":
    f(np.ones(4))
    kiln.cache.export("job.kernels")
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        client.register_plugin(kiln.dask.Kernels("job.kernels"))
        print(sorted(client.run(compiled).values()))
# end
