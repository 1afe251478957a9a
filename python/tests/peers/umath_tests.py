"""NumPy's `_umath_tests` and its gufuncs of products, as gufuncs of kiln. Functions that test NumPy's own C interface stay NumPy's."""
import numpy._core._umath_tests as _numpys

import kiln
import peers

_REALS = ("int64", "float64")
_ALL = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64",
        "complex128")


def _signatures(types, ranks):
    """Returns signatures with operands a, b, … of the ranks, the last being the output."""
    def operand(dtype, name, rank):
        return f"{dtype}{'[' + ','.join([':'] * rank) + ']' if rank else ''} {name}"
    return [f"void({', '.join(operand(each, name, rank) for name, rank in zip('abcd', ranks))})" for each in types]


# name: layout, dtypes, ranks, body, options.
_TABLE = {
    "inner1d": ("(i),(i)->()", _REALS, (1, 1, 0), "c = 0; for (index k = 0; k < i; ++k) c += a(k) * b(k);", {}),
    "inner1d_no_doc": ("(i),(i)->()", _REALS, (1, 1, 0), "c = 0; for (index k = 0; k < i; ++k) c += a(k) * b(k);", {}),
    "innerwt": ("(i),(i),(i)->()", _REALS, (1, 1, 1, 0), "d = 0; for (index k = 0; k < i; ++k) d += a(k) * b(k) * c(k);", {}),
    "matrix_multiply": ("(m,n),(n,p)->(m,p)", ("int64", "float32", "float64"), (2, 2, 2),
                        "for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { c(i, j) = 0; "
                        "for (index k = 0; k < n; ++k) c(i, j) += a(i, k) * b(k, j); }", {}),
    "matmul": ("(m?,n),(n,p?)->(m?,p?)", ("int64", "float32", "float64"), (2, 2, 2),
               "for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { c(i, j) = 0; "
               "for (index k = 0; k < n; ++k) c(i, j) += a(i, k) * b(k, j); }", {}),
    "cross1d": ("(3),(3)->(3)", _REALS, (1, 1, 1),
                "c(0) = a(1) * b(2) - a(2) * b(1); c(1) = a(2) * b(0) - a(0) * b(2); c(2) = a(0) * b(1) - a(1) * b(0);", {}),
    "cumsum": ("(i)->(i)", _REALS, (1, 1), "if (i > 0) b(0) = a(0); for (index k = 1; k < i; ++k) b(k) = b(k - 1) + a(k);", {}),
    "euclidean_pdist": ("(n,d)->(p)", ("float32", "float64"), (2, 1),
                        "index at = 0; for (index i = 0; i < n; ++i) for (index j = i + 1; j < n; ++j) { auto s = 0 * a(i, 0); "
                        "for (index k = 0; k < d; ++k) { const auto x = a(i, k) - a(j, k); s += x * x; } b(at++) = sqrt(s); }", {}),
    "conv1d_full": ("(m),(n)->(p)", ("float64",), (1, 1, 1),
                    "for (index i = 0; i < p; ++i) { c(i) = 0; for (index j = 0; j < m; ++j) "
                    "if (i - j >= 0 && i - j < n) c(i) += a(j) * b(i - j); }", {"sizes": "p = m + n - 1"}),
    "numpy_vecdot": ("(n),(n)->()", _ALL, (1, 1, 0),
                     "c = 0; for (index k = 0; k < n; ++k) c = c + conj(a(k)) * b(k);", {"name": "vecdot"}),
    "numpy_matmul": ("(n?,k),(k,m?)->(n?,m?)", _ALL, (2, 2, 2),
                     "for (index i = 0; i < n; ++i) for (index j = 0; j < m; ++j) { c(i, j) = 0; "
                     "for (index l = 0; l < k; ++l) c(i, j) = c(i, j) + a(i, l) * b(l, j); }", {"name": "matmul"}),
    "numpy_matvec": ("(m,n),(n)->(m)", _ALL, (2, 1, 1),
                     "for (index i = 0; i < m; ++i) { c(i) = 0; for (index k = 0; k < n; ++k) c(i) = c(i) + a(i, k) * b(k); }",
                     {"name": "matvec"}),
    "numpy_vecmat": ("(n),(n,m)->(m)", _ALL, (1, 2, 1),
                     "for (index i = 0; i < m; ++i) { c(i) = 0; for (index k = 0; k < n; ++k) c(i) = c(i) + conj(a(k)) * b(k, i); }",
                     {"name": "vecmat"}),
}


class _Functions:
    """The functions by name; each is made when it is first asked for."""

    def __getattr__(self, name):
        if name not in _TABLE:
            return getattr(_numpys, name)
        peers.touch()
        made = self.__dict__.get("_" + name)
        if made is None:
            layout, types, ranks, body, options = _TABLE[name]
            made = kiln.guvectorize(_signatures(types, ranks), layout, body, **{"name": name, **options})
            self.__dict__["_" + name] = made
        return made


functions = _Functions()
