#include "gufunc/impl.hpp"

#include <algorithm>
#include <utility>

#include "kiln/error.hpp"
#include "program/single_names.hpp"
#include "source/addresses.hpp"
#include "source/literal_index.hpp"
#include "source/suspicious.hpp"

namespace kiln::detail {
namespace {

constexpr std::size_t kMaxEach = 4;  // of a kernel's 8 dimensions; the loop has the others

}  // namespace

GufuncImpl::GufuncImpl(GufuncDefinition definition) : definition_(std::move(definition)) {
  if (definition_.name.empty()) definition_.name = "kernel";
  check_name(definition_.name);
  program::check_options(definition_.name, definition_.compile);
  const std::string& name = definition_.name;
  if (definition_.signatures.empty()) {
    throw SignatureError(name + ": no signature given; write one like \"void(float32[:] a, float32 b)\"", "", 0);
  }
  layout_ = signature::parse_layout(definition_.layout);
  definition_.layout = layout_.text;
  rules_ = signature::parse_size_rules(definition_.sizes, layout_);
  for (const std::string& text : definition_.signatures) signatures_.push_back(signature::parse(text, layout_));
  for (const auto* list : {&signatures_.front().inputs, &signatures_.front().outputs}) {
    for (const signature::Parameter& parameter : *list) parameters_.push_back(parameter.name);
  }
  each_ = gufunc::parse_each(definition_.each, layout_);
  group_ = gufunc::parse_group(definition_.group);
  shared_memory_ = gufunc::SharedMemory(definition_, layout_, signatures_);
  check_names();
  constants_ = constants_of(signatures_.front());
  codegen::check_text(name, definition_.body);
  const codegen::UserText text{
      .body = definition_.body, .preamble = definition_.compile.preamble, .functions = definition_.compile.functions};
  debugs_ = program::debug_of(definition_.compile).any();
  codegen::UserText named = text;
  named.input_names = parameters_;
  for (const auto& variable : signatures_.front().variables) named.type_variables.emplace_back(variable.name, DType::float32);
  named.name = name;
  named.defines = definition_.compile.defines;
  operands_ = named_operands();
  codegen::check_literal_indices(named, *operands_);
  codegen::check_outputs(named, std::span(parameters_).subspan(nin()), codegen::OutputForm::view);
  takes_addresses_ = codegen::takes_addresses(named);
  binds_references_ = codegen::binds_references(named);
  warnings_.add(codegen::suspicious_code(named, program::single_names(signatures_)));
}

codegen::Operands GufuncImpl::named_operands() const {
  std::vector<codegen::Operand> operands;
  for (std::size_t k = 0; k < layout_.operands(); ++k) {
    codegen::Operand& operand = operands.emplace_back(codegen::Operand{.name = parameters_[k], .writable = k >= nin()});
    for (const std::size_t dimension : layout_.of(k)) operand.extents.push_back(layout_.dimensions[dimension].name);
    if (as_view(k)) operand.extents.emplace_back();
    if (!operand.extents.empty()) operand.form = codegen::Operand::Form::view;
  }
  return std::make_shared<const std::vector<codegen::Operand>>(std::move(operands));
}

/// Beside what signatures and .each say of themselves.
void GufuncImpl::check_names() const {
  const signature::TypeSignature& first = signatures_.front();
  const auto find_parameter = [&](const std::string& wanted) {
    return !wanted.empty() && std::find(parameters_.begin(), parameters_.end(), wanted) != parameters_.end();
  };
  const auto is_variable = [&](const std::string& wanted) {
    return std::any_of(first.variables.begin(), first.variables.end(), [&](const auto& v) { return v.name == wanted; });
  };
  for (const gufunc::Each& each : each_) {
    const auto dimension = layout_.find(each.name);
    if (!find_parameter(each.name) && !is_variable(each.name) && !dimension) continue;
    throw SignatureError(name() + ": the index \"" + each.name + "\" has the name of " +
                             (dimension ? "a core dimension" : "an operand or a type") + "; rename one",
                         definition_.each, each.position);
  }
  if (group_.teams && !each_.empty()) {
    throw SignatureError(name() + ": .each gives threads an index, .group gives them an item; leave one out", definition_.each,
                         0);
  }
  if (!group_.teams && !definition_.shared.empty()) {
    throw SignatureError(name() + ": .shared is the memory of a team; give .group, or leave .shared out", definition_.shared,
                         0);
  }
  if (each_.size() > kMaxEach) {
    throw SignatureError(name() + ": .each spreads " + std::to_string(each_.size()) + " core dimensions; at most " +
                             std::to_string(kMaxEach) + " can be, loop over the others in the body",
                         definition_.each, 0);
  }
  for (std::size_t o = 0; o < nout() && !each_.empty(); ++o) {
    const auto& own = layout_.outputs[o];
    const bool all = std::all_of(each_.begin(), each_.end(), [&](const gufunc::Each& each) {
      return std::find(own.begin(), own.end(), each.dimension) != own.end();
    });
    if (all || first.outputs[o].dimensions > 0) continue;
    throw SignatureError(name() + ": " + operand_name(nin() + o) +
                             " is one value, which every index of .each would assign; leave .each out or give it a dimension",
                         definition_.each, 0);
  }
  for (const signature::TypeSignature& other : signatures_) {
    const auto same_names = [](const auto& a, const auto& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return (y.name.empty() || x.name == y.name) && x.dimensions == y.dimensions && (x.constant || !y.constant);
      });
    };
    if (same_names(first.inputs, other.inputs) && same_names(first.outputs, other.outputs)) continue;
    throw SignatureError(
        name() + ": names come from the first signature, \"" + first.text +
            "\"; leave them out here or write the same ones, with the same dimensions and no other \"constant\"",
        other.text, 0);
  }
}

std::string GufuncImpl::operand_name(std::size_t operand) const {
  const bool input = operand < nin();
  const std::string& given = parameters_[operand];
  return (input ? "input " + std::to_string(operand) : "output " + std::to_string(operand - nin())) +
         (given.empty() ? "" : " (" + given + ")");
}

bool GufuncImpl::as_view(std::size_t operand) const {
  const signature::TypeSignature& first = signatures_.front();
  const auto& parameter = operand < nin() ? first.inputs[operand] : first.outputs[operand - nin()];
  return parameter.dimensions > 0 && layout_.of(operand).empty();
}

program::Request GufuncImpl::request(const ufunc::Loop& loop, const kinds::GufuncSpec& spec, DeviceKind kind) const {
  return program::make_request(definition_.compile, text_of(loop), spec, kind, loop.text, "gufunc", warnings_);
}

codegen::UserText GufuncImpl::text_of(const ufunc::Loop& loop) const {
  codegen::UserText text;
  text.name = definition_.name;
  text.body = definition_.body;
  program::add_options(text, definition_.compile);
  for (const auto& input : signatures_.front().inputs) text.input_names.push_back(input.name);
  for (const auto& output : signatures_.front().outputs) text.output_names.push_back(output.name);
  text.type_variables = loop.variables;
  text.operands = operands_;
  text.constants = loop.constants;
  return text;
}

}  // namespace kiln::detail
