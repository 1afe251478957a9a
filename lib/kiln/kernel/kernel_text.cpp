// Conversions between memory and body, as text. Trivial ones are left out: templates cost compile time.
#include "kernel/kernel_text.hpp"
#include "types/each_dtype.hpp"

#include <fmt/format.h>

#include <string_view>

namespace kiln::kinds {

using codegen::UserText;

std::string type_name(DType dtype) {
  return dtype == DType::bool_ ? "boolean" : std::string(name(dtype));
}

std::string body_type(DType dtype) {
  return is_half(dtype) ? "float" : "::kiln::" + type_name(dtype);
}

std::string stored_name(DType dtype) {
  return dtype == DType::bool_ ? "uint8" : type_name(dtype);
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + '"';
}

std::string result_type(const Operation& operation, std::size_t output) {
  const DType dtype = operation.outputs[output];
  return "::kiln::" + (is_half(dtype) && !operation.rounds ? "unrounded" : type_name(dtype));
}

namespace {

/// The type of an output as the operation and the body take it.
std::string output_parameter(const Operation& operation, std::size_t output) {
  const std::string type = operation.type_of(operation.inputs.size() + output);
  return type.empty() ? result_type(operation, output) + "&" : "const " + type;
}

std::string input_parameter(const Operation& operation, std::size_t input) {
  const std::string type = operation.type_of(input);
  return type.empty() ? body_type(operation.inputs[input]) : "const " + type;
}

/// The same as the body has it. In CuPy's notation a half is one.
std::string body_parameter(const UserText& text, const Operation& operation, std::size_t input) {
  const DType dtype = operation.inputs[input];
  const bool half = text.cupy && is_half(dtype) && operation.type_of(input).empty();
  return half ? "::kiln::" + type_name(dtype) : input_parameter(operation, input);
}

}  // namespace

std::string body_declaration(const UserText& text, const Operation& operation) {
  std::string list;
  const auto add = [&](const std::string& type, const std::string& parameter) {
    list += fmt::format("{}{}{}{}", list.empty() ? "" : ", ", type, parameter.empty() ? "" : " ", parameter);
  };
  for (const auto& [declaration, value] : operation.places) add(declaration, "");
  const bool returns = text.output_names.empty() && !operation.outputs.empty();
  for (std::size_t k = 0; k < operation.outputs.size() && !returns; ++k) {
    add(output_parameter(operation, k), text.output_names[k]);
  }
  for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
    add(body_parameter(text, operation, k), k < text.input_names.size() ? text.input_names[k] : "");
  }
  return fmt::format("KILN_FN {} kiln_body({})", returns ? result_type(operation, 0) : "void", list);
}

// The body with its outputs as references, whichever way it gives them.
Frame frame_of(const UserText& text, const Operation& operation) {
  const bool returns = text.output_names.empty() && !operation.outputs.empty();
  std::string parameters(operation.places.empty() ? "" : "const " + operation.place_type + " here");
  std::string arguments;
  const auto separator = [](const std::string& list) { return list.empty() ? "" : ", "; };
  for (const auto& [declaration, value] : operation.places) arguments += separator(arguments) + value;
  for (std::size_t k = 0; k < operation.outputs.size(); ++k) {
    parameters += fmt::format("{}{} r{}", separator(parameters), output_parameter(operation, k), k);
    if (!returns) arguments += fmt::format("{}r{}", separator(arguments), k);
  }
  for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
    parameters += fmt::format("{}{} a{}", separator(parameters), input_parameter(operation, k), k);
    arguments += separator(arguments) + text.argument(k, fmt::format("a{}", k));
  }
  return {.before = "",
          .declaration = body_declaration(text, operation),
          .closing = "",
          .after = fmt::format("KILN_FN void operation({}) {{ {}user::kiln_body({}); }}\n", parameters, returns ? "r0 = " : "",
                               arguments)};
}

std::string loaded(const OperandSpec& operand, const std::string& element) {
  const bool plain = operand.storage == operand.compute && operand.compute != DType::bool_ && !is_half(operand.compute);
  // A bool that becomes something else counts as 0 or 1.
  const std::string from =
      operand.storage == DType::bool_ && operand.compute != DType::bool_ ? fmt::format("({} != 0)", element) : element;
  return plain ? element : fmt::format("from_storage<{}>({})", type_name(operand.compute), from);
}

std::string stored(const OperandSpec& operand, const std::string& result) {
  if (operand.storage == DType::bool_) {
    return operand.compute == DType::bool_ ? fmt::format("uint8({})", result)
                                           : fmt::format("uint8(convert<boolean>({}))", result);
  }
  return operand.storage == operand.compute ? result : fmt::format("convert<{}>({})", type_name(operand.storage), result);
}

}  // namespace kiln::kinds
