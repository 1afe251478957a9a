"""A sum over the ranks of MPI: each has a part of the array, and kernels that were compiled once in all.

usage: mpirun -n 4 python ranks.py [ELEMENTS]
"""
import sys

import kiln
import kiln.mpi
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
elements = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000

distance = kiln.vectorize("float64 distance(float64 x, float64 y) = sqrt(x*x + y*y)")
report = kiln.mpi.warm(comm, [distance], timeout=120)
if comm.rank == 0:
    print(report["text"])

begin, end = (elements * rank // comm.size for rank in (comm.rank, comm.rank + 1))
x = np.arange(begin, end, dtype=np.float64)
part = distance(x, 2 * x)
total = comm.reduce(float(part.sum()), root=0)
if comm.rank == 0:
    expected = np.sqrt(5) * (elements - 1) * elements / 2
    print(f"{total:.6e}, expected {expected:.6e}")
    if abs(total - expected) > 1e-12 * expected:
        sys.exit("wrong")
