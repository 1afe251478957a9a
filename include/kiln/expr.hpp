// A symbolic value inside kiln::fuse(): a parameter of the fused function, a constant, or the result of a ufunc on such values.
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

/// Applies a ufunc symbolically and writes its results. Throws TypeError for a wrong number of inputs, or unless `results` has
/// one element for each output.
KILN_API void apply(const std::shared_ptr<const UfuncImpl>& ufunc, std::span<const Expr> inputs, std::span<Expr> results);
KILN_API Expr apply_one(const std::shared_ptr<const UfuncImpl>& ufunc, std::span<const Expr> inputs);

/// An argument list that makes a call symbolic.
template <class... Args>
concept symbolic = (std::is_same_v<Args, Expr> || ...) && (std::is_convertible_v<const Args&, Expr> && ...);
}  // namespace detail

/// An immutable symbolic value; a copy is the same value. Nothing is computed. A ufunc called with an Expr returns an Expr, and
/// so do C++'s operators, which stand for the ufuncs of NumPy's operators in kiln::math.
///
/// `/` is divide, `%` is remainder with the divisor's sign, `~` is invert; `&&` and `||` evaluate both sides.
///
/// A parameter is valid only inside the function that its fuse() was given. An expression more than 1000 ufuncs deep throws
/// TypeError.
class KILN_API Expr {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  Expr() = default;
  /// Returns true if the handle names a value.
  [[nodiscard]] bool valid() const noexcept { return node_ != nullptr; }
  /// Constructs a constant. It is weak (NEP 50), like a C++ scalar in a call.
  template <Element T>
  Expr(T value) : Expr(dtype_of<T>, &value) {}  // NOLINT(google-explicit-constructor)

  /// @name Operators, each a ufunc of kiln::math with the meaning of NumPy's operator
  ///
  /// Throws TypeError by the rules of the ufunc's call with expressions.
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
  /// @name Assignments: `a += b` is `a = a + b`, and the handle names another expression
  /// @{
  Expr& operator+=(const Expr& b) { return *this = *this + b; }
  Expr& operator-=(const Expr& b) { return *this = *this - b; }
  Expr& operator*=(const Expr& b) { return *this = *this * b; }
  Expr& operator/=(const Expr& b) { return *this = *this / b; }
  /// @}

  /// @name Members for the library's own use
  /// @{
  explicit Expr(std::shared_ptr<const detail::ExprNode> node, std::size_t output = 0) noexcept
      : node_(std::move(node)), output_(output) {}
  [[nodiscard]] const std::shared_ptr<const detail::ExprNode>& node() const noexcept { return node_; }
  [[nodiscard]] std::size_t output() const noexcept { return output_; }
  /// @}

 private:
  Expr(DType dtype, const void* value);

  std::shared_ptr<const detail::ExprNode> node_;
  std::size_t output_ = 0;  // index among its ufunc's outputs
};

}  // namespace kiln
