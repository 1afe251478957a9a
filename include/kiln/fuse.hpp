// One kernel from several ufuncs: kiln::fuse() runs a function on symbolic values and makes a ufunc of what it did. Only the
// inputs and outputs go through memory. docs/fuse.md describes the meaning.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/compile_options.hpp"
#include "kiln/export.hpp"
#include "kiln/expr.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// The options of fuse(). Members are to be named: designated initializers in this order.
struct FuseDefinition {
  std::string name = {};  ///< a C++ identifier; shown in errors
  /// Names of the parameters for messages, as C++ identifiers; x0, x1, … by default. "constant n" makes a scalar's value part
  /// of the kernel.
  std::vector<std::string> parameters = {};
  std::string identity = {};  ///< identity, as UfuncDefinition::identity; requires two inputs and one output
  bool reorderable = false;   ///< true: reorderable, as UfuncDefinition::reorderable
  /// Options of the whole kernel. `contract`, `fast_math` and `same_bits` apply whatever the ufuncs say. `debug` adds to the
  /// checks of the ufuncs, `headers` take precedence over theirs, and `cache` replaces theirs.
  ///
  /// Texts, `include_dirs` and `defines` come from the ufuncs; setting one here throws TypeError.
  CompileOptions compile = {};
};

namespace detail {
using Composition = std::function<std::vector<Expr>(std::span<const Expr>)>;
KILN_API Ufunc fuse(FuseDefinition definition, std::size_t parameters, const Composition& function);

inline constexpr std::size_t kMaxFusedParameters = 32;
// nvcc loses the pack of an alias that ignores its parameter.
template <std::size_t>
struct EachExpression {
  using type = const Expr&;
};
template <class F, std::size_t... I>
consteval bool takes_expressions(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, typename EachExpression<I>::type...>;
}
/// Returns the number of expressions that F takes; 0 unless exactly one number fits.
template <class F>
consteval std::size_t arity_of() {
  return []<std::size_t... N>(std::index_sequence<N...>) {
    constexpr std::size_t count = (std::size_t{takes_expressions<F>(std::make_index_sequence<N + 1>{})} + ...);
    constexpr std::size_t sum = ((takes_expressions<F>(std::make_index_sequence<N + 1>{}) ? N + 1 : 0) + ...);
    return count == 1 ? sum : 0;
  }(std::make_index_sequence<kMaxFusedParameters>{});
}
template <std::convertible_to<Expr> Result>
std::vector<Expr> listed(const Result& result) {
  return {Expr(result)};
}
template <std::size_t N>
std::vector<Expr> listed(const std::array<Expr, N>& results) {
  return {results.begin(), results.end()};
}
inline std::vector<Expr> listed(std::vector<Expr> results) {
  return results;
}
}  // namespace detail

/// Makes a ufunc that returns exactly what `function`'s ufuncs return if called in order on its arguments. Loops, casts,
/// roundings and errors are the same.
///
/// `function` takes Exprs, or one std::span<const Expr> with as many elements as FuseDefinition::parameters. It returns the
/// outputs: an Expr, or a std::array or std::vector of them. It is called once, before this function returns. Parses only, by
/// the rules of vectorize().
///
/// Throws TypeError for a result that is not an expression of the parameters, and for more than 32 inputs and outputs. Throws
/// TypeError for ufuncs with incompatible options, SignatureError for invalid names.
template <class F>
  requires(detail::arity_of<F>() != 0)
[[nodiscard]] Ufunc fuse(FuseDefinition definition, F&& function) {
  return detail::fuse(std::move(definition), detail::arity_of<F>(), [&](std::span<const Expr> parameters) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return detail::listed(function(parameters[I]...));
    }(std::make_index_sequence<detail::arity_of<F>()>{});
  });
}
/// Makes a ufunc from a function that takes a span. FuseDefinition::parameters decides the number of parameters.
template <class F>
  requires(detail::arity_of<F>() == 0 && std::is_invocable_v<F&, std::span<const Expr>>)
[[nodiscard]] Ufunc fuse(FuseDefinition definition, F&& function) {
  const std::size_t parameters = definition.parameters.size();
  return detail::fuse(std::move(definition), parameters,
                      [&](std::span<const Expr> given) { return detail::listed(function(given)); });
}
/// Makes a ufunc of that name, with default options.
template <class F>
[[nodiscard]] Ufunc fuse(std::string_view name, F&& function) {
  FuseDefinition definition;
  definition.name = std::string(name);
  return fuse(std::move(definition), std::forward<F>(function));
}

}  // namespace kiln
