// Choosing elements by a condition or by indices.
#include "kiln/indexing.hpp"

#include <string>

#include "array/named_axes.hpp"
#include "functions/gather.hpp"
#include "functions/nonzero.hpp"
#include "functions/places.hpp"
#include "kiln/error.hpp"
#include "kiln/joining.hpp"
#include "kiln/math.hpp"
#include "math/dtypes.hpp"

namespace kiln {
namespace {

const Ufunc& choice() {
  static const Ufunc made = vectorize(
      {.name = "choice",
       .signatures = {"T(bool condition, T x, T y) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
       .body = "return condition ? x : y;"});
  return made;
}

}  // namespace

Array where(const Array& condition, const Arg& a, const Arg& b) {
  return choice()(condition.dtype() == DType::bool_ ? condition : condition.astype(DType::bool_), a, b);
}

std::vector<Array> nonzero(const Array& a) {
  if (a.ndim() == 0) throw ShapeError("nonzero: a 0-d array has no axis along which its element has a place");
  return functions::unraveled(functions::flat_nonzero(a), a.shape());
}

Array take(const Array& a, const Array& indices, const TakeOptions& options) {
  if (!options.axis) return take(a.ravel(), indices, {.axis = 0, .mode = options.mode});
  const std::size_t axis = detail::counted_axis(detail::named("take"), *options.axis, a.shape());
  return functions::gather(a, functions::checked_places("take", indices, a.shape()[axis], options.mode), axis);
}

void put(const Array& a, const Array& indices, const Array& values, IndexMode mode) {
  const Array places = functions::checked_places("put", indices, a.size(), mode).ravel();
  if (places.size() == 0) return;
  if (values.size() == 0) throw ShapeError("put: there are no values for " + std::to_string(places.size()) + " indices");
  const std::int64_t times = (places.size() - 1) / values.size() + 1;
  const Array list = values.ravel();
  const Array repeated = times == 1 || values.size() == 1 ? list : tile(list, times);
  const Array fitting = repeated.size() > places.size() ? repeated[Slice{.stop = places.size()}] : repeated;
  // Each place from the beginning: scatter() may divide it into an index for each axis.
  const Array counted = mode == IndexMode::raise ? math::remainder(places, a.size()) : places;
  functions::scatter("put", a, a.shape().size(), counted, fitting);
}

Array compress(const Array& condition, const Array& a, std::optional<int> axis) {
  if (condition.ndim() != 1) {
    throw ShapeError("compress: the condition has shape " + to_string(condition.shape()) + "; give one axis");
  }
  return take(a, functions::flat_nonzero(condition), {.axis = axis});
}

}  // namespace kiln
