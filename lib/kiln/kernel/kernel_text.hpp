// The part of a translation unit that knows operands and not the user's text: how elements get from memory to the body and
// back. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/integer_divisions.hpp"
#include "kernel/spec.hpp"

namespace kiln::kinds {

/// The name of the element type in the device-side headers.
std::string type_name(DType dtype);
/// The type that a body's parameter of that dtype has: halves arrive as float (see types.hpp).
std::string body_type(DType dtype);
/// The type in memory: a bool is a byte.
std::string stored_name(DType dtype);

/// The text as a string literal.
std::string string_literal(std::string_view text);

/// An expression for an element in memory, as the body gets it.
std::string loaded(const OperandSpec& operand, const std::string& element);
/// An expression for a result, as it goes to memory.
std::string stored(const OperandSpec& operand, const std::string& result);
/// "float32 r0{}; operation(r0, …);" with the given arguments, one for each input, and the mask as the last one if masking. In
/// debug mode the body runs where the mask is true alone, and its results are checked.
std::string evaluation(const ElementwiseSpec& spec, const std::vector<std::string>& arguments, const Debug& debug = {});

/// The dtypes that the user's body is compiled for.
struct Operation {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  bool rounds = true;  ///< halves among the outputs are rounded; otherwise the body gives an `unrounded` (half.hpp)
};

/// The type of an output as the body gives it.
std::string result_type(const Operation& operation, std::size_t output);
/// "KILN_FN ::kiln::float32 kiln_body(::kiln::float32 a)": the function that the user's body is the inside of. Outputs that the
/// body assigns come first, as references; names are the user's, unnamed inputs have none.
std::string body_declaration(const codegen::UserText& text, const Operation& operation);

/// What stands around the user's body: text before the namespace of the user's, the function that the body is the inside of,
/// and text between that namespace and the kernel.
struct Frame {
  std::string before;
  std::string declaration;
  std::string closing;  ///< behind the body
  std::string after;
  std::vector<std::string_view> places = {};  ///< names in the declaration that are kiln's
};
/// Around an operation on elements.
Frame frame_of(const codegen::UserText& text, const Operation& operation);
/// Around a body that takes views.
Frame frame_of(const codegen::UserText& text, const GufuncSpec& spec);
/// Around a raw kernel's, which is all that a thread does.
Frame frame_of(const codegen::UserText& text, const RawSpec& spec, DeviceKind target);

// For each alternative of KernelSpec:
/// What its kernel computes.
Operation operation_of(const ElementwiseSpec& spec);
Operation operation_of(const ReductionSpec& spec);
Operation operation_of(const ScanSpec& spec);
Operation operation_of(const ScatterSpec& spec);
Operation operation_of(const GufuncSpec& spec);
Operation operation_of(const RawSpec& spec);
/// Every dtype of its operands in memory.
std::vector<DType> storage_of(const ElementwiseSpec& spec);
std::vector<DType> storage_of(const ReductionSpec& spec);
std::vector<DType> storage_of(const ScanSpec& spec);
std::vector<DType> storage_of(const ScatterSpec& spec);
std::vector<DType> storage_of(const GufuncSpec& spec);
std::vector<DType> storage_of(const RawSpec& spec);
/// The header of kernels-src with its loop.
std::string loop_header(const ElementwiseSpec& spec, DeviceKind target);
std::string loop_header(const ReductionSpec& spec, DeviceKind target);
std::string loop_header(const ScanSpec& spec, DeviceKind target);
std::string loop_header(const ScatterSpec& spec, DeviceKind target);
std::string loop_header(const GufuncSpec& spec, DeviceKind target);
std::string loop_header(const RawSpec& spec, DeviceKind target);
/// The kernel: it stands in namespace kiln::loops and calls operation(r0, …, a0, …).
std::string kernel_text(const ElementwiseSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string kernel_text(const ReductionSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string kernel_text(const ScanSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string kernel_text(const ScatterSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string kernel_text(const GufuncSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string kernel_text(const RawSpec& spec, const codegen::UserText& text, DeviceKind target);

std::string cpu_kernel(const ElementwiseSpec& spec);
std::string checked_cpu_kernel(const ElementwiseSpec& spec, const Debug& debug);
std::string gpu_kernel(const ElementwiseSpec& spec, const Debug& debug);
std::string strip_kernel(const ElementwiseSpec& spec, const Debug& debug);
std::string tiled_kernel(const ElementwiseSpec& spec, const Debug& debug);
std::string reduction_cpu(const ReductionSpec& spec, const codegen::UserText& text);
std::string reduction_gpu(const ReductionSpec& spec, const codegen::UserText& text);
std::string segments_gpu(const ReductionSpec& spec, const codegen::UserText& text);
std::string gufunc_cpu(const GufuncSpec& spec);
std::string gufunc_gpu(const GufuncSpec& spec, const Debug& debug, DeviceKind target);
std::string staged_kernel(const GufuncSpec& spec);

/// A text of the user's with what stands before it.
struct Piece {
  std::string before;
  std::string file = {};  ///< empty: no text follows
  std::string text = {};
};
/// Of a reduction of stages: accumulator, map, reduce, post and identity, as functions in the user's namespace.
std::vector<Piece> stages_of(const codegen::UserText& text, const ReductionSpec& spec);

/// How many of the inputs are the body's.
std::size_t arguments_of(const ElementwiseSpec& spec);

/// The operation that f is, on a GPU: of a text like "return a + b;" without functions or a preamble of its own.
Atomic atomic_of(const codegen::UserText& text, const ScatterSpec& spec);

/// The headers that a kernel includes, its loop's as the last. `divisions` are those that are defined; `included` is what the
/// texts include.
std::vector<std::string> needed_headers(const codegen::UserText& text, const KernelSpec& spec, DeviceKind target,
                                        const IntegerDivisions& divisions = {},
                                        const std::map<std::string, std::string>& included = {});

/// render() with the headers to include and the divisions to define. `included`: the files that the user's texts include, whose
/// macros change nothing of kiln's.
std::string render(const codegen::UserText& text, const KernelSpec& spec, DeviceKind target,
                   const std::vector<std::string>& headers, const IntegerDivisions& divisions,
                   const std::map<std::string, std::string>& included);

/// Whether the n-dimensional form of the GPU's loop is needed.
bool needs_nd(const ElementwiseSpec& spec);

}  // namespace kiln::kinds
