// The part of a translation unit that knows operands and not the user's text: how elements get from memory to the body and
// back. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/integer_divisions.hpp"
#include "kernel/operand_spec.hpp"
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
/// The dtypes that the user's body is compiled for.
struct Operation {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  bool rounds = true;  ///< halves among the outputs are rounded; otherwise the body gives an `unrounded` (half.hpp)
  /// Types of operands that are no elements, inputs then outputs. Empty text, or a vector that ends before: an element.
  std::vector<std::string> types = {};
  /// What the body has in front of its operands: "const ::kiln::element_count size" and its value. The operation itself takes
  /// `here` then, of that type (kernels-src/elementwise/raw_array.hpp).
  std::vector<std::pair<std::string, std::string>> places = {};
  std::string place_type = {};

  [[nodiscard]] std::string type_of(std::size_t operand) const { return operand < types.size() ? types[operand] : ""; }
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
/// A text of the user's with what stands before it.
struct StageText {
  std::string before;
  std::string file = {};  ///< empty: no text follows
  std::string text = {};
};
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

}  // namespace kiln::kinds
