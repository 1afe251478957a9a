#include "fft/transform.hpp"

#include <cmath>

#include "kiln/error.hpp"
#include "types/each_dtype.hpp"
#include "types/reason.hpp"

namespace kiln::fft {
namespace {

/// As NumPy's result_type(dtype, 1.0): float16 is computed in float32.
bool computes_in_single(DType dtype) {
  return is_half(dtype) || dtype == DType::float32 || dtype == DType::complex64;
}

void check_points(const Transform& transform, const Axis& axis, const Shape& shape) {
  if (axis.n >= 1) return;
  throw ShapeError(std::string(transform.name) + ": invalid number of FFT data points (" + std::to_string(axis.n) +
                   ") along axis " + std::to_string(axis.at) + " of an array of shape " + to_string(shape) +
                   "; a transform has 1 or more");
}

double factor_of(const Transform& transform) {
  double points = 1;
  for (const Axis& axis : transform.axes) points *= static_cast<double>(axis.n);
  if (transform.norm == Norm::ortho) return 1 / std::sqrt(points);
  return (transform.norm == Norm::forward) != transform.inverse ? 1 / points : 1;
}

}  // namespace

void complete(Transform& transform, const Array& a) {
  const Shape& shape = a.shape();
  const DType dtype = a.dtype();
  const bool single = computes_in_single(dtype);
  const DType real = single ? DType::float32 : DType::float64;
  const DType complex = single ? DType::complex64 : DType::complex128;
  transform.in_dtype = transform.kind == FftKind::real_to_complex ? real : complex;
  transform.out_dtype = transform.kind == FftKind::complex_to_real ? real : complex;
  // Along several axes the first ones give complex64, of which float32 comes.
  const bool stays_half = is_half(dtype) && transform.kind == FftKind::complex_to_real && transform.axes.size() == 1;
  transform.result_dtype = stays_half ? dtype : transform.out_dtype;
  if (transform.kind == FftKind::real_to_complex && kind(dtype) == Kind::complex) {
    throw TypeError(std::string(transform.name) + ": the input is " + std::string(name(dtype)) +
                    ", and this is a transform of real numbers; transform with fft(), or give the real() part");
  }
  transform.in_shape = transform.out_shape = shape;
  for (const Axis& axis : transform.axes) {
    check_points(transform, axis, shape);
    transform.in_shape[axis.at] = transform.out_shape[axis.at] = axis.n;
  }
  if (transform.kind != FftKind::complex) {
    const Axis& last = transform.axes.back();
    (transform.kind == FftKind::real_to_complex ? transform.out_shape : transform.in_shape)[last.at] = last.n / 2 + 1;
  }
  transform.factor = factor_of(transform);
}

std::size_t axis_of(const char* name, const Shape& shape, int axis) {
  const auto ndim = static_cast<int>(shape.size());
  const int counted = axis < 0 ? axis + ndim : axis;
  if (counted >= 0 && counted < ndim) return static_cast<std::size_t>(counted);
  throw Because<ShapeError>(Reason::axis,
                            std::string(name) + ": axis " + std::to_string(axis) + " does not exist in an array of shape " +
                                to_string(shape) +
                                (ndim == 0 ? std::string("; it has no axes")
                                           : "; give " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1)));
}

std::vector<Axis> axes_of(const char* name, const Shape& shape, const std::optional<Shape>& s,
                          const std::optional<std::vector<int>>& axes, bool halved) {
  std::vector<int> list;
  if (axes) {
    list = *axes;
  } else {
    const auto count = static_cast<int>(s ? s->size() : shape.size());
    for (int i = -count; i < 0; ++i) list.push_back(i);
  }
  if (s && s->size() != list.size()) {
    throw ShapeError(std::string(name) + ": .s is " + to_string(*s) + ", and there are " + std::to_string(list.size()) +
                     " axes; give a number of points for each axis");
  }
  std::vector<Axis> result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::size_t at = axis_of(name, shape, list[i]);
    const std::int64_t extent = shape[at];
    result.push_back({at, s && (*s)[i] != -1 ? (*s)[i] : extent});
    if (!s && halved && i + 1 == list.size()) result.back().n = 2 * (extent - 1);
  }
  return result;
}

}  // namespace kiln::fft
