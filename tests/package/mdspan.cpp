// std::mdspan as an operand: the members that kiln asks for are the standard's.
#include <mdspan>
#include <string>
#include <type_traits>

#include "kiln/arg.hpp"

using Extents = std::dextents<int, 2>;
using Matrix = std::mdspan<float, Extents>;
using Columns = std::mdspan<const double, std::extents<int, 3, std::dynamic_extent>, std::layout_stride>;
using Names = std::mdspan<std::string, Extents>;

static_assert(std::is_convertible_v<Matrix, kiln::Arg> && std::is_convertible_v<const Columns&, kiln::Arg>);
static_assert(std::is_convertible_v<Matrix, kiln::Outputs> && std::is_convertible_v<Matrix, kiln::ArrayArg>);
static_assert(!std::is_convertible_v<Names, kiln::Arg>);

kiln::Array matrix(Matrix view) {
  return kiln::Array::view(view);
}
kiln::Array columns(const Columns& view) {
  return kiln::Array::view(view);
}
kiln::Array scalar(std::mdspan<float, std::extents<int>> view) {
  return kiln::Array::view(view);
}
