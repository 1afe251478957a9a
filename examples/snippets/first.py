import kiln
import numpy as np

disc = kiln.vectorize("""
    T disc(T a, T b, T c) where T: float32, float64
    = sqrt(b*b - 4*a*c)""")
print(disc(1.0, np.array([3.0, 5.0, 7.0]), 2.0))
