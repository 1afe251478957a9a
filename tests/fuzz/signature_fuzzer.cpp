// A signature that parses prints to a text that parses to the same; one that does not has a place within the text.
#include <string>

#include "kiln/error.hpp"
#include "signature/signature.hpp"
#include "targets.hpp"

namespace kiln::fuzz {
namespace {

using signature::KernelText;
using signature::Parameter;
using signature::Type;
using signature::TypeSignature;

std::string text_of(const TypeSignature& signature, const Type& type) {
  return type.dtype ? std::string(name(*type.dtype)) : signature.variables[type.variable].name;
}

std::string list(const TypeSignature& signature, const std::vector<Parameter>& parameters) {
  std::string text = "(";
  for (const Parameter& parameter : parameters) {
    if (&parameter != &parameters.front()) text += ", ";
    text += text_of(signature, parameter.type);
    if (!parameter.name.empty()) text += " " + parameter.name;
  }
  return text + ")";
}

// The value's own text, independent of the one it was read from.
std::string print(const TypeSignature& signature) {
  std::string text =
      signature.named_outputs ? list(signature, signature.outputs) : text_of(signature, signature.outputs.front().type);
  text += list(signature, signature.inputs);
  const char* separator = " where ";
  for (const signature::TypeVariable& variable : signature.variables) {
    if (variable.choices.empty()) continue;
    text += separator + variable.name + ": ";
    for (const DType choice : variable.choices) {
      if (choice != variable.choices.front()) text += ", ";
      text += name(choice);
    }
    separator = ", ";
  }
  return text;
}

void check(const TypeSignature& signature) {
  require(!signature.inputs.empty() && !signature.outputs.empty(), "a signature has inputs and outputs");
  for (const auto* parameters : {&signature.inputs, &signature.outputs}) {
    for (const Parameter& parameter : *parameters) {
      require(parameter.type.dtype || parameter.type.variable < signature.variables.size(), "a type is a dtype or a variable");
    }
  }
  const std::string printed = print(signature);
  require(print(signature::parse(printed)) == printed, "a printed signature parses to the same");
  require(print(signature::parse(signature.text)) == printed, "a signature's text parses to the same");
}

template <typename Parse>
void parse(std::string_view bytes, Parse parse_and_check) {
  try {
    parse_and_check();
  } catch (const SignatureError& error) {
    require(error.position() <= bytes.size(), "an error's place is within the text");
  }
}

}  // namespace

void signature(std::string_view bytes) {
  parse(bytes, [&] { check(signature::parse(bytes)); });
  parse(bytes, [&] {
    const KernelText kernel = signature::parse_kernel(bytes);
    require(!kernel.name.empty(), "a kernel has a name");
    check(kernel.signature);
  });
}

}  // namespace kiln::fuzz
