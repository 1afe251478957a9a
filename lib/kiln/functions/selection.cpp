// a[mask] and a[indices].
#include "kiln/selection.hpp"

#include <span>
#include <string>

#include "functions/gather.hpp"
#include "functions/nonzero.hpp"
#include "functions/places.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "types/each_dtype.hpp"

namespace kiln {
namespace {

/// The elements of the first axes where the mask is true.
Selection masked(const Array& a, const Array& mask) {
  const std::size_t axes = mask.shape().size();
  const Shape& shape = a.shape();
  const bool fits = axes > 0 && axes <= shape.size() && mask.shape() == Shape(std::span(shape.data(), axes));
  if (!fits) {
    throw ShapeError("a[mask]: the mask has shape " + to_string(mask.shape()) + ", the array " + to_string(shape) +
                     "; give a mask with the extents of the array's first axes");
  }
  Array places = functions::flat_nonzero(mask);
  Array copy = functions::gather(functions::merged(a, axes), places, 0);
  return {std::move(copy), a, std::move(places), axes, mask};
}

/// One value for all elements where the mask is true: their places are not needed.
void write_masked(const Array& a, const Array& mask, const Array& value) {
  static const Ufunc same = vectorize({.name = "put_masked", .signatures = {"T(T x)"}, .body = "return x;"});
  Shape shape = mask.shape();
  shape.resize(a.shape().size());
  for (std::size_t i = mask.shape().size(); i < shape.size(); ++i) shape[i] = 1;
  same({value.reshape({})}, {.out = a, .where = mask.reshape(shape), .device = functions::moved_on(a)});
}

}  // namespace

Selection Array::operator[](const Array& which) const {
  if (which.dtype() == DType::bool_) return masked(*this, which);
  if (ndim() == 0) throw ShapeError("a[indices]: a 0-d array has no axis to count along");
  Array places = functions::checked_places("a[indices]", which, shape()[0], IndexMode::raise);
  Array copy = functions::gather(*this, places, 0);
  return {std::move(copy), *this, std::move(places), 1, Array()};
}

void Selection::put(const Array& values) const {
  constexpr const char* kWhat = "a[which] = b";
  if (!mask_.valid() || values.size() != 1) return functions::scatter(kWhat, base_, axes_, places_, values);
  write_masked(base_, mask_, functions::writable(kWhat, base_, values));
}

void Selection::put_value(DType dtype, const void* value) const {
  const Array filled = Array::empty({}, base_.dtype());
  with_type(dtype, [&]<class T>(T* /*type*/) { filled.fill(*static_cast<const T*>(value)); });
  put(filled);
}

void Selection::operator+=(const Arg& b) && {
  math::add(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator-=(const Arg& b) && {
  math::subtract(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator*=(const Arg& b) && {
  math::multiply(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator/=(const Arg& b) && {
  math::divide(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator%=(const Arg& b) && {
  math::remainder(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator&=(const Arg& b) && {
  math::bitwise_and(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator|=(const Arg& b) && {
  math::bitwise_or(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator^=(const Arg& b) && {
  math::bitwise_xor(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator<<=(const Arg& b) && {
  math::left_shift(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator>>=(const Arg& b) && {
  math::right_shift(*this, b, {.out = *this});
  put(*this);
}

}  // namespace kiln
