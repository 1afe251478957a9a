# Snippets of docs/how-to/arrays-of-other-libraries.md.
import sys

try:
    import jax.numpy as jnp
except ImportError:
    print("JAX is not there", file=sys.stderr)
    sys.exit(77)
# snippet: jax
import kiln

f = kiln.vectorize("T f(T x) where T: float32, float64 = sqrt(x) + 1")
y = f(jnp.array([1.0, 4.0, 9.0]))
print(type(y).__module__.split(".")[0], y)
# end
