// NumPy's universal functions, ready to call: kiln::math::hypot(a, b), kiln::math::divmod.outputs<2>(a, b). Each is an ordinary
// definition: a signature and a body. docs/math.md lists them and their differences from NumPy.
#pragma once

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/export.hpp"
#include "kiln/ufunc.hpp"

namespace kiln::math {

namespace detail {
struct Entry;
}

/// A handle to a ufunc that is parsed at its first use. Constant-initialized: it costs nothing at program start, and works in
/// other variables' initializers, from any thread and in a forked child. Calls are Ufunc's.
class KILN_API Function : public kiln::detail::Callable<Function, CallOptions, Resolution> {
 public:
  /// Returns the ufunc; valid until the program ends.
  [[nodiscard]] const Ufunc& ufunc() const;
  /// Returns the ufunc.
  operator const Ufunc&() const { return ufunc(); }  // NOLINT(google-explicit-constructor)
  /// Returns the ufunc's address for access to its members: math::add->reorderable().
  const Ufunc* operator->() const { return &ufunc(); }

  using Callable::operator();
  using Callable::outputs;

  /// @name Members of Ufunc, by the same names
  /// @{
  Array reduce(const Array& a, const ReduceOptions& options = {}) const { return ufunc().reduce(a, options); }
  Array outer(const Arg& a, const Arg& b, const CallOptions& options = {}) const { return ufunc().outer(a, b, options); }
  Array accumulate(const Array& a, const AccumulateOptions& options = {}) const { return ufunc().accumulate(a, options); }
  void at(const Array& a, const Array& indices, const Arg& b, const AtOptions& options = {}) const {
    ufunc().at(a, indices, b, options);
  }
  void at(const Array& a, std::span<const Array> indices, const Arg& b, const AtOptions& options = {}) const {
    ufunc().at(a, indices, b, options);
  }
  void at(const Array& a, std::initializer_list<Array> indices, const Arg& b, const AtOptions& options = {}) const {
    ufunc().at(a, indices, b, options);
  }
  void at(const Array& a, const Array& indices, const AtOptions& options = {}) const { ufunc().at(a, indices, options); }
  void at(const Array& a, std::span<const Array> indices, const AtOptions& options = {}) const {
    ufunc().at(a, indices, options);
  }
  void at(const Array& a, std::initializer_list<Array> indices, const AtOptions& options = {}) const {
    ufunc().at(a, indices, options);
  }

  template <class... Args>
    requires kiln::detail::symbolic<Args...>
  Expr operator()(const Args&... args) const {
    return ufunc()(args...);
  }
  template <std::size_t N, class... Args>
    requires kiln::detail::symbolic<Args...>
  std::array<Expr, N> outputs(const Args&... args) const {
    return ufunc().template outputs<N>(args...);
  }
  [[nodiscard]] std::vector<Expr> outputs(std::span<const Expr> args) const { return ufunc().outputs(args); }

  Array reduceat(const Array& a, const Array& indices, const AccumulateOptions& options = {}) const {
    return ufunc().reduceat(a, indices, options);
  }

  int compile(std::string_view target) const { return ufunc().compile(target); }
  [[nodiscard]] std::vector<Diagnostic> warnings() const { return ufunc().warnings(); }
  [[nodiscard]] const std::string& name() const { return ufunc().name(); }
  [[nodiscard]] int nin() const { return ufunc().nin(); }
  [[nodiscard]] int nout() const { return ufunc().nout(); }
  [[nodiscard]] const std::string& identity() const { return ufunc().identity(); }
  [[nodiscard]] bool reorderable() const { return ufunc().reorderable(); }
  /// @}

  /// @name Members that Callable uses
  /// @{
  void call(std::span<const Arg> args, const CallOptions* options, std::span<Array> results) const {
    ufunc().call(args, options, results);
  }
  [[nodiscard]] Resolution resolve_call(std::span<const Arg> args, const CallOptions* options) const {
    return ufunc().resolve_call(args, options);
  }
  [[nodiscard]] cache::Contents compiled_call(std::span<const Arg> args, const CallOptions* options) const {
    return ufunc().compiled_call(args, options);
  }
  /// @}

  /// Constructor for the library's own tables.
  consteval Function(const detail::Entry& entry, std::atomic<const Ufunc*>& slot) noexcept : entry_(&entry), slot_(&slot) {}

 private:
  const detail::Entry* entry_;
  std::atomic<const Ufunc*>* slot_;
};

/// Description of a function, for tools. The texts are valid until the program ends.
struct FunctionInfo {
  std::string_view name;         ///< name: "hypot"
  std::string_view description;  ///< one line
  std::string_view group;        ///< "arithmetic", "trigonometry", …
  int nin;                       ///< number of inputs
  int nout;                      ///< number of outputs
  std::string_view loops;        ///< one loop a line, in the form of CallOptions::signature: "int8, int8 -> int8"
  std::string_view identity;     ///< neutral element as a C++ expression; empty if there is none
};

/// Returns every function, group by group. The first call parses them all.
[[nodiscard]] KILN_API std::span<const FunctionInfo> functions();
/// Returns the function of that name, or of another name that NumPy has for it ("abs", "true_divide", "acos"). Returns null if
/// there is none. Valid until the program ends.
[[nodiscard]] KILN_API const Ufunc* find(std::string_view name);

/// Sums, products, powers and extrema.
KILN_API extern const Function add, subtract, multiply, negative, positive, absolute, fabs, square, sqrt, cbrt, sign, power,
    float_power, heaviside, gcd, lcm, maximum, minimum, fmax, fmin, clip, abs;
/// Quotients and remainders.
KILN_API extern const Function divide, floor_divide, remainder, fmod, divmod, reciprocal, true_divide, mod;
/// Comparisons, which give bool.
KILN_API extern const Function equal, not_equal, less, less_equal, greater, greater_equal;
/// Truth of numbers.
KILN_API extern const Function logical_and, logical_or, logical_xor, logical_not;
/// Bits and shifts of integers.
KILN_API extern const Function bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift, bitwise_count;
/// Circular and hyperbolic functions and their inverses.
KILN_API extern const Function sin, cos, tan, arcsin, arccos, arctan, arctan2, hypot, sinh, cosh, tanh, arcsinh, arccosh,
    arctanh, deg2rad, radians, rad2deg, degrees;
/// Exponentials and logarithms.
KILN_API extern const Function exp, exp2, expm1, log, log2, log10, log1p, logaddexp, logaddexp2;
/// Rounding to integers.
KILN_API extern const Function rint, floor, ceil, trunc;
/// The parts of floating numbers, and their neighbours.
KILN_API extern const Function isnan, isinf, isfinite, signbit, copysign, nextafter, spacing, modf, ldexp, frexp;
/// Components of complex numbers.
KILN_API extern const Function real, imag, conjugate, angle, conj;

}  // namespace kiln::math
