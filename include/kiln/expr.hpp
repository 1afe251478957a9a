// A symbolic value inside kiln::fuse(): a parameter of the fused function, a constant, or the result of a ufunc on others.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "kiln/dtype.hpp"
#include "kiln/export.hpp"

namespace kiln {

class Expr;

namespace detail {
struct ExprNode;
class UfuncImpl;

enum class Operator : unsigned char {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negative,
  positive,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  invert,
  left_shift,
  right_shift,
  logical_and,
  logical_or,
  logical_not,
};
KILN_API Expr apply(Operator what, const Expr& a);
KILN_API Expr apply(Operator what, const Expr& a, const Expr& b);

/// The results of a ufunc, symbolically. TypeError for a wrong number of inputs, or where `results` is not one for each output.
KILN_API void apply(const std::shared_ptr<const UfuncImpl>& ufunc, std::span<const Expr> inputs, std::span<Expr> results);
KILN_API Expr apply_one(const std::shared_ptr<const UfuncImpl>& ufunc, std::span<const Expr> inputs);

/// An argument list that makes a call symbolic.
template <class... Args>
concept symbolic = (std::is_same_v<Args, Expr> || ...) && (std::is_convertible_v<const Args&, Expr> && ...);
}  // namespace detail

/// Immutable; a copy is the same value. Ufuncs called with one give another, and so do C++'s operators, which stand for the
/// ufuncs of kiln::math that NumPy's operators stand for: `/` is divide, `%` remainder with the divisor's sign, `~` invert;
/// `&&` and `||` evaluate both sides. Nothing is computed. A parameter is known only inside the function given to the fuse()
/// that made it. An expression more than 1000 ufuncs deep is a TypeError.
class KILN_API Expr {
 public:
  /// No value: valid() is false, and every other use is a TypeError.
  Expr() = default;
  /// Whether the handle names a value, or is empty.
  [[nodiscard]] bool valid() const noexcept { return node_ != nullptr; }
  /// A constant. It is weak (NEP 50), as a C++ scalar in a call is.
  template <Element T>
  Expr(T value) : Expr(dtype_of<T>, &value) {}  // NOLINT(google-explicit-constructor)

  /// @name Each is the ufunc of kiln::math that NumPy's operator stands for. TypeError as of its call with expressions.
  /// @{
  friend Expr operator+(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::add, a, b); }
  friend Expr operator-(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::subtract, a, b); }
  friend Expr operator*(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::multiply, a, b); }
  friend Expr operator/(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::divide, a, b); }
  friend Expr operator%(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::remainder, a, b); }
  friend Expr operator-(const Expr& a) { return detail::apply(detail::Operator::negative, a); }
  friend Expr operator+(const Expr& a) { return detail::apply(detail::Operator::positive, a); }
  friend Expr operator==(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::equal, a, b); }
  friend Expr operator!=(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::not_equal, a, b); }
  friend Expr operator<(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::less, a, b); }
  friend Expr operator<=(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::less_equal, a, b); }
  friend Expr operator>(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::greater, a, b); }
  friend Expr operator>=(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::greater_equal, a, b); }
  friend Expr operator&(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::bitwise_and, a, b); }
  friend Expr operator|(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::bitwise_or, a, b); }
  friend Expr operator^(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::bitwise_xor, a, b); }
  friend Expr operator~(const Expr& a) { return detail::apply(detail::Operator::invert, a); }
  friend Expr operator<<(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::left_shift, a, b); }
  friend Expr operator>>(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::right_shift, a, b); }
  friend Expr operator&&(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::logical_and, a, b); }
  friend Expr operator||(const Expr& a, const Expr& b) { return detail::apply(detail::Operator::logical_or, a, b); }
  friend Expr operator!(const Expr& a) { return detail::apply(detail::Operator::logical_not, a); }
  /// @}
  /// @name As `a = a + b` and so on: the handle names another expression.
  /// @{
  Expr& operator+=(const Expr& b) { return *this = *this + b; }
  Expr& operator-=(const Expr& b) { return *this = *this - b; }
  Expr& operator*=(const Expr& b) { return *this = *this * b; }
  Expr& operator/=(const Expr& b) { return *this = *this / b; }
  /// @}

  /// @name For the library's own use.
  /// @{
  explicit Expr(std::shared_ptr<const detail::ExprNode> node, std::size_t output = 0) noexcept
      : node_(std::move(node)), output_(output) {}
  [[nodiscard]] const std::shared_ptr<const detail::ExprNode>& node() const noexcept { return node_; }
  [[nodiscard]] std::size_t output() const noexcept { return output_; }
  /// @}

 private:
  Expr(DType dtype, const void* value);

  std::shared_ptr<const detail::ExprNode> node_;
  std::size_t output_ = 0;  // which of its ufunc's
};

}  // namespace kiln
