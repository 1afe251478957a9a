# Snippets of docs/python.md, over a cluster of Ray with one worker.
import os
import sys

try:
    import ray
except ImportError:
    print("Ray is not there", file=sys.stderr)
    sys.exit(77)
os.environ["KILN_CACHE_DIR"] = os.path.abspath("cache")
os.environ.update(RAY_ENABLE_UV_RUN_RUNTIME_ENV="0", RAY_DEDUP_LOGS="0")
import kiln
import kiln.ray

kiln.vectorize("float64 half(float64 a) = a / 2")(1.0)
# snippet: ray
ray.init(runtime_env={"worker_process_setup_hook": kiln.ray.Kernels()})
# end
work = ray.remote(lambda: os.getpid())
assert ray.get(work.remote()) != os.getpid()
ray.shutdown()
