// Reductions from C++ strings: argmax, mean and variance, dot products. kiln::reduction() makes one of a map, a combination of
// two accumulators and a last step. It has any number of inputs and outputs, and reads memory once.
#pragma once

#include <array>
#include <chrono>
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
#include "kiln/methods.hpp"
#include "kiln/stream.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// A reduction's definition. Members are to be named: designated initializers in this order. Texts are C++ statements, like
/// bodies of ufuncs. They may use the signature's type variables, .functions and the type `accumulator`.
struct ReductionDefinition {
  std::string name = {};                     ///< a C++ identifier; shown in errors
  std::vector<std::string> signatures = {};  ///< loops in order of preference, as for a ufunc; names come from the first
  /// Members of a struct, "float64 n, mean, m2;", 128 bytes at most. Empty: the accumulator has the type of the first output
  /// (float if that is float16 or bfloat16).
  std::string accumulator = {};
  /// Conversion of one element of each input, by name, to an accumulator: "return {1, x, 0};". Empty, for one input: the
  /// element is converted.
  ///
  /// `i` is an int64: the element's number, in C order, among the elements that its output is made of.
  std::string map = {};
  std::string reduce = {};  ///< combination of two accumulators `a` and `b` to one; `a` comes first
  /// Conversion of the accumulator `a` to the outputs: `return` one, or assign several by name. Empty: the outputs are the
  /// accumulator, or its members of the same names.
  std::string post = {};
  /// Neutral element, the result for no elements: "{0, 0, 0}". Required for empty axes and for .where; implies .reorderable.
  std::string identity = {};
  /// True: elements may be combined in any order and grouping. False: strictly from first to last, on one axis.
  bool reorderable = false;
  CompileOptions compile = {};  ///< texts beside the body, and the options of the compile
};

/// The options of a call of a reduction. Every member has a default.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): members are in the order in which users name them
struct ReductionOptions {
  /// Axes that are reduced, counted in the broadcast shape of the inputs. By default all, where Ufunc::reduce takes axis 0.
  Axes axis = Axes::all();
  bool keepdims = false;                      ///< true: reduced axes stay, with extent 1
  std::optional<Arg> initial = std::nullopt;  ///< number that is combined before the mapped elements; invalid for a struct
  /// Mask: bool, broadcast with the inputs. Elements with false are ignored. Requires an identity or .initial.
  ArrayArg where = {};
  Outputs out = {};                             ///< outputs of exactly the results' shape; written in place
  std::optional<DType> dtype = std::nullopt;    ///< forces the loop whose outputs have this dtype
  std::string_view signature = {};              ///< forces a loop: "float32, float32 -> float64" by dtype names
  Casting casting = Casting::same_kind;         ///< rule for every input and output of the chosen loop
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
};

/// An immutable, shareable reduction; calls from several threads are safe. Copies share the definition and its compiled
/// variants. Callable has the ways to write a call: r(a, b), r(a, b, {.axis = 0}), r.outputs<2>(a), r.resolve(a).
///
/// A call reduces the inputs, broadcast together, along the axes. It returns a host array for host arguments, and an array on
/// their device otherwise. Loops and scalars follow the rules of Ufunc. Results are the same on every run of one device, and on
/// a CPU for any number of threads.
///
/// Throws TypeError, ShapeError, CompileError or DeviceError, with no output modified. Throws Stopped if .stop or .timeout
/// ended the call, which may have written parts of its outputs.
///
/// The variant of a Resolution is "contiguous" (along the reduced axes), "columns" (across them), "strided" or "empty".
class KILN_API Reduction : public detail::Callable<Reduction, ReductionOptions, Resolution> {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  Reduction() noexcept = default;
  /// Returns true if the handle names a reduction.
  [[nodiscard]] bool valid() const noexcept { return impl_.valid(); }

  /// Compiles every loop whose types are fixed, for contiguous arrays that are reduced whole. The target is "sm_90", "gfx90a",
  /// "x86-64-v3" or "native". Returns the number of kernels compiled or found in the cache.
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
  /// Returns true if elements may be combined in any order and grouping, and therefore over several axes at once.
  [[nodiscard]] bool reorderable() const;

  /// Constructor for the library's own use.
  explicit Reduction(std::shared_ptr<const detail::ReductionImpl> impl) noexcept : impl_(std::move(impl)) {}
  /// Accessor for the library's own use.
  [[nodiscard]] const std::shared_ptr<const detail::ReductionImpl>& impl() const { return impl_.get(); }

  /// @name Members that Callable uses
  /// @{
  void call(std::span<const Arg> args, const ReductionOptions* options, std::span<Array> results) const;
  [[nodiscard]] Resolution resolve_call(std::span<const Arg> args, const ReductionOptions* options) const;
  [[nodiscard]] cache::Contents compiled_call(std::span<const Arg> args, const ReductionOptions* options) const;
  /// @}

 private:
  detail::Shared<detail::ReductionImpl> impl_;
};

/// Makes a reduction. Parses only, by the rules of vectorize().
///
/// Throws SignatureError for an invalid name, a define that is not a macro, and signatures and stages that do not fit together.
/// A name is a C++ identifier. Throws CompileError for unclosed brackets, quotes or comments.
[[nodiscard]] KILN_API Reduction reduction(ReductionDefinition definition);

/// Makes combine.reduce(map(…)) as one kernel, with the same loops, casts, roundings and errors. Only the inputs of `map`,
/// which may be a fused ufunc, go through memory. Parses only.
///
/// `.dtype` of a call is the dtype of `combine`'s loop; `.signature` throws TypeError. The default name is of the form
/// "add_of_multiply". Throws SignatureError for a name that is not a C++ identifier.
///
/// Throws TypeError unless `map` has one output and `combine` two inputs and one output. Throws TypeError if their options are
/// incompatible (docs/fuse.md).
[[nodiscard]] KILN_API Reduction reduction(const Ufunc& map, const Ufunc& combine, std::string name = {});

}  // namespace kiln
