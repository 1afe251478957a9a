// What one compiled kernel is specialized for. Pure values: render() turns one and the user's text into source.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kiln/device.hpp"
#include "kiln/dtype.hpp"

namespace kiln::codegen {

/// How the kernel reaches an operand along the innermost dimension.
enum class Access : std::uint8_t {
  contiguous,  ///< stride is the itemsize
  broadcast,   ///< stride 0 innermost (other dimensions may move): loaded once per row
  strided,     ///< any stride, known at launch
  scalar,      ///< the value travels as a kernel argument
};

struct OperandSpec {
  DType storage = DType::float64;  ///< dtype in memory (of a scalar: equal to compute)
  DType compute = DType::float64;  ///< dtype of the loop; converted in registers
  Access access = Access::contiguous;
};

/// What a mask does: elements where it is false are not computed.
enum class Masking : std::uint8_t {
  none,  ///< there is none
  zero,  ///< their outputs are set to zero
  keep,  ///< their outputs stay as they were
};

/// For which elements that a mask leaves out a CPU may compute the body all the same.
enum class Speculation : std::uint8_t {
  none,    ///< for none: it is skipped
  blocks,  ///< for those beside one that counts: it is expensive, and blocks of which none does are skipped
  free,    ///< for any
};

struct ElementwiseSpec {
  std::vector<OperandSpec> inputs =
      {};  ///< the arguments; then, if masking, the mask; then on the CPU, if keeping, each output
  std::vector<OperandSpec> outputs = {};
  int rank = 1;              ///< 1: one merged dimension. CPU: 2 stands for any higher. GPU: the exact merged rank, up to 8
  int width = 1;             ///< GPU: elements per access
  int unroll = 1;            ///< GPU: accesses in flight per thread
  bool wide_index = false;   ///< GPU: 64-bit index
  bool aliased = false;      ///< an output is also an input: no __restrict__
  bool nontemporal = false;  ///< CPU: stores past the cache (no operand strided, rank 1)
  Masking masking = Masking::none;
  Speculation speculation = Speculation::none;  ///< CPU, if masking: see speculation_of()
  std::size_t arguments = 0;                    ///< of `inputs`, those that are the body's, if masking
};

/// How the threads of a GPU share a reduction.
enum class Mapping : std::uint8_t {
  thread,   ///< each its own output, from the first element to the last
  warp,     ///< a warp for an output
  block,    ///< a block for an output, or for a part of one
  columns,  ///< 32 outputs that lie together for a block, whose rows of threads share the reduced elements
};

/// A reduction: each element becomes an accumulator, accumulators are combined, and what is left becomes the results: by the
/// user's stages (UserText::stages), or for a ufunc by casts around its operation. See kernels-src/reduction/reduction.hpp.
struct ReductionSpec {
  /// Access::scalar and Access::broadcast (one value for all elements), or any other.
  std::vector<OperandSpec> inputs = {};
  std::vector<OperandSpec> outputs = {};
  bool identity = false;            ///< UserText::identity takes part
  bool masked = false;              ///< a bool operand follows the inputs: which elements count
  bool stages = false;              ///< UserText::stages is there
  bool indexed = false;             ///< stages: an operand follows the inputs and the mask: each element's number
  bool leads = false;               ///< stages: the identity stands in front of the elements, as a ufunc's does
  bool speculative = true;          ///< masked: elements that do not count may be mapped
  int state_bytes = 0;              ///< stages: of an accumulator, at most
  bool ordered = false;             ///< strictly from the first element to the last
  Mapping mapping = Mapping::warp;  ///< GPU
  int kept_rank = 1;                ///< GPU: merged axes that the result has
  int reduced_rank = 1;             ///< GPU: merged axes that it has not
  /// GPU: outputs are of segments of the one reduced axis, which are a kept axis; an operand follows that says where they begin
  bool segmented = false;
  int width = 1;            ///< GPU: elements per access, along the innermost reduced axis
  bool wide_index = false;  ///< GPU: 64-bit index
};

/// The running results of f: out[0] = a[0], out[i] = f(out[i - 1], a[i]).
struct ScanSpec {
  OperandSpec input = {};         ///< in memory, and as f takes and gives it
  DType output = DType::float64;  ///< in memory
  bool reorderable = false;       ///< f may be applied in any grouping
};

/// What a device changes in memory in one operation.
enum class Atomic : std::uint8_t { none, add, minimum, maximum, bit_and, bit_or, bit_xor };

/// a[index] = f(a[index], b), or f(a[index]), in place.
struct ScatterSpec {
  OperandSpec target = {};                          ///< elements of a: in memory, and as f takes them
  DType result = DType::float64;                    ///< of the loop; converted to the target's dtype
  std::optional<OperandSpec> value = std::nullopt;  ///< elements of b; none of a ufunc of one input
  bool ordered = false;          ///< GPU: what meets in an element is applied in order; else by atomic operations
  Atomic atomic = Atomic::none;  ///< GPU: the one that f is, if any
};

/// Of items that lie apart as the launch says: kernels-src/gufunc/staged_cpu.hpp.
inline constexpr std::int64_t kAnyStride = -2;

/// One operand of a generalized ufunc.
struct CoreOperandSpec {
  OperandSpec element = {};                  ///< scalar: the value travels as a kernel argument (GPU)
  std::vector<std::size_t> dimensions = {};  ///< its core dimensions, as indices into GufuncSpec::dimensions
  int unit = -1;                             ///< which of them has the itemsize as its stride; -1: none
  bool packed = false;                       ///< all of them lie one behind the other, in C order
  bool as_view = false;                      ///< of no core dimensions, but a view of one element in the body
  /// In elements, of loop_rank 0 on the CPU; -1: as many as the core has; kAnyStride. Where several items are computed or
  /// brought at once, 0 of one that all share, else -1.
  std::int64_t item_stride = -1;
};

struct CoreDimensionSpec {
  std::string name = {};                            ///< empty: the body has no name for it
  std::optional<std::int64_t> size = std::nullopt;  ///< where it is a constant of the kernel
};

/// A core dimension that is spread over threads, and its index in the body.
struct EachSpec {
  std::string name = {};
  std::size_t dimension = 0;
};

/// A body over whole cores: once for each item of the loop, or for each index of some core dimensions.
struct GufuncSpec {
  std::vector<CoreOperandSpec> inputs = {};
  std::vector<CoreOperandSpec> outputs = {};
  std::vector<CoreDimensionSpec> dimensions = {};
  std::vector<EachSpec> each = {};  ///< the last one moves fastest
  bool masked = false;              ///< a bool operand follows the inputs: which items are computed
  bool lanes =
      false;  ///< CPU: several indices of the last of .each at once, or several items, see kernels-src/gufunc/lanes.hpp
  bool folded = false;      ///< CPU, of lanes: they are items all the same, and the indices of .each are loops around the body
  int brought = 0;          ///< CPU: items packed into a buffer at once where their cores lie apart; 0: they stay there
  int team = 0;             ///< lanes of a team that shares an item; 0: there are no teams
  int team_bytes = 0;       ///< of the memory that a team shares
  int loop_rank = 1;        ///< GPU: merged ones. CPU: 0 for items whose strides are constants of the kernel
  bool wide_index = false;  ///< GPU: 64-bit index
};

/// How a raw kernel is launched.
enum class RawForm : std::uint8_t {
  items,   ///< the body runs once for each of a number of items
  blocks,  ///< once for each thread of a grid of blocks. CPU: one thread after the other, which share and wait for nothing
  single,  ///< CPU: the same with one thread in each block. GPUs have no such form
};

struct RawParameter {
  DType dtype = DType::float64;
  bool array = false;
  bool constant = false;  ///< an array that is only read
};

/// A raw kernel: the user's text is all that a thread does.
struct RawSpec {
  std::vector<RawParameter> parameters = {};
  RawForm form = RawForm::blocks;
};

/// The kinds of kernels around a user's operation. Each has overloads of the functions of kernel_text.hpp.
using KernelSpec = std::variant<ElementwiseSpec, ReductionSpec, ScanSpec, ScatterSpec, GufuncSpec, RawSpec>;

/// What stands around the body of a reduction of stages, which combines two accumulators `a` and `b` to one.
struct Stages {
  std::string accumulator = {};           ///< members of a struct; empty: the type of the first output
  std::vector<std::string> members = {};  ///< their names, where they are known
  std::string map = {};                   ///< from the inputs, and the index `i`, to an accumulator; empty: the one input
  std::string post = {};  ///< from an accumulator `a` to the outputs; empty: itself, or its members of their names
  bool leads = false;     ///< the identity stands in front of the elements, as a ufunc's does
};

/// The user's side of a kernel.
struct UserText {
  std::string name = {};  ///< of the kernel
  std::string body = {};
  std::optional<Stages> stages = std::nullopt;
  bool expression = false;    ///< body is an expression (kiln eval), not statements
  std::string identity = {};  ///< an expression; only for kernels that use it
  std::string preamble = {};
  std::string functions = {};
  std::vector<std::string> defines = {};       ///< "NAME" or "NAME=VALUE"
  std::vector<std::string> input_names = {};   ///< empty string: unnamed
  std::vector<std::string> output_names = {};  ///< empty vector: one unnamed output, returned
  std::vector<std::pair<std::string, DType>> type_variables = {};
};

/// The texts that are shown under names of their own in diagnostics: "name.defines", "name.preamble" and the like, with the
/// body as the last.
std::vector<std::pair<std::string, std::string>> texts_of(const UserText& text);

class IntegerDivisions;

/// The translation unit for that target: includes only the headers of kernels-src that the text needs, the user's text under
/// #line, with its divisions of integers defined, and one kernel named kiln_kernel with the parameters of
/// kernels-src/elementwise.hpp. Pure.
std::string render(const UserText& text, const KernelSpec& spec, DeviceKind target);
/// The same with the headers to include, from needed_headers(), and the divisions to define; without them the text as it is
/// written.
std::string render(const UserText& text, const KernelSpec& spec, DeviceKind target, const std::vector<std::string>& headers,
                   const IntegerDivisions& divisions);

/// The device-side headers by the name in #include ("kiln/core/portable.hpp" → text), embedded at build time.
const std::map<std::string, std::string>& embedded_headers();

/// Throws CompileError where brackets, quotes or comments in a text do not close, where it closes more than it opens, ends in a
/// backslash, or holds control characters: such a text could change the code around it. `file` is the name shown.
void check_text(const std::string& file, const std::string& text);

/// Whether the text has one of these names, in code that no directive leaves out or not. False for a text that does not scan.
bool names_any(std::string_view text, std::span<const std::string_view> names);

/// check_text for UserText::expression: no ';' outside brackets, no preprocessor directive, not empty.
void check_expression(const std::string& file, const std::string& text);

/// Every file that an #include in `roots`, or one of the names in `needed`, can reach, by the name that it is included under.
/// Names in `given` come first, then include_dirs, then embedded_headers(). IoError for a file not found (with the folders
/// searched); CompileError for a computed include, and for an absolute name or one with ".." that leads out of all
/// include_dirs, whose file is not opened. A name in __has_include counts as included; what else would let a file take part
/// unseen (#embed, __has_embed, an assembler's .incbin) is a CompileError. Only the embedded headers reached are returned, too.
std::map<std::string, std::string> resolve_includes(const std::vector<std::pair<std::string, std::string>>& roots,
                                                    const std::map<std::string, std::string>& given,
                                                    const std::vector<std::string>& include_dirs,
                                                    const std::vector<std::string>& needed = {});

/// The same for a text that may be anyone's: no file is read. Nothing where a name is neither given nor embedded; `missing` is
/// that name then.
std::optional<std::map<std::string, std::string>> included_texts(const std::string& file, const std::string& text,
                                                                 const std::map<std::string, std::string>& given,
                                                                 std::string* missing);

}  // namespace kiln::codegen
