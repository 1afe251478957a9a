# Snippets of docs/tutorial/03-loop.md.
import numpy as np

# snippet: body
import kiln

escape = kiln.vectorize("""
    (int32 count) escape(T c) where T: complex64, complex128 {
      T z = 0;
      for (count = 0; count < 100 && norm(z) <= 4; ++count) z = z*z + c;
    }""")
print(escape(np.array([0.25, -1, 0.3 + 0.6j, 1])))
# end

# snippet: text
c = np.linspace(-2.1, 0.7, 57) + 1j * np.linspace(-1.2, 1.2, 21)[:, np.newaxis]
for row in escape(c):
    print("".join(" .:-=+*%@#"[min(count, 18) // 2] for count in row))
# end

# snippet: error
try:
    kiln.vectorize("""(int32 count) wrong(complex128 c) {
      for (count = 0; count < 100 && nrm(c) <= 4; ++count) c = c*c;
    }""")(c)
except kiln.CompileError as error:
    print(*str(error).splitlines()[:3], sep="\n")
# end

# snippet: picture
c = np.linspace(-2.1, 0.7, 420) + 1j * np.linspace(-1.2, 1.2, 360)[:, np.newaxis]
kiln.save_png("tutorial-loop.png", np.sqrt(escape(c)), "gray_r")
# end
