# Snippets of docs/coming-from/numexpr.md.
# snippet: after
import kiln
import numpy as np

a, b = np.arange(4.0), np.array([1.0, 4.0, 9.0, 16.0])
chosen = kiln.vectorize("T chosen(T a, T b) where T: float32, float64 = a > 1 ? 2*a + sqrt(b) : 0")
print(chosen(a, b))
dot = kiln.reduction("float64(float64 a, float64 b)", name="dot", map="return a * b;", reduce="return a + b;", identity=0)
print(dot(a, b))
# end

# snippet: evaluate
def evaluate(expression, **arrays):
    parameters = ", ".join(f"float64 {name}" for name in arrays)
    return kiln.vectorize(f"float64 expression({parameters}) = {expression}")(*arrays.values())

print(evaluate("2*a + 3*b", a=a, b=b))
# end
