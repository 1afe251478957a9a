# Snippets of docs/clusters.md.
. "$ROOT/examples/snippets/files.sh"
npy huge.npy f4 1 4 9 16
# snippet: eval
mpirun -n 4 kiln eval 'float32 f(float32 x) = sqrt(x)' huge.npy -o roots.npy --progress
# end
