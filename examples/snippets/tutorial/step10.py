# Snippets of docs/tutorial/10-shipping.md.
import numpy as np

# snippet: cache
import kiln

text = "float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)"
cache = kiln.Cache("kernels")
disc = kiln.vectorize(text, cache=cache)
disc(1.0, np.array([3.0, 5.0]), 2.0)
disc(1.0, np.array([3.0, 5.0]), 2.0)
print(cache.statistics()["compiles"])
# end

# snippet: warm
warm = kiln.Cache("kernels")
kiln.vectorize(text, cache=warm)(1.0, np.array([3.0, 5.0]), 2.0)
print({key: warm.statistics()[key] for key in ("compiles", "disk_hits")})
# end

# snippet: bundle
kiln.cache.export("disc.kiln", cache=cache)
shipped = kiln.Cache(read_only=["disc.kiln"])
print(kiln.vectorize(text, cache=shipped)(1.0, np.array([3.0, 5.0]), 2.0))
print({key: shipped.statistics()[key] for key in ("compiles", "read_only_hits")})
# end
