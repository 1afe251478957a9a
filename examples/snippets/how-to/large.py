# Snippets of docs/how-to/larger-than-memory.md.
# snippet: files
import kiln
import numpy as np

np.save("x.npy", np.arange(1_000_000, dtype=np.float32))
x = kiln.open_npy("x.npy")
roots = np.lib.format.open_memmap("roots.npy", "w+", np.float32, x.shape)
f = kiln.chunked(kiln.vectorize("float32 f(float32 x) = sqrt(x)"), chunk_bytes=1 << 20)
f(x, out=roots)
print(np.load("roots.npy", mmap_mode="r")[[4, 250_000]])
# end

# snippet: sum
print(kiln.chunked(kiln.math.add).reduce(x, dtype=np.float64))
# end

# snippet: check
chunks = []
kiln.chunked(kiln.math.add, chunk_bytes=1 << 20, progress=lambda done, total, *rest: chunks.append(done)).reduce(x)
print(max(chunks) > 1)
# end
