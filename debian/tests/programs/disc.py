# sqrt(b*b - 4*a*c) of three numbers and a reduction, with the results checked by NumPy.
import importlib.metadata

import kiln
import numpy as np

disc = kiln.vectorize("T disc(T a, T b, T c) where T: float32, float64 = sqrt(b*b - 4*a*c)")
b = np.array([3.0, 5.0, 7.0])
np.testing.assert_array_equal(disc(1.0, b, 2.0), np.sqrt(b * b - 8.0))
assert kiln.math.add.reduce(b) == 15
assert importlib.metadata.version("kiln").split("~")[0].startswith(kiln.__version__), kiln.__version__
print("kiln", kiln.__version__, "and NumPy", np.__version__, "agree")
