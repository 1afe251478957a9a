// C++'s operators on expressions: the ufuncs that NumPy's operators call.
#include <iterator>

#include "kiln/expr.hpp"
#include "kiln/math.hpp"

namespace kiln::detail {
namespace {

// By Operator.
constexpr const math::Function* kFunctions[] = {
    &math::add,           &math::subtract,    &math::multiply,   &math::divide,      &math::remainder,  &math::negative,
    &math::positive,      &math::equal,       &math::not_equal,  &math::less,        &math::less_equal, &math::greater,
    &math::greater_equal, &math::bitwise_and, &math::bitwise_or, &math::bitwise_xor, &math::invert,     &math::left_shift,
    &math::right_shift,   &math::logical_and, &math::logical_or, &math::logical_not};
static_assert(std::size(kFunctions) == static_cast<std::size_t>(Operator::logical_not) + 1);

const math::Function& function(Operator what) {
  return *kFunctions[static_cast<std::size_t>(what)];
}

}  // namespace

Expr apply(Operator what, const Expr& a) {
  return function(what)(a);
}

Expr apply(Operator what, const Expr& a, const Expr& b) {
  return function(what)(a, b);
}

}  // namespace kiln::detail
