# Snippets of docs/coming-from/numexpr.md that are numexpr's.
import sys

try:
    import numexpr
except ImportError:
    print("numexpr is not there", file=sys.stderr)
    sys.exit(77)
# snippet: before
import numexpr as ne
import numpy as np

a, b = np.arange(4.0), np.array([1.0, 4.0, 9.0, 16.0])
print(ne.evaluate("where(a > 1, 2*a + sqrt(b), 0)"))
print(ne.evaluate("sum(a*b)"))
# end
