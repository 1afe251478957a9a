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

using codegen::BodyTokens;
using codegen::Stages;
using signature::Parameter;
using signature::TypeSignature;

/// Names that the texts have of their own.
constexpr std::array<std::string_view, 5> kOfTexts{"_i", "_j", "_J", "_in_ind", "_out_ind"};

bool names(const std::string& text, std::string_view name) {
  return !name.empty() && codegen::names_any(text, std::array{name});
}

void check_texts(const ReductionDefinition& definition) {
  const auto fail_empty = [&](const char* member, const char* example) {
    throw SignatureError(definition.name + ": " + member + " is empty; write " + example, "", 0);
  };
  if (definition.map_expr.empty()) fail_empty("map_expr", "what each element becomes: \"x\"");
  if (definition.reduce_expr.empty()) fail_empty("reduce_expr", "how `a` and `b` become one: \"a + b\"");
  if (definition.post_map_expr.empty()) fail_empty("post_map_expr", "how the outputs follow from `a`: \"y = a\"");
  const std::pair<const char*, const std::string*> texts[] = {{".map_expr", &definition.map_expr},
                                                              {".reduce_expr", &definition.reduce_expr},
                                                              {".post_map_expr", &definition.post_map_expr},
                                                              {".identity", &definition.identity},
                                                              {".reduce_type", &definition.reduce_type}};
  for (const auto& [member, text] : texts) codegen::check_text(definition.name + member, *text);
}

/// The byte where a text names something.
std::size_t place_of(const std::string& text, std::string_view name) {
  const BodyTokens tokens(text);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (!tokens.is_word(t, name)) continue;
    std::size_t begin = 0;
    for (int line = 1; line < tokens[t].place.line; ++line) begin = text.find('\n', begin) + 1;
    return begin + static_cast<std::size_t>(tokens[t].place.column) - 1;
  }
  return 0;
}

/// What a text may not read, as there is no element where it is computed.
void check_places(const ReductionDefinition& definition) {
  const auto check = [&](const char* member, const std::string& text, std::string_view name, const char* remedy) {
    if (!names(text, name)) return;
    throw SignatureError(
        definition.name + ": " + member + " reads \"" + std::string(name) + "\", the place of an element; " + remedy, text,
        place_of(text, name));
  };
  for (const std::string_view name : {"_j", "_J"}) {
    check("post_map_expr", definition.post_map_expr, name, "the number of the output is _i");
  }
  for (const std::string_view name : kOfTexts) check("identity", definition.identity, name, "it is one value for all");
}

/// Accumulators are combined in any order, of which no element is known.
void check_reduce(const ReductionDefinition& definition, const TypeSignature& signature) {
  const auto fail = [&](std::string_view name, const std::string& what) {
    throw SignatureError(definition.name + ": reduce_expr reads " + what + " \"" + std::string(name) +
                             "\"; it combines `a` and `b` alone, and map_expr or post_map_expr may read it",
                         definition.reduce_expr, place_of(definition.reduce_expr, name));
  };
  for (const Parameter& input : signature.inputs) {
    if (names(definition.reduce_expr, input.name) && input.name != "a" && input.name != "b") fail(input.name, "the input");
  }
  for (const std::string_view name : kOfTexts) {
    if (names(definition.reduce_expr, name)) fail(name, "the place");
  }
}

/// Axes of which only the size is asked for need no index.
Stages::Axes asked_axes(const std::string& text, std::string_view name) {
  Stages::Axes asked = Stages::Axes::none;
  const BodyTokens tokens(text);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (!tokens.is_word(t, name) || tokens.is_member(t)) continue;
    const bool size = tokens.is(t + 1, ".") && tokens.is_word(t + 2, "size");
    if (!size) return Stages::Axes::place;
    asked = Stages::Axes::size;
  }
  return asked;
}

Stages::Places places_in(const std::string& text) {
  return {.i = names(text, "_i"),
          .j = names(text, "_j"),
          .of_reduced = names(text, "_J"),
          .in_ind = asked_axes(text, "_in_ind"),
          .out_ind = asked_axes(text, "_out_ind")};
}

/// A bit for each input that a text names.
std::uint64_t inputs_in(const std::string& text, const TypeSignature& signature) {
  std::uint64_t named = 0;
  for (std::size_t k = 0; k < signature.inputs.size(); ++k) {
    named |= std::uint64_t{names(text, signature.inputs[k].name)} << k;
  }
  return named;
}

/// A bit for an input that has the name of the accumulator, which hides it.
std::uint64_t accumulator_named(const TypeSignature& signature) {
  std::uint64_t named = 0;
  for (std::size_t k = 0; k < signature.inputs.size(); ++k) named |= std::uint64_t{signature.inputs[k].name == "a"} << k;
  return named;
}

/// A bit for each output that may be read before it is assigned.
std::uint64_t outputs_read(const std::string& text, const TypeSignature& signature) {
  std::uint64_t read = 0;
  const BodyTokens tokens(text);
  for (std::size_t o = 0; o < signature.outputs.size(); ++o) {
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (!tokens.is_word(t, signature.outputs[o].name) || tokens.is_member(t)) continue;
      const bool assigned = tokens.is(t + 1, "=") && !tokens.is_pair(t + 1, "=", "=");
      read |= std::uint64_t{!assigned} << o;
    }
  }
  return read;
}

std::string name_of(const signature::Type& type, const TypeSignature& signature) {
  return type.dtype ? std::string(kiln::name(*type.dtype)) : signature.variables[type.variable].name;
}

}  // namespace

Reduction reduction(ReductionDefinition definition) {
  if (definition.name.empty()) definition.name = "reduce_kernel";
  // Its canonical form, as which it is written.
  definition.compile.preamble += std::exchange(definition.preamble, {});
  raw::add_cuda_options(definition.compile, std::exchange(definition.options, {}), definition.name);
  kiln::ReductionDefinition made{.name = definition.name,
                                 .map = definition.map_expr,
                                 .reduce = definition.reduce_expr,
                                 .post = definition.post_map_expr,
                                 .identity = definition.identity,
                                 .reorderable = true,
                                 .compile = definition.compile};
  made.signatures.push_back(
      "(" +
      parameters_of(definition.name, definition.out_params,
                    {.taken = kOfTexts,
                     .no_raw = "an output of a reduction has one element for each result; leave \"raw\" out, or write a "
                               "kernel of elements",
                     .others = definition.in_params}) +
      ")(" + parameters_of(definition.name, definition.in_params, {.taken = kOfTexts}) + ")");
  const TypeSignature signature = signature::parse_of_cupy(made.signatures.front());
  if (signature.inputs.empty()) throw SignatureError(definition.name + ": there is no input", definition.in_params, 0);
  if (signature.outputs.empty()) throw SignatureError(definition.name + ": there is no output", definition.out_params, 0);
  check_texts(definition);
  check_places(definition);
  check_reduce(definition, signature);
  if (!signature.inputs.empty() && std::ranges::all_of(signature.inputs, &Parameter::raw)) {
    throw SignatureError(definition.name +
                             ": no input has elements that are reduced: each of them is raw, and seen whole; "
                             "leave \"raw\" out of one",
                         definition.in_params, 0);
  }
  Stages stages{.prepends_identity = !definition.identity.empty(),
                .cupy = true,
                .map_places = places_in(definition.map_expr),
                .post_places = places_in(definition.post_map_expr),
                .post_inputs = inputs_in(definition.post_map_expr, signature) & ~accumulator_named(signature),
                .identity_inputs = inputs_in(definition.identity, signature),
                .read_outputs = outputs_read(definition.post_map_expr, signature)};
  if (definition.reduce_type != name_of(signature.outputs.front().type, signature)) stages.type = definition.reduce_type;
  return Reduction(kiln::detail::make_reduction(std::move(made), std::move(stages),
                                                std::make_shared<const ReductionDefinition>(std::move(definition))));
}

}  // namespace kiln::cupy
