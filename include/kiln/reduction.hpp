// Reductions from C++ strings: kiln::reduction() makes one of a map, a combination of two accumulators and a last step, with
// any number of inputs and outputs, in one pass over memory: argmax, mean and variance, dot products.
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
#include "kiln/cache.hpp"
#include "kiln/callable.hpp"
#include "kiln/compile_options.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/error.hpp"
#include "kiln/export.hpp"
#include "kiln/methods.hpp"
#include "kiln/stream.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// A reduction's definition. Members are to be named: designated initializers in this order. Texts are C++ statements, as
/// bodies of ufuncs are, and may use the signature's type variables, .functions and the type `accumulator`.
struct ReductionDefinition {
  std::string name = {};                     ///< a C++ identifier; shown in errors
  std::vector<std::string> signatures = {};  ///< loops in order of preference, as of a ufunc; names come from the first
  /// Members of a struct, "float64 n, mean, m2;", 128 bytes at most. Empty: the accumulator has the type of the first output
  /// (float where that is float16 or bfloat16).
  std::string accumulator = {};
  /// From one element of each input, by name, to an accumulator: "return {1, x, 0};". `i` is the element's number among those
  /// that its output is made of, in C order, an int64. Empty, for one input: the element is converted.
  std::string map = {};
  std::string reduce = {};  ///< from two accumulators `a` and `b`, of which `a` comes first, to one
  /// From the accumulator `a` to the outputs: `return` one, or assign several by name. Empty: the accumulator itself, or its
  /// members of the outputs' names.
  std::string post = {};
  std::string identity = {};  ///< "{0, 0, 0}": what nothing gives; needed for empty axes and for .where; implies .reorderable
  /// Elements may be combined in any order and grouping; else strictly from first to last, on one axis.
  bool reorderable = false;
  CompileOptions compile = {};  ///< what stands beside the body, and how all of it is compiled
};

/// The options of a call of a reduction. Every member has a default.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): members are in the order in which users name them
struct ReductionOptions {
  Axes axis = Axes::all();                    ///< of what the inputs broadcast to
  bool keepdims = false;                      ///< reduced axes stay, with extent 1
  std::optional<Arg> initial = std::nullopt;  ///< a number in front of what the map gives; not of a struct
  Array where = {};  ///< bool, broadcast with the inputs: which elements count; wants an identity or .initial
  Outputs out = {};  ///< of exactly the results' shape; written in place
  std::optional<DType> dtype = std::nullopt;    ///< forces the loop whose outputs have this dtype
  std::string_view signature = {};              ///< forces a loop: "float32, float32 -> float64" by dtype names
  Casting casting = Casting::same_kind;         ///< checked for every input and output of the chosen loop
  Stream stream = {};                           ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  std::stop_token stop = {};                    ///< where it is requested the call ends as a Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};  ///< after which the call ends as a Stopped; 0: no limit; TypeError where negative
};

/// An immutable, shareable reduction; calls from several threads are safe. Copies share the definition and its compiled
/// variants. Results are the same on every run of one device, and on a CPU for any number of threads. Callable has the ways to
/// write a call: r(a, b), r(a, b, {.axis = 0}), r.outputs<2>(a), r.resolve(a). A call reduces the inputs, broadcast together,
/// along the axes: to a host array for host arguments, else to one on their device. Loops are chosen and scalars treated as in
/// calls of a Ufunc. TypeError, ShapeError, CompileError, DeviceError; nothing has been written then. Stopped where .stop
/// or .timeout ended the call, which may have written parts of its outputs. The variant of a Resolution is "contiguous" (along
/// what is reduced), "columns" (across it), "strided" or "empty".
class KILN_API Reduction : public detail::Callable<Reduction, ReductionOptions, Resolution> {
 public:
  /// No reduction: valid() is false, and every other use is a TypeError.
  Reduction() noexcept = default;
  /// Whether the handle names a reduction, or is empty.
  [[nodiscard]] bool valid() const noexcept { return impl_.valid(); }

  /// Compiles, for every loop whose types are fixed, what contiguous arrays run that are reduced whole: "sm_90", "gfx90a",
  /// "x86-64-v3", "native". Gives the number of kernels compiled or found in the cache.
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
  /// Whether elements may be combined in any order and grouping, and so over several axes at once.
  [[nodiscard]] bool reorderable() const;

  /// For kiln itself.
  explicit Reduction(std::shared_ptr<const detail::ReductionImpl> impl) noexcept : impl_(std::move(impl)) {}
  [[nodiscard]] const std::shared_ptr<const detail::ReductionImpl>& impl() const { return impl_.get(); }  ///< for kiln itself

  /// @name What Callable's forms come down to.
  /// @{
  void call(std::span<const Arg> args, const ReductionOptions* options, std::span<Array> results) const;
  [[nodiscard]] Resolution resolve_call(std::span<const Arg> args, const ReductionOptions* options) const;
  [[nodiscard]] cache::Contents compiled_call(std::span<const Arg> args, const ReductionOptions* options) const;
  /// @}

 private:
  detail::Shared<detail::ReductionImpl> impl_;
};

/// Makes a reduction. Only parses, as vectorize() does. SignatureError for a name that is no C++ identifier, for signatures and
/// stages that do not go together and for a define that is no macro; CompileError for a text whose brackets, quotes or comments
/// do not close.
[[nodiscard]] KILN_API Reduction reduction(ReductionDefinition definition);

/// combine.reduce(map(…)) as one kernel: the same loops, casts, roundings and errors, but what goes through memory are the
/// inputs of `map`, which may be a fused ufunc. `.dtype` of a call is that of `combine`'s loop, `.signature` is a TypeError.
/// Only parses. Its name is "add_of_multiply" where none is given; SignatureError for one that is no C++ identifier. TypeError
/// where `map` has not one output, `combine` not two inputs and one output, or their options do not go together (docs/fuse.md).
[[nodiscard]] KILN_API Reduction reduction(const Ufunc& map, const Ufunc& combine, std::string name = {});

}  // namespace kiln
