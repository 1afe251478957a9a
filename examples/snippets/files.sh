# What the scripts of pages share.

# npy FILE DTYPE NUMBER…: writes a file of one axis. DTYPE is f4, f8 or i4.
npy() {
  python3 - "$@" <<'END'
import array, sys
file, dtype, *numbers = sys.argv[1:]
code = {"f4": "f", "f8": "d", "i4": "i"}[dtype]
header = "{'descr': '<%s', 'fortran_order': False, 'shape': (%d,), }" % (dtype, len(numbers))
with open(file, "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117).encode() + b"\n")
    out.write(array.array(code, map(int if code == "i" else float, numbers)).tobytes())
END
}

# mpirun -n RANKS COMMAND…: starts a command as Open MPI does, by the variables that kiln reads.
mpirun() {
  local ranks=$2 rank
  shift 2
  for ((rank = 0; rank < ranks; ++rank)); do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=$ranks "$@" & done
  wait
}
