"""The cell magic."""
import pytest

import kiln


def test_jupyter():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "kiln")
    shell.run_cell_magic("kiln", "", "float64 f(float64 a) = a + 1\n\nfloat64 g(float64 a) {\n  float64 s = a;\n\n  return s * 3;\n}\n")
    assert shell.user_ns["f"](1.0) == 2 and shell.user_ns["g"](2.0) == 6
    with pytest.raises(kiln.SignatureError):
        shell.magics_manager.magics["cell"]["kiln"]("", "flot64 f(float64 a) = a")
