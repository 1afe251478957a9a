// Views with axes dropped, added, moved and reversed.
#include <algorithm>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/named_axes.hpp"
#include "array/rep.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "kiln/views.hpp"

namespace kiln {
namespace {

using detail::ArrayRep;
using detail::rep_of;

}  // namespace

Array Array::squeeze(const Axes& axis) const {
  ArrayRep rep = detail::view_rep(*this);
  const Shape shape = rep.shape;
  const Strides strides = rep.strides;
  const Dims chosen = detail::named_axes(detail::named("squeeze"), axis, shape);
  rep.shape.resize(0);
  rep.strides.resize(0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (chosen[i] != 0 && shape[i] == 1) continue;
    if (chosen[i] != 0 && !axis.is_all()) {
      throw ShapeError("squeeze: axis " + std::to_string(i) + " of shape " + to_string(shape) + " has extent " +
                       std::to_string(shape[i]) + ", not 1");
    }
    rep.shape.push_back(shape[i]);
    rep.strides.push_back(strides[i]);
  }
  return detail::make_array(std::move(rep));
}

Array Array::swapaxes(int first, int second) const {
  ArrayRep rep = detail::view_rep(*this);
  const std::size_t a = detail::counted_axis(detail::named("swapaxes"), first, rep.shape);
  const std::size_t b = detail::counted_axis(detail::named("swapaxes"), second, rep.shape);
  std::swap(rep.shape[a], rep.shape[b]);
  std::swap(rep.strides[a], rep.strides[b]);
  return detail::make_array(std::move(rep));
}

Array expand_dims(const Array& a, const Axes& axis) {
  ArrayRep rep = detail::view_rep(a);
  if (axis.is_all()) throw ShapeError("expand_dims: kiln::all_axes names no places; give those of the new axes");
  const Shape shape = rep.shape;
  const Strides strides = rep.strides;
  const std::size_t rank = shape.size() + axis.list().size();
  const Dims added = detail::named_axes(detail::named("expand_dims"), axis, Shape(rank, 1));
  rep.shape = Shape(rank, 1);
  rep.strides = Strides(rank, static_cast<std::int64_t>(itemsize(rep.dtype)));
  std::size_t from = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    if (added[i] != 0) continue;
    rep.shape[i] = shape[from];
    rep.strides[i] = strides[from++];
  }
  return detail::make_array(std::move(rep));
}

Array moveaxis(const Array& a, const Axes& source, const Axes& destination) {
  const Shape& shape = rep_of(a).shape;
  const auto from = detail::counted_axes(detail::named("moveaxis"), source, shape);
  const auto to = detail::counted_axes(detail::named("moveaxis"), destination, shape);
  if (from.size() != to.size()) {
    throw ShapeError("moveaxis: " + std::to_string(from.size()) + " axes are moved to " + std::to_string(to.size()) +
                     " places; give as many of both");
  }
  Dims order(shape.size(), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[to[i]] = static_cast<std::int64_t>(from[i]);
  std::size_t next = 0;
  for (std::int64_t& place : order) {
    if (place >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    place = static_cast<std::int64_t>(next++);
  }
  return a.transpose(order);
}

Array flip(const Array& a, const Axes& axis) {
  ArrayRep rep = detail::view_rep(a);
  const Dims chosen = detail::named_axes(detail::named("flip"), axis, rep.shape);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < rep.shape.size(); ++i) {
    if (chosen[i] == 0 || rep.shape[i] < 2) continue;
    offset += (rep.shape[i] - 1) * rep.strides[i];
    rep.strides[i] = -rep.strides[i];
  }
  if (rep.size > 0) rep.data += offset;
  return detail::make_array(std::move(rep));
}

}  // namespace kiln
