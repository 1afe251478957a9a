#include "layout.hpp"

#include <cstdlib>

namespace kiln::python {
namespace {

bool is_c_order(const kiln_array_info& info) noexcept {
  std::int64_t expected = info.dtype.bits / 8;
  for (int i = info.ndim - 1; i >= 0; --i) {
    if (info.shape[i] != 1 && info.strides != nullptr && info.strides[i] != expected) return false;
    expected *= info.shape[i];
  }
  return true;
}

/// Returns the absolute stride of an operand along an axis of the result; 0 where it is broadcast.
std::int64_t stride_of(const Operand& operand, int axis, int ndim) noexcept {
  const int own = axis - (ndim - operand.info.ndim);
  if (own < 0 || operand.info.shape[own] == 1 || operand.info.strides == nullptr) return 0;
  return std::llabs(operand.info.strides[own]);
}

/// Sorts axes as NumPy's iterator does: an axis goes inwards if its strides are smaller in the operands that tell.
void sort_axes(int ndim, Operands& operands, std::size_t count, int* order) {
  for (int i = 0; i < ndim; ++i) order[i] = ndim - 1 - i;
  for (int i = 1; i < ndim; ++i) {
    const int axis = order[i];
    int place = i;
    for (int j = i - 1; j >= 0; --j) {
      bool ambiguous = true;
      bool inwards = false;
      for (std::size_t k = 0; k < count; ++k) {
        if (operands[k].ndim() == 0) continue;
        const std::int64_t mine = stride_of(operands[k], axis, ndim);
        const std::int64_t other = stride_of(operands[k], order[j], ndim);
        if (mine == 0 || other == 0) continue;
        if (other <= mine) {
          inwards = false;
        } else if (ambiguous) {
          inwards = true;
        }
        ambiguous = false;
      }
      if (ambiguous) continue;
      if (!inwards) break;
      place = j;
    }
    for (int j = i; j > place; --j) order[j] = order[j - 1];
    order[place] = axis;
  }
}

bool all_in(Operands& operands, std::size_t count, bool fortran, int ndim) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    if (operands[k].ndim() == 0) continue;
    if (!fortran && !is_c_order(operands[k].info)) return false;
    if (!fortran) continue;
    std::int64_t expected = operands[k].info.dtype.bits / 8;
    for (int i = 0; i < operands[k].info.ndim; ++i) {
      if (operands[k].info.strides == nullptr) return ndim < 2;
      if (operands[k].info.shape[i] != 1 && operands[k].info.strides[i] != expected) return false;
      expected *= operands[k].info.shape[i];
    }
  }
  return true;
}

}  // namespace

bool broadcast(Operands& operands, std::size_t count, Broadcast& to) noexcept {
  to.ndim = 0;
  for (std::size_t k = 0; k < count; ++k) to.ndim = operands[k].ndim() > to.ndim ? operands[k].ndim() : to.ndim;
  if (to.ndim > kMaxAxes) return false;
  for (int i = 0; i < to.ndim; ++i) to.shape[i] = 1;
  for (std::size_t k = 0; k < count; ++k) {
    const int ndim = operands[k].ndim();
    const int skipped = to.ndim - ndim;
    for (int i = 0; i < ndim; ++i) {
      const npy_intp extent = operands[k].info.shape[i];
      npy_intp& common = to.shape[skipped + i];
      if (extent == common || extent == 1) continue;
      if (common != 1) return false;
      common = extent;
    }
  }
  to.elements = 1;
  for (int i = 0; i < to.ndim; ++i) {
    if (__builtin_mul_overflow(to.elements, to.shape[i], &to.elements)) return false;
  }
  return true;
}

PyObject* allocate(const Broadcast& shape, int type_number, Operands& operands, std::size_t count, char order, bool zeros) {
  PyArray_Descr* const descr = PyArray_DescrFromType(type_number);
  if (descr == nullptr) return nullptr;
  const auto make = [&](bool fortran) {
    auto* const extents = const_cast<npy_intp*>(shape.shape);
    if (zeros) return PyArray_Zeros(shape.ndim, extents, descr, fortran ? 1 : 0);
    return PyArray_NewFromDescr(&PyArray_Type, descr, shape.ndim, extents, nullptr, nullptr,
                                fortran ? NPY_ARRAY_F_CONTIGUOUS : 0, nullptr);
  };
  if (shape.ndim < 2 || order == 'C') return make(false);
  if (order == 'F') return make(true);
  const bool c_order = all_in(operands, count, false, shape.ndim);
  if (c_order) return make(false);
  if (order == 'A') return make(all_in(operands, count, true, shape.ndim));
  int axes[kMaxAxes];
  sort_axes(shape.ndim, operands, count, axes);
  npy_intp strides[kMaxAxes];
  npy_intp stride = PyDataType_ELSIZE(descr);
  for (int i = 0; i < shape.ndim; ++i) {
    strides[axes[i]] = stride;
    stride *= shape.shape[axes[i]] == 0 ? 1 : shape.shape[axes[i]];
  }
  auto* const made = reinterpret_cast<PyArrayObject*>(
      PyArray_NewFromDescr(&PyArray_Type, descr, shape.ndim, const_cast<npy_intp*>(shape.shape), strides, nullptr, 0, nullptr));
  if (made != nullptr && zeros) PyArray_FILLWBYTE(made, 0);
  return reinterpret_cast<PyObject*>(made);
}

PyObject* reorder(PyObject* result, Operands& operands, std::size_t count, char order) {
  auto* const array = reinterpret_cast<PyArrayObject*>(result);
  const int ndim = PyArray_NDIM(array);
  if (ndim < 2 || order == 'K') return result;
  const bool fortran =
      order == 'F' || (order == 'A' && !all_in(operands, count, false, ndim) && all_in(operands, count, true, ndim));
  if (order == 'A' && !fortran) return result;
  PyObject* const ordered = PyArray_NewCopy(array, fortran ? NPY_FORTRANORDER : NPY_CORDER);
  Py_DECREF(result);
  return ordered;
}

}  // namespace kiln::python
