// Universal functions from C++ strings: kiln::vectorize() makes one, calling it compiles (once) and runs it element by
// element over arrays, with NumPy's broadcasting, casting and promotion.
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
#include "kiln/cache.hpp"
#include "kiln/callable.hpp"
#include "kiln/compile_options.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/error.hpp"
#include "kiln/export.hpp"
#include "kiln/expr.hpp"
#include "kiln/methods.hpp"
#include "kiln/stream.hpp"

namespace kiln {

/// The outputs to write to: one array, or one for each output of the ufunc. Of several some may be empty handles, {Array(), r}:
/// those outputs are fresh, as for None in NumPy.
class Outputs {
 public:
  /// None: every output is fresh.
  Outputs() = default;
  /// One array.
  Outputs(const Array& array) : arrays_{array} {}  // NOLINT(google-explicit-constructor)
  /// One for each output, in their order.
  Outputs(std::initializer_list<Array> arrays) : arrays_(arrays) {}
  /// The same.
  Outputs(std::vector<Array> arrays) : arrays_(std::move(arrays)) {}  // NOLINT(google-explicit-constructor)
  /// As given; empty: none was.
  [[nodiscard]] std::span<const Array> arrays() const noexcept { return arrays_; }
  /// Whether no output was given.
  [[nodiscard]] bool empty() const noexcept { return arrays_.empty(); }

 private:
  std::vector<Array> arrays_;
};

/// The options of a call. Every member has a default.
struct CallOptions {
  Outputs out = {};    ///< written in place; never broadcast, never reallocated
  Array where = {};    ///< bool, broadcast with the arguments: where it is false nothing is computed; .out keeps its values
                       ///< there, other results are zero
  Stream stream = {};  ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  Casting casting = Casting::same_kind;         ///< checked for every input and output of the chosen loop
  std::optional<DType> dtype = std::nullopt;    ///< forces the loop whose outputs have this dtype
  std::string_view signature = {};              ///< forces a loop: "float32, float32 -> float32" by dtype names
  std::stop_token stop = {};                    ///< where it is requested the call ends as a Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};  ///< after which the call ends as a Stopped; 0: no limit; TypeError where negative
};

/// A ufunc's definition. Members are to be named: designated initializers in this order.
struct UfuncDefinition {
  std::string name = {};                     ///< a C++ identifier; shown in errors
  std::vector<std::string> signatures = {};  ///< loops in order of preference; names come from the first
  std::string body = {};                     ///< C++ statements: `return` one output, or assign several by name
  std::string expression = {};               ///< instead of a body: the one output as a C++ expression
  std::string identity = {};                 ///< of a binary ufunc: f(identity, x) is x; a C++ expression, "0", "-INFINITY"
  bool reorderable = false;       ///< reductions may combine elements in any order and grouping; an identity implies it
  bool widens_integers = false;   ///< reductions of bool and small integers run in 64 bits, as NumPy's add and multiply do
  bool bools_are_numbers = true;  ///< false: arguments that are all bool find loops of bool alone, as NumPy's subtract has it
  CompileOptions compile = {};    ///< what stands beside the body, and how all of it is compiled
};

/// What a call would do; from Ufunc::resolve().
struct Resolution {
  std::string loop;                ///< the signature of the loop that runs
  std::vector<DType> dtypes;       ///< of the loop's inputs and outputs
  std::vector<std::string> casts;  ///< done in registers: "input 0 (a) from int32 to float64"
  Shape shape;                     ///< broadcast shape of the result
  /// "contiguous", "inner-contiguous", "strided", on a GPU also "tiled" (operands whose nearest axis is not the loop's);
  /// "empty": there is nothing to run.
  std::string variant;
  Device device;                    ///< where it would run
  std::vector<std::string> copies;  ///< what cannot be used in place, and why; empty as a rule
};

/// An immutable, shareable function over arrays; calls from several threads are safe. Copies share the definition and its
/// compiled variants. Callable has the ways to write a call: f(a, b), f(a, b, {.out = c}), f.outputs<2>(a, b), f.resolve(a, b).
/// A call gives a host array for host arguments, else one on their device. TypeError, ShapeError, CompileError, DeviceError,
/// IoError (a header that is not found), SignatureError (a .signature that cannot be read); nothing has been written then, but
/// where a call went in chunks: its error says how many are done. Stopped where .stop or .timeout ended the call, which may
/// have written parts of its outputs.
class KILN_API Ufunc : public detail::Callable<Ufunc, CallOptions, Resolution> {
 public:
  /// No function: valid() is false, and every other use is a TypeError.
  Ufunc() noexcept = default;
  /// Whether the handle names a function, or is empty.
  [[nodiscard]] bool valid() const noexcept { return impl_.valid(); }

  using Callable::operator();
  using Callable::outputs;

  /// Combines the elements along axes of `a` by a ufunc of two inputs and one output: a host array for a host array, else one
  /// on its device. docs/reductions.md has the rules. Floating results are the same on every run, and for any number of
  /// threads. TypeError, ShapeError, CompileError, DeviceError; nothing has been written then.
  Array reduce(const Array& a, const ReduceOptions& options = {}) const;

  /// Combines the elements of segments along one axis: from each index to the next, the last one to the end; where the next is
  /// not larger, the element at the index. `indices`: one axis of integers of any dtype, on the host or a device, each in range
  /// (ShapeError, with nothing written).
  Array reduceat(const Array& a, const Array& indices, const AccumulateOptions& options = {}) const;

  /// The function of every pair of elements of `a` and `b`: what f(a with axes of 1 appended for each of b's, b) gives. The
  /// result has shape a.shape() + b.shape(). TypeError unless two inputs give one output; else errors as of a call.
  Array outer(const Arg& a, const Arg& b, const CallOptions& options = {}) const;

  /// The running results along an axis, of a's shape: out[0] = a[0], out[i] = f(out[i - 1], a[i]). The loop is (T, T) -> T,
  /// chosen as NumPy's; ufuncs with .widens_integers widen bool and small integers to 64 bits unless dtype or out say
  /// otherwise. Floating results of a reorderable ufunc are grouped by the shape alone: the same for any number of threads.
  /// TypeError where there is no such loop; ShapeError for an axis that `a` has not, a 0-d `a`, or an `out` of another shape.
  Array accumulate(const Array& a, const AccumulateOptions& options = {}) const;

  /// For each index in C order, a[index] = f(a[index], b), so that repeated indices count each time (on a GPU in no particular
  /// order where the ufunc is reorderable). `indices` count along axis 0, negative ones from its end; b broadcasts to
  /// indices.shape() + a.shape()[1:]. ShapeError for an index out of range and shapes that do not fit, TypeError for a
  /// read-only `a`, indices that are no integers, and a loop whose result does not cast to a's dtype by same_kind. Nothing has
  /// been written then. Waits for work on the indices; with a GPU's host `a` also for the result.
  void at(const Array& a, const Array& indices, const Arg& b, const AtOptions& options = {}) const;
  /// The same with an array for each of the first axes, broadcast together.
  void at(const Array& a, std::span<const Array> indices, const Arg& b, const AtOptions& options = {}) const;
  /// The same: f.at(a, {rows, columns}, b).
  void at(const Array& a, std::initializer_list<Array> indices, const Arg& b, const AtOptions& options = {}) const {
    at(a, std::span(indices.begin(), indices.size()), b, options);
  }
  /// Of a ufunc of one input: a[index] = f(a[index]).
  void at(const Array& a, const Array& indices, const AtOptions& options = {}) const;
  /// The same with an array for each of the first axes.
  void at(const Array& a, std::span<const Array> indices, const AtOptions& options = {}) const;
  /// The same.
  void at(const Array& a, std::initializer_list<Array> indices, const AtOptions& options = {}) const {
    at(a, std::span(indices.begin(), indices.size()), options);
  }

  /// Symbolically, inside kiln::fuse(): the results as expressions. TypeError for a wrong number of inputs or outputs.
  template <class... Args>
    requires detail::symbolic<Args...>
  Expr operator()(const Args&... args) const {
    const Expr list[] = {Expr(args)...};
    return detail::apply_one(impl(), list);
  }
  /// The same for a ufunc of N outputs.
  template <std::size_t N, class... Args>
    requires detail::symbolic<Args...>
  std::array<Expr, N> outputs(const Args&... args) const {
    const Expr list[] = {Expr(args)...};
    std::array<Expr, N> results;
    detail::apply(impl(), list, results);
    return results;
  }
  /// The same for a number of arguments that only the run knows.
  [[nodiscard]] std::vector<Expr> outputs(std::span<const Expr> args) const;

  /// The body as a device function that others link: a cuFFT callback, CUB's operators, numba-cuda, another kernel's `.link`.
  /// It takes and gives scalars of the loop's dtypes; several results go to pointers, which come first. Compiled for a target
  /// as of compile(), anew each time. TypeError where the definition has several loops and none is chosen, for a loop of halves
  /// or complex numbers, and for a form that the target's compiler does not make; SignatureError for a name that is no C++
  /// identifier; CompileError; DeviceError for an unknown target.
  [[nodiscard]] DeviceCode device_code(std::string_view target, const DeviceCodeOptions& options = {}) const;

  /// Compiles the contiguous variant of every loop whose types are fixed for a target, with or without such a device:
  /// "sm_90", "gfx90a", "x86-64-v3", "native". Gives the number of kernels compiled or found in the cache.
  int compile(std::string_view target) const;

  /// What is doubtful in its texts although they compile, each finding once: at the definition what kiln sees on every device
  /// (`1/2 * a`, `1 < a < 3`, `0.1 * a` of float32), then what a compiler warned of for each kernel that was needed so far,
  /// also where it came from the cache. The log callback (cache::set_log) gets a line for each.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// The definition's name.
  [[nodiscard]] const std::string& name() const;
  /// How many inputs it has.
  [[nodiscard]] int nin() const;
  /// How many outputs it has.
  [[nodiscard]] int nout() const;
  /// The definition's: a C++ expression, empty where there is none.
  [[nodiscard]] const std::string& identity() const;
  /// Whether reductions may combine elements in any order and grouping, and so over several axes at once.
  [[nodiscard]] bool reorderable() const;

  /// For kiln itself.
  explicit Ufunc(std::shared_ptr<const detail::UfuncImpl> impl) noexcept : impl_(std::move(impl)) {}
  [[nodiscard]] const std::shared_ptr<const detail::UfuncImpl>& impl() const { return impl_.get(); }  ///< for kiln itself

  /// @name What Callable's forms come down to.
  /// @{
  void call(std::span<const Arg> args, const CallOptions* options, std::span<Array> results) const;
  [[nodiscard]] Resolution resolve_call(std::span<const Arg> args, const CallOptions* options) const;
  [[nodiscard]] cache::Contents compiled_call(std::span<const Arg> args, const CallOptions* options) const;
  /// @}

 private:
  detail::Shared<detail::UfuncImpl> impl_;
};

/// Makes a ufunc. Only parses: no library is opened and no file touched, so it may be a namespace-scope variable.
/// Calls may come before main(), but not while dlopen() loads the library that makes them: the first kernel is compiled by
/// another thread, which would wait for the loader for ever.
/// SignatureError for a name that is no C++ identifier, a signature that cannot be read or a define that is no macro;
/// CompileError for a body whose brackets, quotes or comments do not close.
[[nodiscard]] KILN_API Ufunc vectorize(UfuncDefinition definition);
/// One signature, no name.
[[nodiscard]] KILN_API Ufunc vectorize(std::string_view signature, std::string_view body);
/// The whole kernel in one string, as parse_kernel() reads it: vectorize("float32 f(float32 a) = a + 1").
[[nodiscard]] KILN_API Ufunc vectorize(std::string_view text);

/// Reads a whole kernel in one string: "float32 f(float32 a, float32 b) = a + b", "T f(T a) where T: float32, float64 { return
/// a; }",
/// "(int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }". SignatureError with the place otherwise.
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

/// The form for those who know their types: vectorize<float(float, float)>("a", "b", "return a * b;").
template <class F, class... Text>
  requires(std::is_function_v<F>)
[[nodiscard]] Ufunc vectorize(const Text&... names_then_body) {
  return detail::Typed<F>::make(names_then_body...);
}

}  // namespace kiln
