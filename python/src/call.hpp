// A call of a function of any kind: operands, options, the call itself, results.
#pragma once
#include "dtypes.hpp"
#include "function.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "results.hpp"

namespace kiln::python {

/// A call without the GIL where it is worth it, with Ctrl+C. Returns false with an exception.
bool run(FunctionObject& f, kiln_arg* outputs, std::size_t nout, const kiln_arg* inputs, std::size_t nin,
         kiln_call_options* options, npy_intp elements, bool interruptible);

/// The number of elements from which a call releases the GIL.
inline constexpr npy_intp kUnlock = 10000;

/// What a call of a ufunc, of one of its methods or of a generalized ufunc is made of.
struct Request {
  FunctionObject& f;
  std::uint32_t method;
  const char* method_name;
  PyObject* const* inputs;
  std::size_t nin;
  PyObject* const* outputs;  ///< NULL where none is given
  std::size_t nout;
  const Keywords& keywords;
};

/// Reads outputs of `out=` or of positional arguments into `to`. Returns false with an exception.
bool read_out(FunctionObject& f, PyObject* out, PyObject** to);

/// Does a call with everything that a call may have.
PyObject* general_call(const Request& request);

/// Returns the plan of a call as JSON (`form` is NULL), or its kernel in a form. Nothing runs.
PyObject* plan_call(const Request& request, const char* form);

/// Returns the seven bits for each input, beneath the method. 0: the inputs have no key.
[[nodiscard]] inline std::uint64_t key_of(std::uint32_t method, Operands& operands, std::size_t count) noexcept {
  if (count > kQuickInputs) return 0;
  std::uint64_t key = method + 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (operands[i].given != Given::weak && operands[i].given != Given::numpy) return 0;
    key = key << 8U | bits_of(operands[i].dtype) | (operands[i].given == Given::weak ? 0x80U : 0U);
  }
  return key;
}

}  // namespace kiln::python
