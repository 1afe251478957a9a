# Snippets of docs/how-to/arrays-of-other-libraries.md.
# snippet: own
import kiln
import numpy as np

x = kiln.to_device(np.arange(6.0), device="cpu")
view = np.from_dlpack(x)
kiln.math.negative(x, out=x)
print(view)
# end
