// Making reductions: definitions to parsed, checked, shareable values; and the calls of a Reduction handle.
#include "kiln/reduction.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kiln/error.hpp"
#include "program/single_names.hpp"
#include "reduce/call.hpp"
#include "reduce/impl.hpp"
#include "source/suspicious.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace {

using signature::Parameter;
using signature::TypeSignature;

reduce::Options view_of(const ReductionOptions* given) {
  static const ReductionOptions none;
  return reduce::options_of(given != nullptr ? *given : none);
}

void check_texts(const ReductionDefinition& definition, const codegen::Stages& stages) {
  const codegen::Stages::Files files = stages.files();
  const auto check = [&](const char* part, const std::string& text) { codegen::check_text(definition.name + part, text); };
  // CuPy's are expressions.
  const auto check_element = [&](const char* part, const std::string& text) {
    stages.cupy ? codegen::check_expression(definition.name + part, text) : check(part, text);
  };
  check(files.accumulator, definition.accumulator);
  if (!stages.type.empty()) codegen::check_expression(definition.name + files.accumulator, stages.type);
  check_element(files.map, definition.map);
  check_element(files.reduce, definition.reduce);
  check(files.post, definition.post);
  if (!definition.identity.empty()) codegen::check_expression(definition.name + ".identity", definition.identity);
}

/// What each stage gives must be what the next one takes.
void check_stages(const ReductionDefinition& definition, const TypeSignature& first, const codegen::Stages& stages,
                  const std::optional<std::vector<reduce::Member>>& members) {
  const auto fail = [&](const std::string& why, std::size_t position = 0) {
    throw SignatureError(definition.name + ": " + why, first.text, position);
  };
  if (definition.reduce.empty()) fail("no .reduce given; write how the accumulators a and b become one: \"return a + b;\"");
  if (definition.map.empty() && first.inputs.size() != 1) {
    fail("no .map given, and there are " + std::to_string(first.inputs.size()) +
         " inputs; write how an element of each becomes an accumulator");
  }
  if (definition.map.empty() && !definition.accumulator.empty()) {
    fail("no .map given, and the accumulator is a struct; write how an element becomes one: \"return {x, 0};\"");
  }
  for (const Parameter& input : first.inputs) {
    if ((input.name == "i" && !stages.cupy) || input.name == "accumulator") {
      fail("\"" + input.name + "\" cannot be an input's name: in .map it is " +
               (input.name == "i" ? "the index" : "the type of accumulators"),
           input.position);
    }
  }
  for (const Parameter& output : first.outputs) {
    if (first.named_outputs && (output.name == "a" || output.name == "accumulator")) {
      fail("\"" + output.name + "\" cannot be an output's name: in .post it is " +
               (output.name == "a" ? "the accumulator" : "the type of accumulators"),
           output.position);
    }
  }
  for (const Parameter& output : first.outputs) {
    if (output.raw) fail("an output of a reduction has one element for each result; leave \"raw\" out", output.position);
    if (output.inout) fail("outputs of a reduction are not read; leave \"inout\" out", output.position);
  }
  if (!first.inputs.empty() && std::ranges::all_of(first.inputs, &Parameter::raw)) {
    fail("no input has elements that are reduced: each of them is raw, and seen whole; leave \"raw\" out of one",
         first.inputs.front().position);
  }
  if (!definition.post.empty()) return;
  if (definition.accumulator.empty()) {
    if (first.outputs.size() != 1) fail("no .post given, and there are several outputs; assign them from the accumulator a");
    return;
  }
  for (const Parameter& output : first.outputs) {
    const bool known = members && std::any_of(members->begin(), members->end(),
                                              [&](const reduce::Member& member) { return member.name == output.name; });
    if (first.named_outputs && known) continue;
    fail("no .post given, and the accumulator has no member for " +
         (first.named_outputs ? "the output \"" + output.name + "\"" : std::string("the unnamed output")) +
         "; give the outputs from the accumulator a in .post");
  }
}

/// What all loops of a reduction share with those of a ufunc. The body combines two accumulators.
UfuncDefinition loops_of(ReductionDefinition&& definition) {
  UfuncDefinition loops;
  loops.name = std::move(definition.name);
  loops.signatures = std::move(definition.signatures);
  loops.body = std::move(definition.reduce);
  loops.identity = std::move(definition.identity);
  loops.reorderable = definition.reorderable;
  loops.compile = std::move(definition.compile);
  return loops;
}

}  // namespace

namespace {

/// A bit for each raw input that a text names.
std::uint64_t raw_inputs_in(const std::string& text, const TypeSignature& signature) {
  std::uint64_t named = 0;
  for (std::size_t k = 0; k < signature.inputs.size(); ++k) {
    const Parameter& input = signature.inputs[k];
    if (input.raw && !input.name.empty())
      named |= std::uint64_t{codegen::names_any(text, std::array<std::string_view, 1>{input.name})} << k;
  }
  return named;
}

std::shared_ptr<const detail::ReductionImpl> make(ReductionDefinition definition, codegen::Stages stages,
                                                  std::shared_ptr<const cupy::ReductionDefinition> cupy,
                                                  ufunc::Method method = ufunc::Method::reduce) {
  if (definition.name.empty()) definition.name = "reduction";
  detail::check_name(definition.name);
  if (definition.signatures.empty()) {
    throw SignatureError(definition.name + ": no signature given; write one like \"float64(float32 x)\"", "", 0);
  }
  std::vector<TypeSignature> signatures;
  for (const std::string& text : definition.signatures) {
    signatures.push_back(cupy != nullptr ? signature::parse_of_cupy(text) : signature::parse(text));
  }
  detail::check_names(definition.name, signatures);
  program::check_options(definition.name, definition.compile);
  check_texts(definition, stages);
  std::optional<std::vector<reduce::Member>> members;
  if (!definition.accumulator.empty()) members = reduce::members_of(definition.accumulator);
  check_stages(definition, signatures.front(), stages, members);
  stages.post_inputs |= raw_inputs_in(definition.post, signatures.front());
  stages.identity_inputs |= raw_inputs_in(definition.identity, signatures.front());
  stages.accumulator = std::move(definition.accumulator);
  stages.map = std::move(definition.map);
  stages.post = std::move(definition.post);
  codegen::UserText text{.name = definition.name, .body = definition.reduce, .stages = stages};
  program::add_options(text, definition.compile);
  const std::vector<Diagnostic> suspicious = codegen::suspicious_code(text, program::single_names(signatures));
  auto loops = std::make_shared<const detail::UfuncImpl>(loops_of(std::move(definition)), std::move(signatures));
  loops->warnings().add(suspicious);
  return std::make_shared<const detail::ReductionImpl>(std::move(loops), std::move(stages), std::move(members), nullptr,
                                                       std::move(cupy), method);
}

}  // namespace

std::shared_ptr<const detail::ReductionImpl> detail::make_reduction(ReductionDefinition definition, bool prepends_identity,
                                                                    ufunc::Method method) {
  return make(std::move(definition), {.prepends_identity = prepends_identity}, nullptr, method);
}

std::shared_ptr<const detail::ReductionImpl> detail::make_reduction(ReductionDefinition definition, codegen::Stages stages,
                                                                    std::shared_ptr<const cupy::ReductionDefinition> cupy) {
  return make(std::move(definition), std::move(stages), std::move(cupy));
}

Reduction reduction(ReductionDefinition definition) {
  return Reduction(detail::make_reduction(std::move(definition)));
}

void detail::fail_empty(const ReductionImpl* /*type*/) {
  throw Because<TypeError>(Reason::empty, "this Reduction is empty; make one with reduction()");
}

Resolution Reduction::resolve_call(std::span<const Arg> args, const ReductionOptions* options) const {
  return reduce::Call(*impl_, args, view_of(options)).resolve();
}

int Reduction::compile(std::string_view target) const {
  const std::vector<ufunc::Loop> loops = ufunc::fixed_loops(impl_->loops().signatures());
  const auto compiler = backend::compiler_for(target);
  for (const ufunc::Loop& loop : loops) {
    reduce::ReductionClass how = reduce::usual_class(!impl_->reorderable());
    // A raw operand is a row, as nothing says more, and so is what is reduced.
    for (std::size_t i = 0; i < impl_->raw_count(); ++i) how.raw.set(i, {.rank = 1, .packed = true});
    how.in_rank = 1;
    program::build(impl_->request(loop, ufunc::dtypes_of(loop), how, compiler->kind()), *compiler);
  }
  return static_cast<int>(loops.size());
}

cache::Contents Reduction::compiled_call(std::span<const Arg> args, const ReductionOptions* options) const {
  return reduce::Call(*impl_, args, view_of(options)).compiled();
}

std::vector<Diagnostic> Reduction::warnings() const {
  return impl_->loops().warnings().all();
}

const std::string& Reduction::name() const {
  return impl_->name();
}
int Reduction::nin() const {
  return static_cast<int>(impl_->loops().nin());
}
int Reduction::nout() const {
  return static_cast<int>(impl_->loops().nout());
}
bool Reduction::reorderable() const {
  return impl_->reorderable();
}

}  // namespace kiln
