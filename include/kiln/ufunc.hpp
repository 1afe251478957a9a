// Universal functions from C++ strings. kiln::vectorize() makes one; a call compiles it (once) and runs it element by element
// over arrays, with NumPy's broadcasting, casting and promotion.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/callable.hpp"
#include "kiln/compile_options.hpp"
#include "kiln/device.hpp"
#include "kiln/diagnostic.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/expr.hpp"
#include "kiln/methods.hpp"
#include "kiln/resolution.hpp"
#include "kiln/stream.hpp"

namespace kiln {

/// The options of a call. Every member has a default.
struct CallOptions {
  Outputs out = {};  ///< outputs, written in place; never broadcast, never reallocated
  /// Mask: bool, broadcast with the arguments. Elements with false are not computed: .out is unchanged there, other results are
  /// zero.
  ArrayArg where = {};
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  Casting casting = Casting::same_kind;         ///< rule for every input and output of the chosen loop
  std::optional<DType> dtype = std::nullopt;    ///< forces the loop whose outputs have this dtype
  std::string_view signature = {};              ///< forces a loop: "float32, float32 -> float32" by dtype names
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
  /// Number of elements of a call whose arrays are all raw: fresh results have shape {size}. Throws TypeError if an array
  /// decides the shape.
  std::optional<std::int64_t> size = std::nullopt;
};

/// A ufunc's definition. Members are to be named: designated initializers in this order.
struct UfuncDefinition {
  std::string name = {};                     ///< a C++ identifier; shown in errors
  std::vector<std::string> signatures = {};  ///< loops in order of preference; names come from the first
  std::string body = {};                     ///< C++ statements: `return` one output, or assign several by name
  std::string expression = {};               ///< the one output as a C++ expression, instead of a body
  /// Identity of a binary ufunc, with f(identity, x) equal to x: a C++ expression, "0", "-INFINITY".
  std::string identity = {};
  bool reorderable = false;       ///< true: reductions may combine elements in any order and grouping; an identity implies it
  bool widens_integers = false;   ///< true: reductions of bool and small integers run in 64 bits, like NumPy's add and multiply
  bool bools_are_numbers = true;  ///< false: arguments that are all bool match loops of bool alone, like NumPy's subtract
  CompileOptions compile = {};    ///< texts beside the body, and the options of the compile
};

/// An immutable, shareable function over arrays; calls from several threads are safe. Copies share the definition and its
/// compiled variants. Callable has the ways to write a call: f(a, b), f(a, b, {.out = c}), f.outputs<2>(a, b), f.resolve(a, b).
///
/// A call returns a host array for host arguments, and an array on their device otherwise.
///
/// Throws TypeError, ShapeError, CompileError, DeviceError, IoError (a missing header), or SignatureError (an invalid
/// .signature). If a call throws, no output was modified, unless the call ran in chunks: the error then reports how many are
/// done.
///
/// Throws Stopped if .stop or .timeout ended the call, which may have written parts of its outputs.
class KILN_API Ufunc : public detail::Callable<Ufunc, CallOptions, Resolution> {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  Ufunc() noexcept = default;
  /// Returns true if the handle names a function.
  [[nodiscard]] bool valid() const noexcept { return impl_.valid(); }

  using Callable::operator();
  using Callable::outputs;

  /// Combines the elements along axes of `a`, by default axis 0, by a ufunc of two inputs and one output. kiln::sum() and its
  /// like reduce all axes. Returns a host array for a host array,
  /// and one on its device otherwise. docs/reductions.md has the rules. Floating results are the same on every run, and for any
  /// number of threads.
  ///
  /// Throws TypeError, ShapeError, CompileError or DeviceError, with no output modified.
  Array reduce(const Array& a, const ReduceOptions& options = {}) const;

  /// Combines the elements of segments along one axis. A segment runs from an index to the next, the last one to the end. If
  /// the next index is not larger, the result is the element at the index.
  ///
  /// `indices` has one axis of integers of any dtype, on the host or a device. Throws ShapeError, with nothing written, for an
  /// index out of range.
  Array reduceat(const Array& a, const Array& indices, const AccumulateOptions& options = {}) const;

  /// Applies the function to every pair of elements of `a` and `b`. The result has shape a.shape() + b.shape(). It equals f(a',
  /// b), where a' is `a` with an axis of extent 1 appended for each axis of b.
  ///
  /// Throws TypeError unless the function has two inputs and one output, and the exceptions of a call.
  Array outer(const Arg& a, const Arg& b, const CallOptions& options = {}) const;

  /// Returns the running results along an axis, of a's shape: out[0] = a[0], out[i] = f(out[i - 1], a[i]).
  ///
  /// The loop is (T, T) -> T, chosen by NumPy's rules. Ufuncs with .widens_integers widen bool and small integers to 64 bits,
  /// unless dtype or out say otherwise. Floating results of a reorderable ufunc are grouped by the shape alone: the same for
  /// any number of threads.
  ///
  /// Throws TypeError if there is no such loop. Throws ShapeError for an axis out of range, a 0-d `a`, or an `out` of another
  /// shape.
  Array accumulate(const Array& a, const AccumulateOptions& options = {}) const;

  /// Computes a[index] = f(a[index], b) for each index in C order, so that repeated indices count each time. On a GPU the order
  /// is unspecified if the ufunc is reorderable.
  ///
  /// `indices` count along axis 0, negative ones from its end. b broadcasts to indices.shape() + a.shape()[1:]. The call waits
  /// for work on the indices; for a host `a` on a GPU it waits for the result, too.
  ///
  /// Throws ShapeError for an index out of range and shapes that do not fit. Throws TypeError for a read-only `a`, indices that
  /// are not integers, and a loop whose result does not cast to a's dtype by same_kind. Nothing has been written then.
  void at(const Array& a, const Array& indices, const Arg& b, const AtOptions& options = {}) const;
  /// Computes the same with an array of indices for each of the first axes, broadcast together.
  void at(const Array& a, std::span<const Array> indices, const Arg& b, const AtOptions& options = {}) const;
  /// Computes the same from a list of arrays: f.at(a, {rows, columns}, b).
  void at(const Array& a, std::initializer_list<Array> indices, const Arg& b, const AtOptions& options = {}) const {
    at(a, std::span(indices.begin(), indices.size()), b, options);
  }
  /// Computes a[index] = f(a[index]) by a ufunc of one input.
  void at(const Array& a, const Array& indices, const AtOptions& options = {}) const;
  /// Computes the same with an array of indices for each of the first axes.
  void at(const Array& a, std::span<const Array> indices, const AtOptions& options = {}) const;
  /// Computes the same from a list of arrays: f.at(a, {rows, columns}).
  void at(const Array& a, std::initializer_list<Array> indices, const AtOptions& options = {}) const {
    at(a, std::span(indices.begin(), indices.size()), options);
  }

  /// Returns the result as an expression, inside kiln::fuse(). Throws TypeError for a wrong number of inputs or outputs.
  template <class... Args>
    requires detail::symbolic<Args...>
  Expr operator()(const Args&... args) const {
    const Expr list[] = {Expr(args)...};
    return detail::apply_one(impl(), list);
  }
  /// Returns the results of a ufunc of N outputs as expressions.
  template <std::size_t N, class... Args>
    requires detail::symbolic<Args...>
  std::array<Expr, N> outputs(const Args&... args) const {
    const Expr list[] = {Expr(args)...};
    std::array<Expr, N> results;
    detail::apply(impl(), list, results);
    return results;
  }
  /// Returns the results as expressions, for a number of arguments known at run time.
  [[nodiscard]] std::vector<Expr> outputs(std::span<const Expr> args) const;

  /// Returns the body as a device function for other linkers: a cuFFT callback, CUB's operators, numba-cuda, another kernel's
  /// `.link`. The target is that of compile(); each call compiles again.
  ///
  /// The function takes and returns scalars of the loop's dtypes. Several results go to pointers, which come first.
  ///
  /// Throws TypeError if the definition has several loops and none is chosen. Throws TypeError for a loop of halves or complex
  /// numbers, and for a form that the target's compiler does not make. Throws SignatureError for a name that is not a C++
  /// identifier, DeviceError for an unknown target, and CompileError.
  [[nodiscard]] DeviceCode device_code(std::string_view target, const DeviceCodeOptions& options = {}) const;

  /// Compiles the contiguous variant of every loop whose types are fixed, for a target with or without such a device. The
  /// target is "sm_90", "gfx90a", "x86-64-v3" or "native". Returns the number of kernels compiled or found in the cache.
  int compile(std::string_view target) const;

  /// Returns warnings about suspicious texts that compile, each once. The definition gives those that kiln finds on every
  /// device: `1/2 * a`, `1 < a < 3`, `0.1 * a` of float32.
  ///
  /// A compiler's warnings follow for each kernel that was needed so far, also for kernels from the cache. The log callback
  /// (cache::set_log) gets a line for each.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// Returns the definition's name.
  [[nodiscard]] const std::string& name() const;
  /// Returns the number of inputs.
  [[nodiscard]] int nin() const;
  /// Returns the number of outputs.
  [[nodiscard]] int nout() const;
  /// Returns the definition's identity: a C++ expression, empty if there is none.
  [[nodiscard]] const std::string& identity() const;
  /// Returns true if reductions may combine elements in any order and grouping, and therefore over several axes at once.
  [[nodiscard]] bool reorderable() const;

  /// Constructor for the library's own use.
  explicit Ufunc(std::shared_ptr<const detail::UfuncImpl> impl) noexcept : impl_(std::move(impl)) {}
  /// Accessor for the library's own use.
  [[nodiscard]] const std::shared_ptr<const detail::UfuncImpl>& impl() const { return impl_.get(); }

  /// @name Members that Callable uses
  /// @{
  void call(std::span<const Arg> args, const CallOptions* options, std::span<Array> results) const;
  [[nodiscard]] Resolution resolve_call(std::span<const Arg> args, const CallOptions* options) const;
  [[nodiscard]] cache::Contents compiled_call(std::span<const Arg> args, const CallOptions* options) const;
  /// @}

 private:
  detail::Shared<detail::UfuncImpl> impl_;
};

/// Makes a ufunc. Parses only: no library is opened and no file touched, so it may be a namespace-scope variable.
///
/// Calls may come before main(), but not while dlopen() loads the library that makes them. Another thread compiles the first
/// kernel and would wait for the loader forever.
///
/// Throws SignatureError for a name that is not a C++ identifier, a signature that cannot be parsed, or a define that is not a
/// macro. Throws CompileError for unclosed brackets, quotes or comments.
[[nodiscard]] KILN_API Ufunc vectorize(UfuncDefinition definition);
/// Makes a ufunc of one signature, without a name.
[[nodiscard]] KILN_API Ufunc vectorize(std::string_view signature, std::string_view body);
/// Makes a ufunc from one string, which parse_kernel() parses: vectorize("float32 f(float32 a) = a + 1").
[[nodiscard]] KILN_API Ufunc vectorize(std::string_view text);

/// Parses a whole kernel in one string. Throws SignatureError with the position of a mistake. Examples:
///   float32 f(float32 a, float32 b) = a + b
///   T f(T a) where T: float32, float64 { return a; }
///   (int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }
[[nodiscard]] KILN_API UfuncDefinition parse_kernel(std::string_view text);

namespace detail {
KILN_API Ufunc vectorize_typed(DType result, std::span<const DType> types, std::span<const std::string_view> texts);
template <class F>
struct Typed;
template <Element R, Element... P>
struct Typed<R(P...)> {
  template <class... Text>
  static Ufunc make(const Text&... texts) {
    static_assert(sizeof...(Text) == sizeof...(P) + 1, "one name for each parameter, then the body");
    constexpr DType types[] = {dtype_of<P>...};
    const std::string_view list[] = {texts...};
    return vectorize_typed(dtype_of<R>, types, list);
  }
};
}  // namespace detail

/// Makes a ufunc whose types are known at compile time: vectorize<float(float, float)>("a", "b", "return a * b;").
template <class F, class... Text>
  requires(std::is_function_v<F>)
[[nodiscard]] Ufunc vectorize(const Text&... names_then_body) {
  return detail::Typed<F>::make(names_then_body...);
}

}  // namespace kiln
