#include "call.hpp"

#include <cstring>

#include "arrays.hpp"
#include "dtypes.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "layout.hpp"
#include "overrides.hpp"

namespace kiln::python {
namespace {

npy_intp elements_of(Operands& operands, std::size_t count) noexcept {
  npy_intp most = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (operands[i].given == Given::weak || operands[i].given == Given::nothing) continue;
    npy_intp elements = 1;
    for (int k = 0; k < operands[i].info.ndim; ++k) {
      if (__builtin_mul_overflow(elements, operands[i].info.shape[k], &elements)) return NPY_MAX_INTP;
    }
    most = elements > most ? elements : most;
  }
  return most;
}

char order_of(PyObject* order) {
  if (order == nullptr || order == Py_None) return 'K';
  NPY_ORDER value = NPY_KEEPORDER;
  if (PyArray_OrderConverter(order, &value) == NPY_FAIL) return '\0';
  return value == NPY_CORDER ? 'C' : value == NPY_FORTRANORDER ? 'F' : value == NPY_ANYORDER ? 'A' : 'K';
}

/// Writes copies back that stand for arrays in another byte order.
bool write_back(Operands& operands, bool discard) {
  bool all = true;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].held == nullptr || !PyArray_Check(operands[i].held)) continue;
    auto* const array = reinterpret_cast<PyArrayObject*>(operands[i].held);
    if (discard) {
      PyArray_DiscardWritebackIfCopy(array);
    } else if (PyArray_ResolveWritebackIfCopy(array) < 0) {
      all = false;
    }
  }
  return all;
}

/// One call in its stages. Each stage returns false with an exception.
class Call {
 public:
  explicit Call(const Request& request) : r_(request), operands_(request.nin + request.nout) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  PyObject* result() {
    PyObject* taken = nullptr;
    if (!prepare(taken)) return taken;
    const npy_intp elements = elements_of(operands_, operands_.size());
    const bool done = run(r_.f, args_ + r_.nin, r_.nout, args_, r_.nin, options_.given(), elements, true);
    const bool written = write_back(operands_, !done);
    return done && written ? collect() : nullptr;
  }

  /// Returns the plan of the call (`form` is NULL), or its kernel in a form. Nothing runs.
  PyObject* text(const char* form) {
    PyObject* taken = nullptr;
    if (!prepare(taken)) return taken;
    Error error;
    Text text;
    kiln_arg* const outputs = args_ + r_.nin;
    const kiln_status status =
        form == nullptr
            ? kiln_resolve(text.out(), r_.f.handle, outputs, r_.nout, args_, r_.nin, &options_.raw(), error.out())
            : kiln_inspect(text.out(), form, r_.f.handle, outputs, r_.nout, args_, r_.nin, &options_.raw(), error.out());
    write_back(operands_, true);
    if (status != KILN_OK) return error.raise();
    std::size_t length = 0;
    const char* const data = kiln_text_data(text.get(), &length);
    if (form != nullptr && std::strcmp(form, "code") == 0)
      return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(length));
    return to_str(text);
  }

 private:
  /// Reads everything. Returns false with an exception, or with a result in `taken` that a class gave.
  bool prepare(PyObject*& taken) {
    if (operands_.failed()) return false;
    if (read_operands(taken) != Taken::no) return false;
    if (!options_.read(function(), r_.keywords)) return false;
    options_.raw().method = r_.method;
    if (!check_byte_orders()) return false;
    if (!prepare_outputs() || !keep_for_stream()) return false;
    for (std::size_t i = 0; i < operands_.size(); ++i) args_[i] = operands_[i].arg;
    return true;
  }

  Taken read_operands(PyObject*& taken) {
    // A mask may take the call over, as an operand may.
    bool foreign = r_.keywords[kWhere] != nullptr && has_override(r_.keywords[kWhere]);
    for (std::size_t i = 0; i < r_.nin + r_.nout; ++i) {
      PyObject* const object = object_of(i);
      Operand& operand = operands_.add();
      if (object == nullptr) continue;
      operand.given = read(object, operand);
      if (operand.given == Given::foreign) {
        foreign = true;
      } else if (operand.given != Given::weak) {
        operand.held = Py_NewRef(object);
      }
    }
    if (foreign) {
      const Taken state = ask_classes(taken);
      if (state != Taken::no) return state;
    }
    for (std::size_t i = 0; i < r_.nin + r_.nout; ++i) {
      if (!finish_operand(i)) return Taken::failed;
    }
    return Taken::no;
  }

  [[nodiscard]] PyObject* function() const noexcept { return reinterpret_cast<PyObject*>(&r_.f); }
  /// What `__array_wrap__` gets: methods have no context in NumPy.
  [[nodiscard]] PyObject* context() const noexcept {
    return r_.method == KILN_CALL || r_.method == KILN_OUTER ? function() : Py_None;
  }
  PyObject* object_of(std::size_t i) const { return i < r_.nin ? r_.inputs[i] : r_.outputs[i - r_.nin]; }

  Taken ask_classes(PyObject*& taken) {
    bool given = false;
    const Ref out(PyTuple_New(static_cast<Py_ssize_t>(r_.nout)));
    if (!out) return Taken::failed;
    for (std::size_t i = 0; i < r_.nout; ++i) {
      PyObject* const each = r_.outputs[i] == nullptr ? Py_None : r_.outputs[i];
      given = given || each != Py_None;
      PyTuple_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), Py_NewRef(each));
    }
    return override_call(function(), r_.method_name, r_.inputs, r_.nin, given ? out.get() : nullptr, r_.keywords, taken);
  }

  bool finish_operand(std::size_t i) {
    Operand& operand = operands_[i];
    PyObject* const object = object_of(i);
    if (object == nullptr) return true;
    char what[32];
    const bool output = i >= r_.nin;
    PyOS_snprintf(what, sizeof what, "%s %zu", output ? "output" : "input", output ? i - r_.nin : i);
    if (operand.given == Given::foreign) {
      if (r_.f.info.kind == KILN_KERNEL) return convert_parameter(object, operand, what);
      if (!output && PyLong_CheckExact(object) && has_inexact_input()) return convert_large(object, operand);
      return output ? convert_output(object, operand, what) : convert_input(object, operand, what);
    }
    if (r_.f.info.kind == KILN_KERNEL && operand.given == Given::numpy && !PyArray_Check(object))
      return convert_scalar(object, operand, what);
    // The methods take arrays alone: a number is one without axes.
    if (!output && operand.given == Given::weak && i == 0 && r_.method != KILN_CALL && r_.method != KILN_OUTER) {
      operand.held = PyArray_FROM_O(object);
      if (operand.held == nullptr) return false;
      PyObject* const array = operand.held;
      read(array, operand);
    }
    if (!output) return true;
    if (operand.given == Given::weak || (operand.given == Given::numpy && !PyArray_Check(object))) {
      PyErr_SetString(PyExc_TypeError, "return arrays must be of ArrayType");
      return false;
    }
    if (operand.given == Given::numpy)
      return PyArray_FailUnlessWriteable(reinterpret_cast<PyArrayObject*>(object), "output array") == 0;
    return true;
  }

  /// An integer of more than 64 bits is a float beside floats, as it is in NumPy.
  bool has_inexact_input() {
    for (std::size_t i = 0; i < r_.nin; ++i) {
      const Operand& operand = operands_[i];
      if (operand.given != Given::nothing && operand.given != Given::foreign &&
          (operand.dtype.code == KILN_FLOAT || operand.dtype.code == KILN_COMPLEX))
        return true;
    }
    return false;
  }

  static bool convert_large(PyObject* object, Operand& operand) {
    const double value = PyLong_AsDouble(object);
    if (value == -1 && PyErr_Occurred() != nullptr) return false;
    const Ref number(PyFloat_FromDouble(value));
    if (!number) return false;
    operand.given = read(number.get(), operand);
    return true;
  }

  /// Under casting="no" another byte order is a cast.
  bool check_byte_orders() {
    if (options_.raw().casting != KILN_NO) return true;
    for (std::size_t i = 0; i < r_.nin + r_.nout; ++i) {
      PyObject* const object = object_of(i);
      if (object == nullptr || !PyArray_Check(object) || PyArray_ISNOTSWAPPED(reinterpret_cast<PyArrayObject*>(object)))
        continue;
      raise(KILN_E_TYPE, "%s: %s %zu has another byte order, which is a cast under casting=\"no\"", r_.f.info.name,
            i < r_.nin ? "input" : "output", i < r_.nin ? i : i - r_.nin);
      return false;
    }
    return true;
  }

  /// Makes outputs by NumPy where their dtypes are known before the call.
  bool prepare_outputs() {
    const bool subok = r_.keywords[kSubok] == nullptr || PyObject_IsTrue(r_.keywords[kSubok]) == 1;
    kind_ = kind_of(r_.inputs, operands_, r_.nin, subok);
    kind_.keep_arrays = r_.keywords[kOut] == Py_Ellipsis;
    order_ = order_of(r_.keywords[kOrder]);
    if (order_ == '\0') return false;
    const kiln_call_options& options = options_.raw();
    numpy_ = !kind_.own && kind_.like == nullptr && options.stream == nullptr && options.device.type == 0;
    const bool plain = options.dtype.lanes == 0 && options.signature == nullptr && options.has_size == 0;
    key_ = numpy_ && plain && r_.f.predictable && r_.nout <= kQuickOutputs ? key_of(r_.method, operands_, r_.nin) : 0;
    if (key_ == 0 || r_.method != KILN_CALL) return true;
    const Loop* const loop = find_loop(r_.f, key_);
    Broadcast shape;
    if (loop == nullptr || !common_shape(shape)) return true;
    for (std::size_t i = 0; i < r_.nout; ++i) {
      Operand& operand = operands_[r_.nin + i];
      if (operand.given != Given::nothing) continue;
      operand.held = allocate(shape, loop->type_numbers[i], operands_, r_.nin, order_, options_.where() != nullptr);
      if (operand.held == nullptr) return false;
      PyObject* const made = operand.held;
      read(made, operand);
      made_ |= 1U << i;
    }
    return true;
  }

  /// Broadcasts inputs, outputs and the mask. Outputs that are given take part, since they may enlarge the shape.
  bool common_shape(Broadcast& shape) {
    Operands all(r_.nin + r_.nout + 1);
    if (all.failed()) return false;
    std::size_t count = 0;
    const auto add = [&](const Operand& from) {
      if (from.given == Given::nothing || from.given == Given::weak) return;
      Operand& to = all.add();
      to.given = from.given;
      to.info = from.info;
      ++count;
    };
    for (std::size_t i = 0; i < operands_.size(); ++i) add(operands_[i]);
    if (options_.where() != nullptr) add(*options_.where());
    return broadcast(all, count, shape);
  }

  bool keep_for_stream() {
    if (options_.raw().stream == nullptr) return true;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (!keep_memory(operands_[i])) return false;
    }
    return true;
  }

  PyObject* collect() {
    if (r_.nout == 0) Py_RETURN_NONE;
    if (r_.nout == 1) return collect_one(0);
    Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(r_.nout)));
    for (std::size_t i = 0; i < r_.nout; ++i) {
      PyObject* const one = tuple ? collect_one(i) : nullptr;
      if (one == nullptr) {
        release_results(i);
        return nullptr;
      }
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), one);
    }
    learn();
    return tuple.release();
  }

  PyObject* collect_one(std::size_t i) {
    if (r_.outputs[i] != nullptr)
      return finish_given(r_.outputs[i], context(), r_.inputs, r_.nin, r_.outputs, r_.nout, static_cast<int>(i));
    Operand& operand = operands_[r_.nin + i];
    if ((made_ >> i & 1U) != 0)
      return finish_numpy(std::exchange(operand.held, nullptr), kind_, context(), r_.inputs, r_.nin, static_cast<int>(i));
    PyObject* const result = result_of(ArrayHandle(const_cast<kiln_array*>(args_[r_.nin + i].value.array)), kind_);
    args_[r_.nin + i].kind = KILN_NONE;
    if (result == nullptr || !PyArray_Check(result)) return result;
    learned_[i] = PyArray_TYPE(reinterpret_cast<PyArrayObject*>(result));
    if (r_.nout == 1) learn();
    return finish_numpy(reorder(result, operands_, r_.nin, order_), kind_, context(), r_.inputs, r_.nin, static_cast<int>(i));
  }

  void learn() {
    if (key_ == 0) return;
    for (std::size_t i = 0; i < r_.nout; ++i) {
      if (learned_[i] < 0) return;
    }
    learn_loop(r_.f, key_, learned_, static_cast<int>(r_.nout));
  }

  void release_results(std::size_t first) {
    for (std::size_t i = first; i < r_.nout; ++i) {
      kiln_arg& arg = args_[r_.nin + i];
      if (r_.outputs[i] == nullptr && (made_ >> i & 1U) == 0 && arg.kind == KILN_ARRAY)
        kiln_array_release(const_cast<kiln_array*>(arg.value.array));
    }
  }

  const Request& r_;
  Operands operands_;
  Options options_;
  ResultKind kind_;
  kiln_arg args_[kMaxOperands + 1];
  int learned_[kQuickOutputs] = {-1, -1, -1, -1};
  std::uint64_t key_ = 0;
  std::uint64_t made_ = 0;
  char order_ = 'K';
  bool numpy_ = false;
};

}  // namespace

namespace {

/// A call that may take long.
bool run_long(FunctionObject& f, kiln_arg* outputs, std::size_t nout, const kiln_arg* inputs, std::size_t nin,
              kiln_call_options* options, npy_intp elements, bool interruptible) {
  Error error;
  kiln_status status = KILN_OK;
  const bool chunked = options != nullptr && options->chunked != 0;
  const bool costly = elements >= kInterruptible || f.info.kind != KILN_UFUNC;
  const Interrupt interrupt(interruptible && costly &&
                            (options == nullptr || (options->stop == nullptr && options->stream == nullptr)) &&
                            f.info.kind != KILN_TRANSFORM);
  kiln_call_options only_stop;
  if (interrupt.stop() != nullptr) {
    if (options == nullptr) {
      only_stop = kiln_call_options_default();
      options = &only_stop;
    }
    options->stop = interrupt.stop();
    // A signal that came before is Python's to raise: nothing would end the call.
    if (PyErr_CheckSignals() != 0) return false;
  }
  {
    const Unlocked unlocked(elements >= kUnlock || chunked || f.info.kind != KILN_UFUNC);
    status = kiln_call(f.handle, outputs, nout, inputs, nin, options, error.out());
  }
  if (status == KILN_OK) return true;
  if (interrupt.came() && PyErr_CheckSignals() != 0) return false;
  // A callback of the call may have left an exception, which says more.
  if (PyErr_Occurred() == nullptr) error.raise();
  return false;
}

}  // namespace

bool run(FunctionObject& f, kiln_arg* outputs, std::size_t nout, const kiln_arg* inputs, std::size_t nin,
         kiln_call_options* options, npy_intp elements, bool interruptible) {
  if (elements >= kUnlock || f.info.kind != KILN_UFUNC || (options != nullptr && options->chunked != 0))
    return run_long(f, outputs, nout, inputs, nin, options, elements, interruptible);
  Error error;
  if (kiln_call(f.handle, outputs, nout, inputs, nin, options, error.out()) == KILN_OK) return true;
  if (PyErr_Occurred() == nullptr) error.raise();
  return false;
}

bool read_out(FunctionObject& f, PyObject* out, PyObject** to) {
  if (out == nullptr || out == Py_Ellipsis || (out == Py_None && f.info.nout == 1)) return true;
  if (!PyTuple_Check(out)) {
    if (f.info.nout == 1) {
      to[0] = out;
      return true;
    }
    PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays");
    return false;
  }
  if (PyTuple_GET_SIZE(out) != f.info.nout) {
    PyErr_SetString(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output");
    return false;
  }
  for (Py_ssize_t i = 0; i < f.info.nout; ++i) {
    PyObject* const each = PyTuple_GET_ITEM(out, i);
    if (each == Py_Ellipsis) {
      PyErr_SetString(PyExc_TypeError, "must use `...` as `out=...` and not per-operand/in a tuple");
      return false;
    }
    to[i] = each == Py_None ? nullptr : each;
  }
  return true;
}

PyObject* general_call(const Request& request) {
  Call call(request);
  return call.result();
}

PyObject* plan_call(const Request& request, const char* form) {
  Call call(request);
  return call.text(form);
}

}  // namespace kiln::python
