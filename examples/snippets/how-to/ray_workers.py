# Snippets of docs/how-to/dask-and-ray.md. Ray takes seconds to start: KILN_TEST_BIG=1 runs it.
import os
import sys

try:
    import ray
except ImportError:
    print("Ray is not there", file=sys.stderr)
    sys.exit(77)
if not os.environ.get("KILN_TEST_BIG"):
    print("KILN_TEST_BIG is not set", file=sys.stderr)
    sys.exit(77)
os.environ["KILN_CACHE_DIR"] = os.path.abspath("cache")
# snippet: ray
import kiln.ray
import numpy as np

f = kiln.vectorize("float64 f(float64 x) = sqrt(x)")
f(np.ones(4))
kiln.cache.export("job.kernels")
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, runtime_env={"worker_process_setup_hook": kiln.ray.Kernels("job.kernels")})

@ray.remote
def roots(x):
    return f(x).sum(), kiln.cache.statistics()["compiles"]

print(ray.get(roots.remote(np.full(4, 9.0))))
# end
