// Generalized universal functions from C++ strings. kiln::guvectorize() makes one: its body sees whole cores of its operands (a
// matrix, a row). One launch runs it over every item of the broadcast loop dimensions.
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
#include "kiln/resolution.hpp"
#include "kiln/stream.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// A generalized ufunc's definition. Members are to be named: designated initializers in this order. docs/gufuncs.md has the
/// grammar of layouts and the names available to bodies.
struct GufuncDefinition {
  std::string name = {};                     ///< a C++ identifier; shown in errors
  std::string layout = {};                   ///< core dimensions: "(m,n),(n,p)->(m,p)"
  std::vector<std::string> signatures = {};  ///< loops in order of preference: "void(float32[:,:] A, float32[:,:] B, …)"
  /// Indices of the body: "i:m, j:p" runs it once for each i in [0, m) and j in [0, p), in any order and concurrently.
  std::string each = {};
  /// Number of threads that share an item: "block", or a multiple of 32 up to 256. The body has lane, lanes, sync(),
  /// KILN_SHARED variables, shared<T>(count), team_sum(x), team_max, team_min and team_reduce(x, f). On a CPU the threads are
  /// lanes of vectors.
  std::string group = {};
  /// Arrays that shared<T>(count) gives, in any order: "T[n], index[2 * lanes]". Their sizes decide how many teams run at once
  /// on a GPU. If it is empty, a body that calls shared<T>() has all of the memory of a team.
  std::string shared = {};
  std::string sizes = {};       ///< sizes of dimensions that only outputs have: "p = m + n - 1"
  std::string body = {};        ///< C++ statements: operands by name as views, core dimensions as integers
  CompileOptions compile = {};  ///< texts beside the body, and the options of the compile
};

/// The options of a call. Every member has a default.
struct GufuncOptions {
  Outputs out = {};  ///< outputs, written in place; one may enlarge the loop, but is never broadcast
  /// Mask: bool, broadcast with the loop. Items with false are not computed: .out is unchanged there, other results are zero.
  ArrayArg where = {};
  /// Axes of each operand that are its core dimensions. The outputs may be omitted if none of them has core dimensions.
  std::vector<std::vector<int>> axes = {};
  std::optional<int> axis = std::nullopt;       ///< short form of axes, if all operands share one core dimension
  bool keepdims = false;                        ///< true: results have the inputs' core dimensions, with extent 1
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  Casting casting = Casting::same_kind;         ///< rule for every input and output of the chosen loop
  std::optional<DType> dtype = std::nullopt;    ///< forces the loop whose outputs have this dtype
  std::string_view signature = {};              ///< forces a loop: "float32, float32 -> float32" by dtype names
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
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
class KILN_API Gufunc : public detail::Callable<Gufunc, GufuncOptions, GufuncResolution> {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  Gufunc() noexcept = default;
  /// Returns true if the handle names a function.
  [[nodiscard]] bool valid() const noexcept { return impl_.valid(); }

  using Callable::resolve;
  /// Returns the plan of a call for arrays of these shapes, one for each input. The arrays are taken as packed, with the first
  /// loop's dtypes (float64 for type variables).
  [[nodiscard]] GufuncResolution resolve(std::span<const Shape> shapes, const GufuncOptions& options = {}) const;
  /// Returns the plan of a call for these shapes: f.resolve(Shape{8, 3, 4}, Shape{4, 5}).
  template <class... Shapes>
    requires(sizeof...(Shapes) > 0 && (std::is_same_v<Shapes, Shape> && ...))
  [[nodiscard]] GufuncResolution resolve(const Shapes&... shapes) const {
    const Shape list[] = {shapes...};
    return resolve(std::span<const Shape>(list));
  }

  /// Compiles every loop whose types are fixed, for a target with or without such a device: "sm_90", "gfx90a", "x86-64-v3",
  /// "native". Returns the number of kernels compiled or found in the cache.
  ///
  /// The kernels are those for many items of contiguous cores, with core sizes that are not constants of the kernel (more than
  /// 32).
  int compile(std::string_view target) const;

  /// Returns warnings about suspicious texts that compile, each once. The definition gives those that kiln finds on every
  /// device: `1/2 * a`, `1 < a < 3`, `0.1 * a` of float32.
  ///
  /// A compiler's warnings follow for each kernel that was needed so far, also for kernels from the cache. The log callback
  /// (cache::set_log) gets a line for each.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// Returns the definition's name.
  [[nodiscard]] const std::string& name() const;
  /// Returns the layout, unmodified: "(m,n),(n,p)->(m,p)".
  [[nodiscard]] const std::string& layout() const;
  /// Returns the number of inputs.
  [[nodiscard]] int nin() const;
  /// Returns the number of outputs.
  [[nodiscard]] int nout() const;

  /// Constructor for the library's own use.
  explicit Gufunc(std::shared_ptr<const detail::GufuncImpl> impl) noexcept : impl_(std::move(impl)) {}
  /// Accessor for the library's own use.
  [[nodiscard]] const std::shared_ptr<const detail::GufuncImpl>& impl() const { return impl_.get(); }

  /// @name Members that Callable uses
  /// @{
  void call(std::span<const Arg> args, const GufuncOptions* options, std::span<Array> results) const;
  [[nodiscard]] GufuncResolution resolve_call(std::span<const Arg> args, const GufuncOptions* options) const;
  [[nodiscard]] cache::Contents compiled_call(std::span<const Arg> args, const GufuncOptions* options) const;
  /// @}

 private:
  detail::Shared<detail::GufuncImpl> impl_;
};

/// Makes a generalized ufunc. Parses only: no library is opened and no file touched, so it may be a namespace-scope variable.
///
/// Calls may come before main(), but not while dlopen() loads the library that makes them. Another thread compiles the first
/// kernel and would wait for the loader forever.
///
/// Throws SignatureError, with the position, for a layout, signature, `.each`, `.shared`, `.sizes` or define that cannot be
/// parsed. Throws SignatureError for a name that is not a C++ identifier.
///
/// Throws CompileError for unclosed brackets, quotes or comments, and for a visible misuse of operands. Examples are a wrong
/// number of indices, an assignment to an input, and a view used as a number.
[[nodiscard]] KILN_API Gufunc guvectorize(GufuncDefinition definition);
/// Makes a generalized ufunc of one signature, without a name:
/// `guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 c)", "…")`.
[[nodiscard]] KILN_API Gufunc guvectorize(std::string_view layout, std::string_view signature, std::string_view body);
/// Makes a generalized ufunc from one string, which parse_gufunc() parses:
/// `guvectorize("(n)->()", "void f(float32[:] a, float32 b) { … }")`.
[[nodiscard]] KILN_API Gufunc guvectorize(std::string_view layout, std::string_view text);

/// Parses a whole kernel in one string, for that layout: "void mm(float32[:,:] A, float32[:,:] B, float32[:,:] C) { … }". The
/// result has its name, layout, signature and body. Throws SignatureError with the position of a mistake.
[[nodiscard]] KILN_API GufuncDefinition parse_gufunc(std::string_view layout, std::string_view text);

}  // namespace kiln
