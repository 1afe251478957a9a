// fuse(): runs the function on its parameters once, and makes a ufunc of the graph.
#include "kiln/fuse.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "fusion/fused_loops.hpp"
#include "fusion/options.hpp"
#include "kernel/spec.hpp"
#include "kiln/error.hpp"
#include "signature/qualifiers.hpp"
#include "signature/reserved.hpp"
#include "signature/signature.hpp"

namespace kiln {
namespace {

constexpr std::size_t kMaxOperands = backend::kMaxOperands;

/// "disc(a, b, c)".
std::string call_text(const std::string& name, const std::vector<std::string>& parameters) {
  std::string text;
  for (const std::string& parameter : parameters) text += (text.empty() ? "" : ", ") + parameter;
  return name + "(" + text + ")";
}

void check_parameters(const std::string& name, const std::vector<std::string>& parameters, std::size_t count) {
  const std::string text = call_text(name, parameters);
  if (parameters.size() != count) {
    throw SignatureError(
        name + ": .parameters names " + std::to_string(parameters.size()) + ", the function takes " + std::to_string(count),
        text, name.size());
  }
  std::size_t position = name.size() + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& parameter = parameters[i];
    const auto fail = [&](const std::string& why) {
      throw SignatureError(name + ": \"" + parameter + "\" " + why, text, position);
    };
    if (!signature::is_identifier(parameter)) fail("cannot be a parameter's name: it is no C++ identifier");
    if (const char* const why = signature::why_reserved(parameter))
      fail(std::string("cannot be a parameter's name: it is ") + why);
    if (std::find(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(i), parameter) !=
        parameters.begin() + static_cast<std::ptrdiff_t>(i)) {
      fail("names two parameters");
    }
    position += parameter.size() + 2;
  }
}

/// Takes the qualifier off the names that have it.
std::vector<bool> take_constants(std::vector<std::string>& parameters) {
  std::vector<bool> constants;
  for (std::string& parameter : parameters) {
    signature::Cursor cursor(parameter);
    constants.push_back(signature::accept_qualifier(cursor, signature::kConstant) && !cursor.at_end());
    cursor.skip_blanks();
    if (constants.back()) parameter = std::string(cursor.rest());
  }
  return constants;
}

/// Names that no parameter has.
std::vector<std::string> output_names(std::size_t count, const std::vector<std::string>& parameters) {
  std::vector<std::string> names;
  std::string letters = "y";
  for (std::size_t i = 0; i < count;) {
    std::string name = letters + std::to_string(i);
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
      names.push_back(std::move(name));
      ++i;
    } else {
      letters += "y";
    }
  }
  return names;
}

/// Operands and their names: a type variable for each, as the graph alone knows how their dtypes hang together.
signature::TypeSignature signature_of(const std::string& name, const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& outputs, const std::vector<bool>& constants) {
  signature::TypeSignature signature;
  const auto parameter = [&](const std::string& parameter_name) {
    signature.variables.push_back({"T" + std::to_string(signature.variables.size()), {}});
    return signature::Parameter{{std::nullopt, signature.variables.size() - 1}, parameter_name, 0};
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    signature.inputs.push_back(parameter(inputs[i]));
    signature.inputs.back().constant = constants[i];
  }
  signature.named_outputs = outputs.size() > 1;
  for (const std::string& output : outputs) signature.outputs.push_back(parameter(signature.named_outputs ? output : ""));
  signature.text = call_text(name, inputs);
  return signature;
}

std::vector<Expr> expressions(const std::shared_ptr<const fusion::Scope>& scope, std::size_t count) {
  std::vector<Expr> parameters;
  for (std::size_t i = 0; i < count; ++i) {
    parameters.emplace_back(std::make_shared<const detail::ExprNode>(detail::ExprNode{fusion::Parameter{scope, i}, 0}));
  }
  return parameters;
}

}  // namespace

Ufunc detail::fuse(FuseDefinition definition, std::size_t parameters, const Composition& function) {
  if (definition.name.empty()) definition.name = "fused";
  check_name(definition.name);
  if (definition.parameters.empty()) {
    for (std::size_t i = 0; i < parameters; ++i) definition.parameters.push_back("x" + std::to_string(i));
  }
  const std::vector<bool> constants = take_constants(definition.parameters);
  check_parameters(definition.name, definition.parameters, parameters);
  const auto fail = [&](const std::string& why) { throw TypeError("fused \"" + definition.name + "\" " + why); };
  if (parameters == 0) fail("has no parameters; name them in .parameters");

  const auto scope = std::make_shared<const fusion::Scope>(fusion::Scope{definition.name});
  const std::vector<Expr> results = function(expressions(scope, parameters));
  if (results.empty()) fail("has no outputs: its function gave none");
  if (parameters + results.size() > kMaxOperands) {
    fail("has " + std::to_string(parameters) + " inputs and " + std::to_string(results.size()) +
         " outputs; a ufunc has at most " + std::to_string(kMaxOperands) + " together");
  }
  fusion::Graph graph = fusion::make_graph(scope, parameters, results);
  UfuncDefinition options = fusion::options_of(graph, definition);
  if (!definition.identity.empty()) {
    if (parameters != 2 || results.size() != 1)
      fail("cannot have an identity: only a ufunc of two inputs and one output has one");
    codegen::check_expression(definition.name + ".identity", definition.identity);
  }
  options.identity = std::move(definition.identity);
  options.reorderable = definition.reorderable;
  std::vector<std::string> outputs = output_names(results.size(), definition.parameters);
  std::vector<signature::TypeSignature> signatures{signature_of(definition.name, definition.parameters, outputs, constants)};
  auto loops = std::make_unique<const fusion::FusedLoops>(std::move(graph), options, std::move(definition.parameters),
                                                          std::move(outputs), constants);
  return Ufunc(std::make_shared<const UfuncImpl>(std::move(options), std::move(signatures), std::move(loops)));
}

}  // namespace kiln
