// kiln::cupy::reduction(): the texts of cupy.ReductionKernel as a reduction.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cupy/parameters.hpp"
#include "kiln/cupy_reduction.hpp"
#include "kiln/error.hpp"
#include "raw/cuda_options.hpp"
#include "reduce/impl.hpp"
#include "signature/signature.hpp"
#include "source/body_tokens.hpp"

namespace kiln::cupy {
namespace {

/// Names that CuPy's texts have, and these not.
constexpr std::array<std::string_view, 4> kAbsent{"_i", "_J", "_in_ind", "_out_ind"};

constexpr std::string_view kNumber = "_j";  ///< of an element among those that are reduced

class Check {
 public:
  explicit Check(const ReductionDefinition& definition) : definition_(definition) {}

  void all(const signature::TypeSignature& signature) const {
    for (const std::string* text : {&definition_.map_expr, &definition_.reduce_expr, &definition_.post_map_expr}) {
      for (const std::string_view name : kAbsent) {
        if (names(*text, name)) fail("\"" + std::string(name) + "\" is not there", *text);
      }
    }
    for (const auto* list : {&signature.inputs, &signature.outputs}) {
      for (const signature::Parameter& parameter : *list) {
        if (parameter.raw) fail("raw parameters are for kiln::cupy::elementwise()", signature.text);
      }
    }
    for (const signature::Parameter& input : signature.inputs) {
      if (names(definition_.post_map_expr, input.name)) {
        fail("the post map reads the input \"" + input.name + "\"; it knows `a` and the outputs alone",
             definition_.post_map_expr);
      }
    }
    for (const signature::Parameter& output : signature.outputs) check_written(output.name);
    check_type(signature);
  }

 private:
  [[noreturn]] void fail(const std::string& why, const std::string& text) const {
    throw SignatureError(definition_.name + ": " + why + "; kiln::reduction() may say it in other words", text, 0);
  }

  static bool names(const std::string& text, std::string_view name) {
    return !name.empty() && codegen::names_any(text, std::array{name});
  }

  /// An output has no value before the post map.
  void check_written(const std::string& output) const {
    const codegen::BodyTokens tokens(definition_.post_map_expr);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (!tokens.is_word(t, output) || tokens.is_member(t)) continue;
      const bool assigned = tokens.is(t + 1, "=") && !tokens.is_pair(t + 1, "=", "=");
      if (!assigned) fail("the post map reads the output \"" + output + "\" before it has a value", definition_.post_map_expr);
    }
  }

  void check_type(const signature::TypeSignature& signature) const {
    if (definition_.reduce_type.empty()) return;
    const signature::Type& first = signature.outputs.front().type;
    const std::string own = first.dtype ? std::string(name(*first.dtype)) : signature.variables[first.variable].name;
    if (definition_.reduce_type == own) return;
    fail("the reduce_type \"" + definition_.reduce_type + "\" is not the type of the first output, \"" + own + "\"",
         definition_.reduce_type);
  }

  const ReductionDefinition& definition_;
};

}  // namespace

Reduction reduction(ReductionDefinition definition) {
  if (definition.name.empty()) definition.name = "reduce_kernel";
  // Its canonical form, as which it is written.
  definition.compile.preamble += std::exchange(definition.preamble, {});
  raw::add_cuda_options(definition.compile, std::exchange(definition.options, {}), definition.name);
  kiln::ReductionDefinition made{.name = definition.name, .identity = definition.identity, .compile = definition.compile};
  made.signatures.push_back("(" + parameters_of(definition.name, definition.out_params) + ")(" +
                            parameters_of(definition.name, definition.in_params) + ")");
  const signature::TypeSignature signature = signature::parse_of_cupy(made.signatures.front());
  if (signature.outputs.empty()) throw SignatureError(definition.name + ": there is no output", definition.out_params, 0);
  codegen::check_text(definition.name + ".post", definition.post_map_expr);
  Check(definition).all(signature);
  const bool numbered = codegen::names_any(definition.map_expr, std::array{kNumber});
  made.map = (numbered ? "const index " + std::string(kNumber) + " = i; return " : "return ") + definition.map_expr + ";";
  made.reduce = "return " + definition.reduce_expr + ";";
  made.post = definition.post_map_expr + ";";
  // CUDA's words and the meaning of its min and max.
  made.compile.functions = "#include <cupy/carray.cuh>\n" + made.compile.functions;
  return Reduction(
      kiln::detail::make_reduction(std::move(made), std::make_shared<const ReductionDefinition>(std::move(definition))));
}

}  // namespace kiln::cupy
