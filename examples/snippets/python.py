# Snippets of docs/python.md, for clusters of dask and Ray.
import kiln.dask
import kiln.ray
import ray
from distributed import Client

client = Client()
# snippet: dask
client.register_plugin(kiln.dask.Kernels())                # those in this machine's cache
client.register_plugin(kiln.dask.Kernels("kernels.kiln"))  # those of a bundle
# end

# snippet: ray
ray.init(runtime_env={"worker_process_setup_hook": kiln.ray.Kernels()})
# end
