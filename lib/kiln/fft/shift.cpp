// Frequencies, and rolling them: fftshift, ifftshift, fftfreq, rfftfreq.
#include <vector>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "fft/transform.hpp"
#include "kiln/error.hpp"
#include "kiln/fft.hpp"

namespace kiln::fft {
namespace {

/// Copies `from` to `to` with each axis rolled by shift[axis], in [0, extent): the parts on both sides of where it is cut.
void copy_rolled(const Array& from, const Array& to, const Dims& shift, std::size_t axis = 0) {
  if (axis == shift.size()) return to.assign(from);
  const std::int64_t by = shift[axis];
  if (by == 0) return copy_rolled(from, to, shift, axis + 1);
  std::vector<Index> source(axis + 1, all);
  std::vector<Index> target(axis + 1, all);
  const std::int64_t cut = from.shape()[axis] - by;
  source[axis] = Slice{0, cut};
  target[axis] = Slice{by};
  copy_rolled(from.slice(source), to.slice(target), shift, axis + 1);
  source[axis] = Slice{cut};
  target[axis] = Slice{0, by};
  copy_rolled(from.slice(source), to.slice(target), shift, axis + 1);
}

Array rolled(const char* name, const Array& a, const ShiftOptions& options, bool inverse) {
  const detail::ArrayRep& rep = detail::rep_of(a);
  Dims shift(rep.shape.size(), 0);
  const auto roll = [&](std::size_t axis) {
    const std::int64_t extent = rep.shape[axis];
    if (extent > 0) shift[axis] = (shift[axis] + (inverse ? extent - extent / 2 : extent / 2)) % extent;
  };
  if (options.axes) {
    for (const int axis : *options.axes) roll(axis_of(name, rep.shape, axis));
  } else {
    for (std::size_t axis = 0; axis < rep.shape.size(); ++axis) roll(axis);
  }
  Array result = detail::allocate_packed(rep.shape, rep.dtype, Order::c, rep.on_host, rep.device);
  copy_rolled(a, result, shift);
  return result;
}

/// `count` frequencies from 0 on, of which those from `negative` on are n lower.
Array frequencies(const char* name, std::int64_t n, double d, std::int64_t count, std::int64_t negative) {
  if (n < 1) throw ShapeError(std::string(name) + ": n is " + std::to_string(n) + "; give a number of points of 1 or more");
  if (d == 0) throw Error(std::string(name) + ": d is 0; give the distance of the points");
  Array result = Array::empty({count}, DType::float64);
  auto* const values = result.as<double>();
  // NumPy multiplies by this as well, and has the same last bits.
  const double unit = 1.0 / (static_cast<double>(n) * d);
  for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<double>(i < negative ? i : i - n) * unit;
  return result;
}

}  // namespace

Array fftshift(const Array& a, const ShiftOptions& options) {
  return rolled("fftshift", a, options, false);
}
Array ifftshift(const Array& a, const ShiftOptions& options) {
  return rolled("ifftshift", a, options, true);
}
Array fftfreq(std::int64_t n, double d) {
  return frequencies("fftfreq", n, d, n, (n - 1) / 2 + 1);
}
Array rfftfreq(std::int64_t n, double d) {
  return frequencies("rfftfreq", n, d, n / 2 + 1, n / 2 + 1);
}

}  // namespace kiln::fft
