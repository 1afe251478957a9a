# Snippets of docs/tutorial/02-types.md.
import numpy as np

# snippet: types
import kiln

step = kiln.vectorize("T step(T z, T c) where T: complex64, complex128 = z*z + c")
print(step.types)
# end

# snippet: casts
for dtype in ("complex64", "complex128", "float32", "float64", "int16", "int32"):
    print(f"{dtype:10} {step(0, np.ones(3, dtype)).dtype}")
# end

# snippet: scalars
c = np.array([0.25, -1], np.complex64)
print(step(0.5, c).dtype, step(np.float64(0.5), c).dtype)
# end

# snippet: error
small = kiln.vectorize("bool small(float64 x) = x < 4")
try:
    small(c)
except TypeError as error:
    print(error)
# end

# snippet: zoom
x = -1.9963785 + np.linspace(-5.5e-6, 5.5e-6, 420)
y = np.linspace(-4.7e-6, 4.7e-6, 360)[:, np.newaxis]
c = x + 1j * y
pictures = []
for dtype in (np.complex64, np.complex128):
    z = np.zeros(c.shape, dtype)
    for _ in range(60):
        z = step(z, c.astype(dtype))
    pictures.append(np.abs(z) < 2)
print([int(picture.sum()) for picture in pictures])
# end

kiln.save_png("tutorial-types.png", np.concatenate(pictures, axis=1), "gray_r")
