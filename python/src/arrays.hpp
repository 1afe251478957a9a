// kiln.Array: an array on a device or on the host that kiln owns or shares.
#pragma once
#include "python.hpp"

namespace kiln::python {

struct ArrayObject {
  PyObject_HEAD kiln_array* handle;
  kiln_array_info info;
  PyObject* weak_references;
};

/// Returns kiln.Array.
PyTypeObject* array_type() noexcept;

/// Makes a kiln.Array. Takes the handle. Returns NULL with an exception.
PyObject* own_array(ArrayHandle handle);

/// Makes an array of NumPy on the memory of an array in the host's memory, which it keeps. Small arrays are copied, unless a
/// view is wanted always. Returns NULL with an exception.
PyObject* numpy_of(ArrayHandle handle, bool always_view = false);

/// Returns whether an array is in memory that the host reads.
[[nodiscard]] inline bool on_host(const kiln_array_info& info) noexcept {
  return info.device.type == 0 || info.device.type == KILN_CPU || info.device.type == KILN_CUDA_HOST ||
         info.device.type == KILN_ROCM_HOST;
}

/// Adds the class and its functions to a module.
bool add_arrays(PyObject* module);

}  // namespace kiln::python
