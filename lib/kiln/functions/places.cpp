#include "functions/places.hpp"

#include <array>
#include <string>

#include "functions/gather.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "kiln/reduction.hpp"
#include "types/reason.hpp"

namespace kiln::functions {
namespace {

/// The smallest and the largest number.
std::array<std::int64_t, 2> range_of(const Array& numbers) {
  static const Reduction range = reduction({.name = "range",
                                            .signatures = {"(int64 low, int64 high)(int64 x)"},
                                            .accumulator = "int64 low, high;",
                                            .map = "return {x, x};",
                                            .reduce = "return {min(a.low, b.low), max(a.high, b.high)};",
                                            .reorderable = true});
  const auto ends = range.outputs<2>({numbers}, {.device = moved_on(numbers)});
  return {ends[0].item<std::int64_t>(), ends[1].item<std::int64_t>()};
}

/// `of_uint64`: they were numbers of uint64, of which the large ones are negative here.
[[noreturn]] void fail(const char* what, const Array& indices, bool of_uint64, std::int64_t extent) {
  const std::vector<std::int64_t> list = indices.to_vector<std::int64_t>();
  std::size_t position = 0;
  while (list[position] >= -extent && list[position] < extent) ++position;
  const std::string index =
      of_uint64 ? std::to_string(static_cast<std::uint64_t>(list[position])) : std::to_string(list[position]);
  throw Because<ShapeError>(Reason::index, std::string(what) + ": index " + index + " at position " + std::to_string(position) +
                                               " is out of range for an axis of extent " + std::to_string(extent));
}

}  // namespace

Array checked_places(const char* what, const Array& indices, std::int64_t extent, IndexMode mode) {
  if (kind(indices.dtype()) != Kind::integer) {
    throw TypeError(std::string(what) + ": the indices are of dtype " + std::string(name(indices.dtype())) + "; give integers");
  }
  // Above the range of int64 a number is negative here, and out of range as well.
  const Array places = indices.dtype() == DType::int64 ? indices : indices.astype(DType::int64);
  if (places.size() == 0) return places;
  if (mode == IndexMode::raise) {
    const auto [low, high] = range_of(places);
    if (low < -extent || high >= extent) fail(what, places, indices.dtype() == DType::uint64, extent);
    return places;
  }
  if (extent == 0) throw ShapeError(std::string(what) + ": an axis without elements has no place for an index");
  return mode == IndexMode::wrap ? math::remainder(places, extent) : math::clip(places, 0, extent - 1);
}

}  // namespace kiln::functions
