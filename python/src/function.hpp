// kiln's functions as Python objects: kiln.Ufunc, Gufunc, Reduction, Kernel and Transform, which share one layout.
#pragma once
#include <atomic>

#include "python.hpp"

namespace kiln::python {

/// The dtypes of the outputs of a call, by the dtypes of its inputs.
struct Loop {
  std::uint64_t key;
  int type_numbers[4];
  Loop* next;
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  kiln_function* handle;
  kiln_function_info info;
  bool predictable;  ///< results have the shape to which all operands broadcast
  bool comparison;   ///< one of NumPy's comparisons, which take integers that fit no dtype
  std::atomic<Loop*>* loops;
  PyObject* dict;
  PyObject* weak_references;
};

/// Loops of a function are found by a hash in a table of this size, then in lists that only grow.
inline constexpr std::size_t kLoopSlots = 64;

/// The numbers of operands for which calls are quick.
inline constexpr int kQuickInputs = 7;
inline constexpr int kQuickOutputs = 4;

/// Returns the loop of a key, or NULL.
[[nodiscard]] inline const Loop* find_loop(const FunctionObject& f, std::uint64_t key) noexcept {
  const std::size_t slot = (key * 0x9E3779B97F4A7C15U) >> 58U;
  for (const Loop* each = f.loops[slot].load(std::memory_order_acquire); each != nullptr; each = each->next) {
    if (each->key == key) return each;
  }
  return nullptr;
}

/// Adds a loop, unless the key has one.
void learn_loop(FunctionObject& f, std::uint64_t key, const int* type_numbers, int count) noexcept;

/// Makes the object of a function, of the class for its kind. Takes the handle. `of_math` says that it is one of NumPy's.
PyObject* make_function(FunctionHandle handle, bool of_math = false);

/// Returns the function of an object, or NULL with a TypeError.
FunctionObject* function_of(PyObject* object);

/// Adds the classes to a module.
bool add_functions(PyObject* module);

/// The vectorcall of all classes.
PyObject* call_function(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* names);

/// Methods of kiln.Ufunc (methods.cpp).
extern PyMethodDef kUfuncMethods[];

}  // namespace kiln::python
