// Reductions by NumPy's names: calls of the ufuncs that they are made of.
#include "kiln/statistics.hpp"

#include <algorithm>
#include <string>

#include "array/named_axes.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "kiln/reduction.hpp"
#include "types/each_dtype.hpp"
#include "ufunc/assign.hpp"

namespace kiln {
namespace {

Array reduced(const math::Function& function, const Array& a, const AxisOptions& options) {
  return function.reduce(
      a, {.axis = options.axis, .keepdims = options.keepdims, .dtype = options.dtype, .stream = options.stream});
}

/// Array::astype() and ravel() are of the default stream.
Array converted(const Array& a, DType dtype, const Stream& stream) {
  if (a.dtype() == dtype) return a;
  if (stream.is_default()) return a.astype(dtype);
  return ufunc::assignment()(a, {.stream = stream, .casting = Casting::unsafe, .dtype = dtype});
}
Array in_line(const Array& a, const Stream& stream) {
  if (stream.is_default() || a.is_c_contiguous()) return a.ravel();
  const Array elements = a.is_host() ? Array::empty(a.shape(), a.dtype()) : device_array(a.shape(), a.dtype(), a.device());
  ufunc::assignment()(a, {.out = elements, .stream = stream});
  return elements.ravel();
}

/// The number of elements of a result.
double count_of(const char* what, const Array& a, const Axes& axis) {
  const Dims named = detail::named_axes(detail::named(what), axis, a.shape());
  double count = 1;
  for (std::size_t i = 0; i < named.size(); ++i) count *= named[i] != 0 ? static_cast<double>(a.shape()[i]) : 1;
  return count;
}

/// The dtypes of a mean: `work` is that of the computation.
struct MeanTypes {
  DType work;
  DType result;
};
MeanTypes types_of(const char* what, const Array& a, const std::optional<DType>& wanted) {
  const DType result = wanted.value_or(kind(a.dtype()) < Kind::floating ? DType::float64 : a.dtype());
  if (kind(result) < Kind::floating) {
    throw TypeError(std::string(what) + ": the dtype is " + std::string(name(result)) +
                    "; .dtype takes a floating or complex one");
  }
  return {is_half(result) ? DType::float32 : result, result};
}

Array sum_over(const Array& total, double count, const Stream& stream) {
  return math::divide(total, count, {.out = total, .stream = stream});
}

/// The sum of |x - mean|², in the loop for both dtypes.
Reduction squared_distances(const std::string& real, const std::string& other, const std::string& square) {
  const auto signature = [](const std::string& result, const std::string& x) {
    return result + "(" + x + " x, " + x + " mean)";
  };
  const Ufunc distance = vectorize({.name = "squared_distance",
                                    .signatures = {signature("float32", real), signature("float64", other)},
                                    .body = "const auto d = x - mean; return " + square + ";"});
  return reduction(distance, math::add, "variance");
}

/// The place of the best element. `i` decides between equal ones, so that parts may be combined in any order.
Reduction best_place(const std::string& name, const std::string& better) {
  return reduction({.name = name,
                    .signatures = {"int64(T x)"},
                    .accumulator = "T best; int64 at;",
                    .map = "return {x, i};",
                    .reduce = "return comes_first(b.best, b.at, a.best, a.at) ? b : a;",
                    .post = "return a.at;",
                    .reorderable = true,
                    .compile = {.functions = better}});
}

/// NaN is the best of all. Complex numbers are compared by their real parts, then by their imaginary ones.
Reduction real_place(const std::string& name, const std::string& compare) {
  return best_place(name,
                    "template <class V> bool comes_first(V x, int64 i, V y, int64 j) {"
                    "  const bool nan = x != x, other = y != y;"
                    "  if (nan || other) return nan && (!other || i < j);"
                    "  return x " +
                        compare + " y || (x == y && i < j); }");
}
Reduction complex_place(const std::string& name, const std::string& compare) {
  return best_place(name,
                    "template <class V> bool comes_first(V x, int64 i, V y, int64 j) {"
                    "  const bool nan = x != x, other = y != y;"
                    "  if (nan || other) return nan && (!other || i < j);"
                    "  if (real(x) != real(y)) return real(x) " +
                        compare +
                        " real(y);"
                        "  return imag(x) " +
                        compare + " imag(y) || (imag(x) == imag(y) && i < j); }");
}

Array place(const Reduction& real, const Reduction& complex, const Array& a, const AxisOptions& options) {
  const Reduction& chosen = kind(a.dtype()) == Kind::complex ? complex : real;
  if (a.size() == 0 && count_of(chosen.name().c_str(), a, options.axis) == 0) {
    throw ShapeError(chosen.name() + ": there is no element to choose in an array of shape " + to_string(a.shape()));
  }
  const Array places = chosen(a, {.axis = options.axis, .keepdims = options.keepdims, .stream = options.stream});
  return converted(places, options.dtype.value_or(DType::int64), options.stream);
}

Array running(const math::Function& function, const Array& a, const CumulativeOptions& options) {
  const Array elements = options.axis ? a : in_line(a, options.stream);
  return function.accumulate(elements, {.axis = options.axis.value_or(0), .dtype = options.dtype, .stream = options.stream});
}

}  // namespace

Array sum(const Array& a, const AxisOptions& options) {
  return reduced(math::add, a, options);
}
Array prod(const Array& a, const AxisOptions& options) {
  return reduced(math::multiply, a, options);
}
Array min(const Array& a, const AxisOptions& options) {
  return reduced(math::minimum, a, options);
}
Array max(const Array& a, const AxisOptions& options) {
  return reduced(math::maximum, a, options);
}
Array any(const Array& a, const AxisOptions& options) {
  return reduced(math::logical_or, a, options);
}
Array All::operator()(const Array& a, const AxisOptions& options) const {
  return reduced(math::logical_and, a, options);
}

Array mean(const Array& a, const AxisOptions& options) {
  const MeanTypes types = types_of("mean", a, options.dtype);
  const Array total =
      sum(a, {.axis = options.axis, .keepdims = options.keepdims, .dtype = types.work, .stream = options.stream});
  return converted(sum_over(total, count_of("mean", a, options.axis), options.stream), types.result, options.stream);
}

Array var(const Array& a, const VarOptions& options) {
  static const Reduction real = squared_distances("float32", "float64", "d * d");
  static const Reduction complex = squared_distances("complex64", "complex128", "norm(d)");
  const MeanTypes types = types_of("var", a, options.dtype);
  const Array middle = mean(a, {.axis = options.axis, .keepdims = true, .dtype = types.work, .stream = options.stream});
  const Reduction& squares = kind(middle.dtype()) == Kind::complex ? complex : real;
  const Array total = squares({a, middle}, {.axis = options.axis, .keepdims = options.keepdims, .stream = options.stream});
  const Array result = sum_over(total, std::max(count_of("var", a, options.axis) - options.ddof, 0.0), options.stream);
  DType wanted = types.result;
  if (kind(wanted) == Kind::complex) wanted = wanted == DType::complex64 ? DType::float32 : DType::float64;
  return converted(result, wanted, options.stream);
}

Array std(const Array& a, const VarOptions& options) {
  const Array variance = var(a, options);
  return math::sqrt(variance, {.out = variance, .stream = options.stream});
}

Array argmin(const Array& a, const AxisOptions& options) {
  static const Reduction real = real_place("argmin", "<");
  static const Reduction complex = complex_place("argmin", "<");
  return place(real, complex, a, options);
}

Array argmax(const Array& a, const AxisOptions& options) {
  static const Reduction real = real_place("argmax", ">");
  static const Reduction complex = complex_place("argmax", ">");
  return place(real, complex, a, options);
}

Array cumsum(const Array& a, const CumulativeOptions& options) {
  return running(math::add, a, options);
}
Array cumprod(const Array& a, const CumulativeOptions& options) {
  return running(math::multiply, a, options);
}

}  // namespace kiln
