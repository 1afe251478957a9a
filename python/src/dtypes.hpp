// NumPy's dtypes and kiln's.
#pragma once
#include "python.hpp"

namespace kiln::python {

/// kiln's dtypes by NumPy's type numbers; lanes is 0 where kiln has none.
extern const kiln_dtype kDTypes[NPY_VOID + 4];

/// Returns kiln's dtype of a type number; lanes is 0 if there is none. bfloat16 of ml_dtypes is one, if it is imported.
[[nodiscard]] kiln_dtype dtype_of(int type_number) noexcept;

/// Returns NumPy's type number of a dtype. bfloat16 imports ml_dtypes. -1 with an exception if NumPy has no such dtype.
[[nodiscard]] int type_number(kiln_dtype dtype);

/// Returns a new reference to NumPy's dtype, or NULL with an exception.
[[nodiscard]] PyArray_Descr* descr_of(kiln_dtype dtype);

/// Converts an object, "float32" or a dtype of NumPy. Returns false with an exception.
bool convert_dtype(PyObject* object, kiln_dtype& dtype);

/// Returns kiln's name of a dtype, "float32".
[[nodiscard]] const char* name_of(kiln_dtype dtype) noexcept;

/// Returns seven bits that are different for each dtype of kiln.
[[nodiscard]] inline std::uint64_t bits_of(kiln_dtype dtype) noexcept {
  return static_cast<std::uint64_t>(dtype.code) << 4U | static_cast<std::uint64_t>(dtype.bits >> 3U & 15U) |
         static_cast<std::uint64_t>(dtype.bits == 128 ? 15 : 0);
}

/// Sets a TypeError that names the object's dtype. Returns NULL.
PyObject* refuse_dtype(const char* what, PyArray_Descr* descr);

}  // namespace kiln::python
