// Generalized universal functions from C++ strings: kiln::guvectorize() makes one, whose body sees whole cores of its operands
// (a matrix, a row) and runs over every item of the broadcast loop dimensions in one launch.
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
#include "kiln/stream.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// A generalized ufunc's definition. Members are to be named: designated initializers in this order. docs/gufuncs.md has the
/// grammar of layouts and what bodies may use.
struct GufuncDefinition {
  std::string name = {};                     ///< a C++ identifier; shown in errors
  std::string layout = {};                   ///< core dimensions: "(m,n),(n,p)->(m,p)"
  std::vector<std::string> signatures = {};  ///< loops in order of preference: "void(float32[:,:] A, float32[:,:] B, …)"
  std::string each = {};  ///< "i:m, j:p": the body runs once for each i in [0, m) and j in [0, p), in any order and at once
  /// "block", or a multiple of 32 up to 256: that many threads share an item; the body has lane, lanes, sync(),
  /// shared<T>(count), team_sum(x), team_max, team_min, team_reduce(x, f). On a CPU they are lanes of vectors.
  std::string group = {};
  std::string sizes = {};       ///< of dimensions that only outputs have: "p = m + n - 1"
  std::string body = {};        ///< C++ statements: operands by name as views, core dimensions as integers
  CompileOptions compile = {};  ///< what stands beside the body, and how all of it is compiled
};

/// The options of a call. Every member has a default.
struct GufuncOptions {
  Outputs out = {};  ///< written in place; may enlarge the loop, is itself never broadcast
  Array where = {};  ///< bool, broadcast with the loop: items where it is false are not computed; .out keeps its values there,
                     ///< other results are zero
  std::vector<std::vector<int>> axes = {};  ///< of each operand, the axes that are its core dimensions; the outputs may be left
                                            ///< out where none of them has core dimensions
  std::optional<int> axis = std::nullopt;   ///< short for axes, where all operands share one core dimension
  bool keepdims = false;                    ///< results keep the inputs' core dimensions, with extent 1
  Stream stream = {};                       ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  Casting casting = Casting::same_kind;         ///< checked for every input and output of the chosen loop
  std::optional<DType> dtype = std::nullopt;    ///< forces the loop whose outputs have this dtype
  std::string_view signature = {};              ///< forces a loop: "float32, float32 -> float32" by dtype names
  std::stop_token stop = {};                    ///< where it is requested the call ends as a Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};  ///< after which the call ends as a Stopped; 0: no limit; TypeError where negative
};

/// What a call would do; from Gufunc::resolve().
struct GufuncResolution {
  std::string loop;                                         ///< the signature of the loop that runs
  std::vector<DType> dtypes;                                ///< of the loop's inputs and outputs
  std::vector<std::string> casts;                           ///< done in registers: "input 0 (A) from int32 to float64"
  Shape shape;                                              ///< of the loop
  std::vector<std::pair<std::string, std::int64_t>> sizes;  ///< of the core dimensions; a fixed one's name is its size
  std::vector<Shape> outputs;                               ///< whole shapes
  std::string mapping;                 ///< what a thread computes, "an item's (i, j)": docs/gufuncs.md lists all
  std::vector<std::string> constants;  ///< core dimensions and scalars that are constants of the kernel: "m = 8"
  std::vector<std::string> variants;   ///< how each operand's core lies: "input 0 (A): contiguous"
  Device device;                       ///< where it would run
  std::vector<std::string> copies;     ///< what cannot be used in place, and why; empty as a rule
};

/// An immutable, shareable function over arrays; calls from several threads are safe. Copies share the definition and its
/// compiled variants. Callable has the ways to write a call: f(a, b), f(a, b, {.out = c}), f.outputs<2>(a, b), f.resolve(a, b).
/// A call gives a host array for host arguments, else one on their device. TypeError, ShapeError, CompileError, DeviceError,
/// IoError (a header that is not found), SignatureError (a .signature that cannot be read); nothing has been written then, but
/// where a call went in chunks: its error says how many are done. Stopped where .stop or .timeout ended the call, which may
/// have written parts of its outputs.
class KILN_API Gufunc : public detail::Callable<Gufunc, GufuncOptions, GufuncResolution> {
 public:
  /// No function: valid() is false, and every other use is a TypeError.
  Gufunc() noexcept = default;
  /// Whether the handle names a function, or is empty.
  [[nodiscard]] bool valid() const noexcept { return impl_.valid(); }

  using Callable::resolve;
  /// What a call would do for arrays of these shapes, one for each input, packed and of the first loop's dtypes (float64 for
  /// type variables).
  [[nodiscard]] GufuncResolution resolve(std::span<const Shape> shapes, const GufuncOptions& options = {}) const;
  /// The same: f.resolve(Shape{8, 3, 4}, Shape{4, 5}).
  template <class... Shapes>
    requires(sizeof...(Shapes) > 0 && (std::is_same_v<Shapes, Shape> && ...))
  [[nodiscard]] GufuncResolution resolve(const Shapes&... shapes) const {
    const Shape list[] = {shapes...};
    return resolve(std::span<const Shape>(list));
  }

  /// Compiles every loop whose types are fixed, for many items of contiguous cores whose sizes are no constants of the kernel
  /// (more than 32), for a target with or without such a device: "sm_90", "gfx90a", "x86-64-v3", "native". Gives the number of
  /// kernels compiled or found in the cache.
  int compile(std::string_view target) const;

  /// What is doubtful in its texts although they compile, each finding once: at the definition what kiln sees on every device
  /// (`1/2 * a`, `1 < a < 3`, `0.1 * a` of float32), then what a compiler warned of for each kernel that was needed so far,
  /// also where it came from the cache. The log callback (cache::set_log) gets a line for each.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// The definition's name.
  [[nodiscard]] const std::string& name() const;
  /// The layout as it was written: "(m,n),(n,p)->(m,p)".
  [[nodiscard]] const std::string& layout() const;
  /// How many inputs it has.
  [[nodiscard]] int nin() const;
  /// How many outputs it has.
  [[nodiscard]] int nout() const;

  /// For kiln itself.
  explicit Gufunc(std::shared_ptr<const detail::GufuncImpl> impl) noexcept : impl_(std::move(impl)) {}
  [[nodiscard]] const std::shared_ptr<const detail::GufuncImpl>& impl() const { return impl_.get(); }  ///< for kiln itself

  /// @name What Callable's forms come down to.
  /// @{
  void call(std::span<const Arg> args, const GufuncOptions* options, std::span<Array> results) const;
  [[nodiscard]] GufuncResolution resolve_call(std::span<const Arg> args, const GufuncOptions* options) const;
  [[nodiscard]] cache::Contents compiled_call(std::span<const Arg> args, const GufuncOptions* options) const;
  /// @}

 private:
  detail::Shared<detail::GufuncImpl> impl_;
};

/// Makes a generalized ufunc. Only parses: no library is opened and no file touched, so it may be a namespace-scope variable.
/// Calls may come before main(), but not while dlopen() loads the library that makes them: the first kernel is compiled by
/// another thread, which would wait for the loader for ever.
/// SignatureError, with the position, for a name that is no C++ identifier and for a layout, signature, `.each`, `.sizes` or
/// define that cannot be read; CompileError for a body whose brackets, quotes or comments do not close, or whose text shows a
/// misuse of operands: another number of indices, an input that is written, a view as a number.
[[nodiscard]] KILN_API Gufunc guvectorize(GufuncDefinition definition);
/// One signature, no name: guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 c)", "…").
[[nodiscard]] KILN_API Gufunc guvectorize(std::string_view layout, std::string_view signature, std::string_view body);
/// The whole kernel in one string, as parse_gufunc() reads it: guvectorize("(n)->()", "void f(float32[:] a, float32 b) { … }").
[[nodiscard]] KILN_API Gufunc guvectorize(std::string_view layout, std::string_view text);

/// Reads a whole kernel in one string, for that layout: "void mm(float32[:,:] A, float32[:,:] B, float32[:,:] C) { … }". The
/// result has its name, layout, signature and body. SignatureError with the place otherwise.
[[nodiscard]] KILN_API GufuncDefinition parse_gufunc(std::string_view layout, std::string_view text);

}  // namespace kiln
