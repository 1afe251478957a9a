#include "dtypes.hpp"

#include <atomic>

#include "errors.hpp"

namespace kiln::python {
namespace {

constexpr kiln_dtype kNone{0, 0, 0};
/// The type number of ml_dtypes' bfloat16, once it is known.
std::atomic<int> bfloat16_number{-1};

constexpr struct {
  const char* name;
  kiln_dtype dtype;
  int number;
} kAll[] = {{"bool", {KILN_BOOL, 8, 1}, NPY_BOOL},
            {"int8", {KILN_INT, 8, 1}, NPY_INT8},
            {"int16", {KILN_INT, 16, 1}, NPY_INT16},
            {"int32", {KILN_INT, 32, 1}, NPY_INT32},
            {"int64", {KILN_INT, 64, 1}, NPY_INT64},
            {"uint8", {KILN_UINT, 8, 1}, NPY_UINT8},
            {"uint16", {KILN_UINT, 16, 1}, NPY_UINT16},
            {"uint32", {KILN_UINT, 32, 1}, NPY_UINT32},
            {"uint64", {KILN_UINT, 64, 1}, NPY_UINT64},
            {"float16", {KILN_FLOAT, 16, 1}, NPY_FLOAT16},
            {"float32", {KILN_FLOAT, 32, 1}, NPY_FLOAT32},
            {"float64", {KILN_FLOAT, 64, 1}, NPY_FLOAT64},
            {"bfloat16", {KILN_BFLOAT, 16, 1}, -1},
            {"complex64", {KILN_COMPLEX, 64, 1}, NPY_COMPLEX64},
            {"complex128", {KILN_COMPLEX, 128, 1}, NPY_COMPLEX128}};

bool same(kiln_dtype a, kiln_dtype b) noexcept {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// Returns ml_dtypes.bfloat16 as a dtype. NULL with an exception if ml_dtypes is missing.
Ref import_bfloat16() {
  const Ref load(support("bfloat16"));
  if (!load) return {};
  Ref descr(PyObject_CallNoArgs(load.get()));
  if (descr) bfloat16_number = reinterpret_cast<PyArray_Descr*>(descr.get())->type_num;
  return descr;
}

}  // namespace

const kiln_dtype kDTypes[NPY_VOID + 4] = {{KILN_BOOL, 8, 1},
                                          {KILN_INT, 8, 1},
                                          {KILN_UINT, 8, 1},
                                          {KILN_INT, 16, 1},
                                          {KILN_UINT, 16, 1},
                                          {KILN_INT, 32, 1},
                                          {KILN_UINT, 32, 1},
                                          {KILN_INT, 64, 1},
                                          {KILN_UINT, 64, 1},
                                          {KILN_INT, 64, 1},
                                          {KILN_UINT, 64, 1},
                                          {KILN_FLOAT, 32, 1},
                                          {KILN_FLOAT, 64, 1},
                                          kNone,
                                          {KILN_COMPLEX, 64, 1},
                                          {KILN_COMPLEX, 128, 1},
                                          kNone,
                                          kNone,
                                          kNone,
                                          kNone,
                                          kNone,
                                          kNone,
                                          kNone,
                                          {KILN_FLOAT, 16, 1}};

kiln_dtype dtype_of(int number) noexcept {
  if (number >= 0 && number < NPY_VOID + 4) return kDTypes[number];
  return number == bfloat16_number && number != -1 ? kiln_dtype{KILN_BFLOAT, 16, 1} : kNone;
}

int type_number(kiln_dtype dtype) {
  for (const auto& each : kAll) {
    if (!same(each.dtype, dtype)) continue;
    if (each.number != -1) return each.number;
    if (bfloat16_number == -1 && !import_bfloat16()) return -1;
    return bfloat16_number;
  }
  PyErr_Format(PyExc_TypeError, "NumPy has no dtype of code %d with %d bits", dtype.code, dtype.bits);
  return -1;
}

PyArray_Descr* descr_of(kiln_dtype dtype) {
  const int number = type_number(dtype);
  return number == -1 ? nullptr : PyArray_DescrFromType(number);
}

const char* name_of(kiln_dtype dtype) noexcept {
  for (const auto& each : kAll) {
    if (same(each.dtype, dtype)) return each.name;
  }
  return "none";
}

bool convert_dtype(PyObject* object, kiln_dtype& dtype) {
  if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "bfloat16") == 0) {
    dtype = {KILN_BFLOAT, 16, 1};
    return true;
  }
  PyArray_Descr* descr = nullptr;
  if (PyArray_DescrConverter(object, &descr) == NPY_FAIL) return false;
  const Ref held(reinterpret_cast<PyObject*>(descr));
  if (descr->type_num > NPY_VOID && bfloat16_number == -1) {
    const Ref known(import_bfloat16());
    PyErr_Clear();
  }
  dtype = dtype_of(descr->type_num);
  if (dtype.lanes == 0 || !PyArray_ISNBO(descr->byteorder)) {
    refuse_dtype("dtype", descr);
    return false;
  }
  return true;
}

PyObject* refuse_dtype(const char* what, PyArray_Descr* descr) {
  const Ref text(PyObject_Str(reinterpret_cast<PyObject*>(descr)));
  if (!text) return nullptr;
  return raise(KILN_E_TYPE,
               "%s: kiln has no dtype %s; its dtypes are bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, "
               "float64, complex64 and complex128",
               what, PyUnicode_AsUTF8(text.get()));
}

}  // namespace kiln::python
