// Python objects as operands of the C interface.
#pragma once
#include "python.hpp"

namespace kiln::python {

/// What an operand was.
enum class Given : std::uint8_t {
  nothing,
  weak,     ///< a number of Python, which takes the dtype of arrays
  numpy,    ///< an array or a scalar of NumPy
  own,      ///< a kiln.Array
  foreign,  ///< another object: `convert` reads it
};

/// An operand of a call. Its argument refers to it, so that it must not be moved.
struct Operand {
  kiln_arg arg;
  kiln_dtype dtype;
  Given given;
  kiln_array_info info;
  alignas(16) unsigned char value[16];
  PyObject* held;  ///< an owned reference that keeps the memory

  [[nodiscard]] int ndim() const noexcept { return given == Given::weak ? 0 : info.ndim; }
};

/// Operands on the stack, or in memory where they are many.
class Operands {
 public:
  explicit Operands(std::size_t capacity) noexcept;
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands();

  [[nodiscard]] bool failed() const noexcept { return all_ == nullptr; }
  /// Returns a new operand that is nothing.
  Operand& add() noexcept {
    Operand& made = all_[count_++];
    made.arg = {};
    made.held = nullptr;
    made.given = Given::nothing;
    made.info.ndim = 0;
    return made;
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  Operand& operator[](std::size_t i) noexcept { return all_[i]; }

 private:
  static constexpr std::size_t kInline = 8;
  Operand inline_[kInline];
  Operand* all_;
  std::size_t count_ = 0;
};

// Members are written one by one where they are read: a struct that is copied just after it was written waits for its stores.

/// Makes an argument refer to described memory.
inline void set_memory(kiln_arg& to, const kiln_array_info* info) noexcept {
  to.kind = KILN_MEMORY;
  to.dtype = {0, 0, 0};
  to.value.memory = info;
  to.ready = nullptr;
}

/// Describes memory of the host.
inline void set_info(kiln_array_info& to, void* data, kiln_dtype dtype, int ndim, const npy_intp* shape,
                     const npy_intp* strides, bool read_only) noexcept {
  to.struct_size = sizeof(kiln_array_info);
  to.data = data;
  to.device = {0, 0};
  to.dtype = dtype;
  to.ndim = ndim;
  to.shape = reinterpret_cast<const std::int64_t*>(shape);
  to.strides = reinterpret_cast<const std::int64_t*>(strides);
  to.read_only = read_only ? 1U : 0U;
  to.reserved = 0;
  to.release = nullptr;
  to.owner = nullptr;
}

/// Reads what is read without a call of Python: numbers, arrays of NumPy's own class in native order, NumPy's scalars of the
/// same, and kiln.Array. Returns Given::foreign and changes nothing for all other objects. Sets no exception.
Given read(PyObject* object, Operand& to) noexcept;

/// Reads any object as an input: subclasses and other byte orders of NumPy, DLPack, the CUDA array interface, sequences.
/// `what` names it in messages. Returns false with an exception.
bool convert_input(PyObject* object, Operand& to, const char* what);

/// Reads an object that is written. Returns false with an exception.
bool convert_output(PyObject* object, Operand& to, const char* what);

/// Reads an object that a raw kernel may read and write: an array, a tensor or a number. Returns false with an exception.
bool convert_parameter(PyObject* object, Operand& to, const char* what);

/// Reads a scalar for `initial`: a number of Python or a scalar of NumPy. Returns false with an exception.
bool convert_scalar(PyObject* object, Operand& to, const char* what);

/// Makes kiln own a reference to the memory of the operand, for work that is queued. Returns false with an exception.
bool keep_memory(Operand& operand);

}  // namespace kiln::python
