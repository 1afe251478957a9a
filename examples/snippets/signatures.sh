# Snippets of docs/signatures.md.
. "$ROOT/examples/snippets/files.sh"
npy keys.npy i4 7 12 30
# snippet: slot
kiln eval 'int32 slot(int32 key, constant int32 buckets) = key % buckets' keys.npy 10
# end
