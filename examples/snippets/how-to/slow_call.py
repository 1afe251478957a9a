# Snippets of docs/how-to/call-slow.md.
# snippet: plan
import kiln
import numpy as np

f = kiln.vectorize("T f(T x, T y) where T: float32, float64 = sqrt(x*x + y*y)")
x = np.ones(1000, np.float32)
print(kiln.inspect(f, x, np.arange(1000)).plan["casts"])
print(kiln.inspect(kiln.math.add, x[:-1], x[1:], out=x[1:]).plan["copies"])
# end

# snippet: width
print(kiln.inspect(f, x, x).resources["vector_bits"] >= 128)
# end

# snippet: bytes
with kiln.profile() as profile:
    f(x, x)
call = profile.calls[0]
print(call["bytes_read"], call["bytes_written"], call["run"]["duration"] > 0)
# end

# snippet: constant
half = kiln.vectorize("float32 half(float32 x) = 0.1 * x")
half(x)
print(half.warnings[0]["text"])
# end
