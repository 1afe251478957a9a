# Snippets of docs/how-to/first-call-slow.md.
import os

os.environ["KILN_CACHE_DIR"] = os.path.abspath("cache")
# snippet: profile
import kiln
import numpy as np

f = kiln.vectorize("float64 f(float64 x) = sqrt(x) + 1")
with kiln.profile() as profile:
    f(np.ones(3))
    f(np.ones(3))
print([call["origin"] for call in profile.calls])
# end

# snippet: statistics
statistics = kiln.cache.statistics()
print({key: statistics[key] for key in ("compiles", "disk_hits", "failures")})
# end

# snippet: explain
manifest = {"kiln_manifest": 2, "kernels": [{"kernel": "float64 f(float64 x) = sqrt(x) + 2"}]}
for entry in kiln.cache.explain(manifest)["kernels"]:
    print(entry["hit"], [difference["field"] for difference in entry["differences"]])
# end
