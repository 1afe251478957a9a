// One kernel from several ufuncs: kiln::fuse() runs a function on symbolic values and makes a ufunc of what it did, so that
// only the inputs and outputs go through memory. docs/fuse.md tells what it means.
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
  std::string name = {};                     ///< a C++ identifier; shown in errors
  std::vector<std::string> parameters = {};  ///< names for messages, as C++ identifiers; x0, x1, … where none are given;
                                             ///< "constant n": the value of a scalar is part of the kernel
  std::string identity = {};                 ///< of two inputs and one output, as UfuncDefinition::identity
  bool reorderable = false;                  ///< as UfuncDefinition::reorderable
  /// For the whole kernel: `contract` and `fast_math` are set whatever its ufuncs say, `debug` checks what any of them does,
  /// `headers` stand before theirs, `cache` is its own. Texts, `include_dirs` and `defines` are those of the ufuncs: TypeError
  /// where they are given here.
  CompileOptions compile = {};
};

namespace detail {
using Composition = std::function<std::vector<Expr>(std::span<const Expr>)>;
KILN_API Ufunc fuse(FuseDefinition definition, std::size_t parameters, const Composition& function);

inline constexpr std::size_t kMaxFusedParameters = 32;
template <std::size_t>
using EachExpression = const Expr&;
template <class F, std::size_t... I>
consteval bool takes_expressions(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, EachExpression<I>...>;
}
/// How many expressions F takes; 0 where that is not one number.
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

/// Makes a ufunc that gives exactly what `function`'s ufuncs give when called one after the other on its arguments: the same
/// loops, casts, roundings and errors. `function` takes Exprs, or one std::span<const Expr> of as many as
/// FuseDefinition::parameters names, and gives an Expr, a std::array or a std::vector of them: the outputs. It is called once,
/// here. Only parses, as vectorize() does. TypeError for a result that is no expression of the parameters, for more than 32
/// inputs and outputs, and for ufuncs whose options do not go together; SignatureError for names that cannot be used.
template <class F>
  requires(detail::arity_of<F>() != 0)
[[nodiscard]] Ufunc fuse(FuseDefinition definition, F&& function) {
  return detail::fuse(std::move(definition), detail::arity_of<F>(), [&](std::span<const Expr> parameters) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return detail::listed(function(parameters[I]...));
    }(std::make_index_sequence<detail::arity_of<F>()>{});
  });
}
/// The same of a function that takes a span; FuseDefinition::parameters says how many.
template <class F>
  requires(detail::arity_of<F>() == 0 && std::is_invocable_v<F&, std::span<const Expr>>)
[[nodiscard]] Ufunc fuse(FuseDefinition definition, F&& function) {
  const std::size_t parameters = definition.parameters.size();
  return detail::fuse(std::move(definition), parameters,
                      [&](std::span<const Expr> given) { return detail::listed(function(given)); });
}
/// The same with a name alone.
template <class F>
[[nodiscard]] Ufunc fuse(std::string_view name, F&& function) {
  FuseDefinition definition;
  definition.name = std::string(name);
  return fuse(std::move(definition), std::forward<F>(function));
}

}  // namespace kiln
