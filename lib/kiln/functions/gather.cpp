#include "functions/gather.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "array/on_device.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/math.hpp"
#include "kiln/ufunc.hpp"
#include "kiln/views.hpp"
#include "types/reason.hpp"

namespace kiln::functions {
namespace {

/// Each item reads one element of its row.
const Gufunc& element_at() {
  static const Gufunc made = guvectorize({.name = "take",
                                          .layout = "(n),()->()",
                                          .signatures = {"void(T[:] row, int64 place, T element)"},
                                          .body = "element = row[place < 0 ? place + n : place];"});
  return made;
}

/// Each item reads elements of its row at all places: of rows that are contiguous, whose items would each load the whole row.
const Gufunc& elements_at() {
  static const Gufunc made = guvectorize({.name = "take_along",
                                          .layout = "(n),(k)->(k)",
                                          .signatures = {"void(T[:] row, int64[:] places, T[:] elements)"},
                                          .each = "j:k",
                                          .body = "const int64 place = places[j];"
                                                  "elements[j] = row[place < 0 ? place + n : place];"});
  return made;
}

/// Its `at` writes elements: of (x, y) it gives y.
const Ufunc& replacement() {
  static const Ufunc made = vectorize({.name = "put", .signatures = {"T(T x, T y)"}, .body = "return y;", .reorderable = true});
  return made;
}

/// The axes behind `axis` have one element.
Array gather_rows(const Array& a, const Array& places, std::size_t axis) {
  const Shape& shape = a.shape();
  Shape result(std::span(shape.data(), axis));
  Shape rows = result;
  rows.push_back(shape[axis]);
  for (const std::int64_t extent : places.shape()) result.push_back(extent);
  for (std::size_t i = axis + 1; i < shape.size(); ++i) result.push_back(1);
  return elements_at()(a.reshape(rows), places.ravel(), {.device = moved_on(a)}).reshape(result);
}

/// The rows lie along `axis`. The loop has the axes before it, those of the places, and the axes behind it.
Array gather_columns(const Array& a, const Array& places, std::size_t axis) {
  std::vector<int> added;
  for (std::size_t i = 0; i < places.shape().size(); ++i) added.push_back(static_cast<int>(axis + i));
  Shape shape = places.shape();
  for (std::size_t i = axis + 1; i < a.shape().size(); ++i) shape.push_back(1);
  return element_at()(expand_dims(moveaxis(a, static_cast<int>(axis), -1), added), places.reshape(shape),
                      {.device = moved_on(a)});
}

}  // namespace

std::optional<Device> moved_on(const Array& a) {
  if (!a.is_host() || Device::best().is_cpu() || !detail::has_kernels(Device::cpu())) return std::nullopt;
  return Device::cpu();
}

Array gather(const Array& a, const Array& places, std::size_t axis) {
  const auto behind = std::span(a.shape().begin(), a.shape().end()).subspan(axis + 1);
  const bool rows = std::all_of(behind.begin(), behind.end(), [](std::int64_t extent) { return extent == 1; });
  return rows ? gather_rows(a, places, axis) : gather_columns(a, places, axis);
}

std::vector<Array> unraveled(const Array& places, const Shape& shape) {
  std::vector<Array> indices(shape.size());
  Array outer = places;
  for (std::size_t i = shape.size(); i-- > 1;) {
    const auto [quotient, remainder] = math::divmod.outputs<2>(outer, shape[i]);
    indices[i] = remainder;
    outer = quotient;
  }
  if (!indices.empty()) indices[0] = outer;
  return indices;
}

Array merged(const Array& a, std::size_t axes) {
  const Shape& shape = a.shape();
  Shape target{1};
  for (std::size_t i = 0; i < axes; ++i) target[0] *= shape[i];
  for (std::size_t i = axes; i < shape.size(); ++i) target.push_back(shape[i]);
  return a.reshape(target);
}

Array writable(const char* what, const Array& a, const Array& values) {
  if (!can_cast(values.dtype(), a.dtype(), Casting::same_kind)) {
    throw TypeError(std::string(what) + ": values of " + std::string(name(values.dtype())) + " do not cast to " +
                    std::string(name(a.dtype())) + " under the rule 'same_kind'; convert them with astype()");
  }
  if (a.read_only())
    throw Because<TypeError>(Reason::read_only, std::string(what) + ": the array is read-only; copy() it first");
  return values.dtype() == a.dtype() ? values : values.astype(a.dtype());
}

void scatter(const char* what, const Array& a, std::size_t axes, const Array& places, const Array& values) {
  const Array converted = writable(what, a, values);
  // A reshape that copies would be written in vain.
  const AtOptions options{.device = moved_on(a)};
  if (axes == 1 || a.is_c_contiguous()) return replacement().at(merged(a, axes), places, converted, options);
  replacement().at(a, unraveled(places, Shape(std::span(a.shape().data(), axes))), converted, options);
}

}  // namespace kiln::functions
