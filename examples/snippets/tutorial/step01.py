# Snippets of docs/tutorial/01-formula.md.
# snippet: formula
import kiln
import numpy as np

step = kiln.vectorize("complex128 step(complex128 z, complex128 c) = z*z + c")
c = np.array([0.25, -1, 0.3 + 0.5j, 1])
z = step(0, c)
print(z)
z = step(z, c)
print(z)
# end

# snippet: text
small = kiln.vectorize("bool small(complex128 z) = norm(z) < 4")
c = np.linspace(-2.1, 0.7, 57) + 1j * np.linspace(-1.2, 1.2, 21)[:, np.newaxis]
z = np.zeros_like(c)
for _ in range(12):
    z = step(z, c)
for row in small(z):
    print("".join(np.where(row, "#", ".")))
# end

# snippet: picture
c = np.linspace(-2.1, 0.7, 420) + 1j * np.linspace(-1.2, 1.2, 360)[:, np.newaxis]
z = np.zeros_like(c)
for _ in range(100):
    z = step(z, c)
kiln.save_png("tutorial-formula.png", small(z), "gray_r")
# end
