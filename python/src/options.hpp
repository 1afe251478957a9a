// Keywords of a call as options of the C interface.
#pragma once
#include "keywords.hpp"
#include "operands.hpp"

namespace kiln::python {

/// Options of one call, and what they refer to.
class Options {
 public:
  Options() noexcept : options_(kiln_call_options_default()) {}
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options();

  /// Reads all keywords but `out`, `order` and `subok`. `function` is asked for the loops that a signature may mean;
  /// NULL: a call without one.
  /// Returns false with an exception.
  bool read(PyObject* function, const Keywords& given);
  [[nodiscard]] kiln_call_options& raw() noexcept { return options_; }
  /// Returns the options, or NULL where all have their defaults: a call without options is shorter.
  [[nodiscard]] kiln_call_options* given() noexcept { return any_ || options_.method != KILN_CALL ? &options_ : nullptr; }
  [[nodiscard]] Operand* where() noexcept { return where_.given == Given::nothing ? nullptr : &where_; }
  /// Returns whether a callback of the call left an exception.
  [[nodiscard]] PyObject* progress() const noexcept { return progress_; }

 private:
  bool read_axis(PyObject* axis);
  bool read_core_axis(PyObject* axis);
  bool read_axes(PyObject* axes, PyObject* function);
  bool read_casting(PyObject* casting);
  bool read_signature(PyObject* signature, PyObject* function);
  bool read_where(PyObject* where);
  bool read_lengths(PyObject* lengths);
  bool read_extents(PyObject* extents, std::int64_t (&to)[3], const char* what);
  bool read_chunks(const Keywords& given);
  static std::int32_t report(const kiln_progress* progress, void* self);

  kiln_call_options options_;
  Operand where_{};
  Operand initial_{};
  std::int32_t axes_[kMaxAxes];
  std::int64_t lengths_[kMaxAxes];
  std::int32_t* core_axes_ = nullptr;
  std::size_t* core_counts_ = nullptr;
  kiln_device* devices_ = nullptr;
  Ref signature_;
  PyObject* progress_ = nullptr;
  bool any_ = false;
};

/// Converts "cuda:0", a kiln.Device-like object with a `name`, or None. Returns false with an exception.
bool convert_device(PyObject* object, kiln_device& device);

/// Reads an axis, a tuple of axes or None for all: as numbers and their count. Returns false with an exception.
bool convert_axes(PyObject* object, std::int32_t (&axes)[kMaxAxes], std::size_t& count);

}  // namespace kiln::python
