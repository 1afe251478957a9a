# Snippets of docs/clusters.md.
import sys

try:
    import mpi4py
except ImportError:
    print("mpi4py is not there", file=sys.stderr)
    sys.exit(77)

# snippet: warm
from mpi4py import MPI
import kiln, kiln.mpi

f = kiln.vectorize("float64 f(float64 a) = a / 3")
report = kiln.mpi.warm(MPI.COMM_WORLD, [f])   # or a manifest
# end
assert report["ranks"], report
