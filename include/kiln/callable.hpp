// The base of all functions over arrays: an empty state, and the ways to write a call. Ufunc, Gufunc and Reduction derive from
// Callable; users name those, never this.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/cache_entry.hpp"
#include "kiln/export.hpp"

namespace kiln::detail {

class UfuncImpl;
class GufuncImpl;
class ReductionImpl;
class RawKernelImpl;

// Throws TypeError: the handle is empty. The message names the function that makes one.
[[noreturn]] KILN_API void fail_empty(const UfuncImpl* type);
[[noreturn]] KILN_API void fail_empty(const GufuncImpl* type);
[[noreturn]] KILN_API void fail_empty(const ReductionImpl* type);
[[noreturn]] KILN_API void fail_empty(const RawKernelImpl* type);

/// A shared implementation that may be absent. Using an absent one throws TypeError.
template <class Impl>
class Shared {
 public:
  Shared() noexcept = default;
  explicit Shared(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}
  [[nodiscard]] bool valid() const noexcept { return impl_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<const Impl>& get() const {
    if (impl_ == nullptr) fail_empty(static_cast<const Impl*>(nullptr));
    return impl_;
  }
  const Impl& operator*() const { return *get(); }
  const Impl* operator->() const { return get().get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

template <std::size_t>
using NthArg = Arg;

/// The calls with a fixed number of arguments and options in braces: f(a, b, {.out = c}). A template cannot take such a list,
/// so each number of arguments has its own functions.
template <class Function, class Options, class Resolved, class Numbers>
class CallWithOptions;
template <class Function, class Options, class Resolved, std::size_t... I>
class CallWithOptions<Function, Options, Resolved, std::index_sequence<I...>> {
 public:
  Array operator()(NthArg<I>... args, const Options& options) const {
    const Arg list[] = {std::move(args)...};
    Array result;
    function().call(list, &options, {&result, 1});
    return result;
  }
  template <std::size_t N>
  std::array<Array, N> outputs(NthArg<I>... args, const Options& options) const {
    const Arg list[] = {std::move(args)...};
    std::array<Array, N> results;
    function().call(list, &options, results);
    return results;
  }
  [[nodiscard]] Resolved resolve(NthArg<I>... args, const Options& options) const {
    const Arg list[] = {std::move(args)...};
    return function().resolve_call(list, &options);
  }
  [[nodiscard]] cache::Contents compiled(NthArg<I>... args, const Options& options) const {
    const Arg list[] = {std::move(args)...};
    return function().compiled_call(list, &options);
  }

 private:
  [[nodiscard]] const Function& function() const { return static_cast<const Function&>(*this); }
};

/// The ways to write a call of Function. All of them use its members, for which null options are Options{}:
///   int nout() const
///   void call(std::span<const Arg>, const Options*, std::span<Array> results) const   TypeError for another number of results
///   Resolved resolve_call(std::span<const Arg>, const Options*) const
///   cache::Contents compiled_call(std::span<const Arg>, const Options*) const
template <class Function, class Options, class Resolved, class Counts = std::make_index_sequence<8>>
class Callable;
template <class Function, class Options, class Resolved, std::size_t... Count>
class Callable<Function, Options, Resolved, std::index_sequence<Count...>>
    : public CallWithOptions<Function, Options, Resolved, std::make_index_sequence<Count + 1>>... {
 public:
  using CallWithOptions<Function, Options, Resolved, std::make_index_sequence<Count + 1>>::operator()...;
  using CallWithOptions<Function, Options, Resolved, std::make_index_sequence<Count + 1>>::outputs...;
  using CallWithOptions<Function, Options, Resolved, std::make_index_sequence<Count + 1>>::resolve...;
  using CallWithOptions<Function, Options, Resolved, std::make_index_sequence<Count + 1>>::compiled...;

  /// Calls the function and returns its one output: f(a, b). Options follow up to eight arguments, f(a, b, {.out = c}), or a
  /// list of any length, f({a, b, …}, {.out = c}). Throws TypeError for a function of several outputs.
  template <class... Args>
    requires(sizeof...(Args) > 0 && (std::is_convertible_v<const Args&, Arg> && ...))
  Array operator()(const Args&... args) const {
    const Arg list[] = {Arg(args)...};
    Array result;
    function().call(list, nullptr, {&result, 1});
    return result;
  }
  Array operator()(std::initializer_list<Arg> args, const Options& options = {}) const {
    return (*this)(std::span(args.begin(), args.size()), options);
  }
  /// Calls the function with a number of arguments known at run time.
  Array operator()(std::span<const Arg> args, const Options& options) const {
    Array result;
    function().call(args, &options, {&result, 1});
    return result;
  }

  /// Calls a function of N outputs and returns them.
  template <std::size_t N, class... Args>
    requires(sizeof...(Args) > 0 && (std::is_convertible_v<const Args&, Arg> && ...))
  std::array<Array, N> outputs(const Args&... args) const {
    const Arg list[] = {Arg(args)...};
    std::array<Array, N> results;
    function().call(list, nullptr, results);
    return results;
  }
  template <std::size_t N>
  std::array<Array, N> outputs(std::initializer_list<Arg> args, const Options& options = {}) const {
    std::array<Array, N> results;
    function().call({args.begin(), args.size()}, &options, results);
    return results;
  }
  /// Calls the function and returns its outputs, whose number is known at run time.
  std::vector<Array> outputs(std::span<const Arg> args, const Options& options = {}) const {
    std::vector<Array> results(static_cast<std::size_t>(function().nout()));
    function().call(args, &options, results);
    return results;
  }

  /// Returns the plan of the call, without running or compiling anything. Throws the exceptions that the call would throw for
  /// its arguments.
  template <class... Args>
    requires(sizeof...(Args) > 0 && (std::is_convertible_v<const Args&, Arg> && ...))
  [[nodiscard]] Resolved resolve(const Args&... args) const {
    const Arg list[] = {Arg(args)...};
    return function().resolve_call(list, nullptr);
  }
  [[nodiscard]] Resolved resolve(std::initializer_list<Arg> args, const Options& options = {}) const {
    return function().resolve_call({args.begin(), args.size()}, &options);
  }
  [[nodiscard]] Resolved resolve(std::span<const Arg> args, const Options& options = {}) const {
    return function().resolve_call(args, &options);
  }

  /// Returns the kernel that the call would run, compiled or from the cache, for kiln::inspect:
  /// `inspect::text(f.compiled(a, b), inspect::Form::assembly)`. Nothing runs or is written, but host arrays are sent to a GPU
  /// if the call would send them. The result's entry names no tier.
  ///
  /// Throws the exceptions of the call, and TypeError if there is nothing to compute.
  template <class... Args>
    requires(sizeof...(Args) > 0 && (std::is_convertible_v<const Args&, Arg> && ...))
  [[nodiscard]] cache::Contents compiled(const Args&... args) const {
    const Arg list[] = {Arg(args)...};
    return function().compiled_call(list, nullptr);
  }
  [[nodiscard]] cache::Contents compiled(std::initializer_list<Arg> args, const Options& options = {}) const {
    return function().compiled_call({args.begin(), args.size()}, &options);
  }
  [[nodiscard]] cache::Contents compiled(std::span<const Arg> args, const Options& options = {}) const {
    return function().compiled_call(args, &options);
  }

 private:
  [[nodiscard]] const Function& function() const { return static_cast<const Function&>(*this); }
};

}  // namespace kiln::detail
