// What all functions over arrays have in common: an empty state, and the ways to write a call. Ufunc, Gufunc and Reduction
// derive from Callable; users name those, never this.
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
#include "kiln/cache.hpp"
#include "kiln/export.hpp"

namespace kiln::detail {

class UfuncImpl;
class GufuncImpl;
class ReductionImpl;
class RawKernelImpl;

// TypeError: the handle is empty. What makes one is in the message.
[[noreturn]] KILN_API void fail_empty(const UfuncImpl* type);
[[noreturn]] KILN_API void fail_empty(const GufuncImpl* type);
[[noreturn]] KILN_API void fail_empty(const ReductionImpl* type);
[[noreturn]] KILN_API void fail_empty(const RawKernelImpl* type);

/// A shared implementation that may be absent: using it is a TypeError then.
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

/// Calls with that many arguments and options in braces, f(a, b, {.out = c}): a template cannot take such a list, so each
/// number of arguments has its own functions.
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

/// The ways to write a call of Function. They come down to its members
///   int nout() const
///   void call(std::span<const Arg>, const Options*, std::span<Array> results) const   TypeError for another number of results
///   Resolved resolve_call(std::span<const Arg>, const Options*) const
///   cache::Contents compiled_call(std::span<const Arg>, const Options*) const
/// where null options are Options{}.
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

  /// f(a, b): the one output. f(a, b, {.out = c}) takes options after up to eight arguments, f({a, b, …}, {.out = c}) after any
  /// number. A function of several outputs is a TypeError here.
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
  /// For a number of arguments known at run time.
  Array operator()(std::span<const Arg> args, const Options& options) const {
    Array result;
    function().call(args, &options, {&result, 1});
    return result;
  }

  /// The same for a function of N outputs.
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
  /// For a number of outputs known at run time.
  std::vector<Array> outputs(std::span<const Arg> args, const Options& options = {}) const {
    std::vector<Array> results(static_cast<std::size_t>(function().nout()));
    function().call(args, &options, results);
    return results;
  }

  /// What the call would do, without running or compiling anything; throws what the call would throw for its arguments.
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

  /// The kernel that the call would run, compiled or from the cache, for kiln::inspect: inspect::text(f.compiled(a, b),
  /// inspect::Form::assembly). Nothing runs or is written; host arrays are sent to a GPU where the call would. Its entry says
  /// nothing of a tier. Throws what the call would, and TypeError where there is nothing to compute.
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
