// Making ufuncs: definitions to parsed, checked, shareable functions; and the calls of a Ufunc handle.
#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kernel/spec.hpp"
#include "kiln/cupy_elementwise.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "program/single_names.hpp"
#include "signature/reserved.hpp"
#include "signature/signature.hpp"
#include "source/directives.hpp"
#include "source/suspicious.hpp"
#include "types/reason.hpp"
#include "ufunc/call.hpp"

namespace kiln {
namespace {

const CallOptions kNoOptions{};

/// "my_kernel" for "my kernel".
std::string identifier_like(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (made.empty() && digit) made = "kernel_";
    if (digit || signature::is_identifier({&c, 1})) {
      made += c;
    } else if (!made.empty() && made.back() != '_') {
      made += '_';
    }
  }
  return made.empty() ? "kernel" : made;
}

}  // namespace

void detail::check_names(const std::string& kernel, const std::vector<signature::TypeSignature>& signatures) {
  const signature::TypeSignature& first = signatures.front();
  const auto same_names = [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [](const auto& x, const auto& y) { return y.name.empty() || x.name == y.name; });
  };
  for (const signature::TypeSignature& other : signatures) {
    if (other.inputs.size() != first.inputs.size() || other.outputs.size() != first.outputs.size()) {
      throw SignatureError(kernel + ": every loop needs as many inputs and outputs as the first, \"" + first.text + "\"",
                           other.text, 0);
    }
    for (std::size_t k = 0; k < first.inputs.size(); ++k) {
      if (!other.inputs[k].constant || first.inputs[k].constant) continue;
      throw SignatureError(kernel + ": \"constant\" comes from the first signature, \"" + first.text +
                               "\"; write it there, or leave it out here",
                           other.text, other.inputs[k].position);
    }
    if (!same_names(first.inputs, other.inputs) ||
        (other.named_outputs && first.named_outputs && !same_names(first.outputs, other.outputs))) {
      throw SignatureError(
          kernel + ": names come from the first signature, \"" + first.text + "\"; leave them out here or write the same ones",
          other.text, 0);
    }
  }
}

void detail::check_name(const std::string& name) {
  if (!signature::is_identifier(name)) {
    throw SignatureError("the name \"" + base::printable(name) +
                             "\" is no C++ identifier; write letters, digits and '_', as in \"" + identifier_like(name) + "\"",
                         name, signature::identifier_length(name));
  }
  if (const char* const why = signature::why_reserved(name)) {
    throw SignatureError("\"" + name + "\" cannot be the kernel's name: it is " + why, name, 0);
  }
}

std::shared_ptr<const detail::UfuncImpl> detail::make_ufunc(UfuncDefinition definition,
                                                            std::shared_ptr<const cupy::ElementwiseDefinition> cupy) {
  if (definition.name.empty()) definition.name = "kernel";
  detail::check_name(definition.name);
  program::check_options(definition.name, definition.compile);
  if (definition.signatures.empty()) {
    throw SignatureError(definition.name + ": no signature given; write one like \"float32(float32 a, float32 b)\"", "", 0);
  }
  if (!cupy && definition.body.empty() == definition.expression.empty()) {
    throw SignatureError(definition.name + (definition.body.empty() ? ": neither a body nor an expression given"
                                                                    : ": give a body or an expression, not both"),
                         definition.signatures.front(), 0);
  }
  std::vector<signature::TypeSignature> signatures;
  for (const std::string& text : definition.signatures) {
    signatures.push_back(cupy != nullptr ? signature::parse_of_cupy(text) : signature::parse(text));
  }
  detail::check_names(definition.name, signatures);
  if (!definition.expression.empty() && signatures.front().named_outputs) {
    throw SignatureError(definition.name + ": an expression gives one unnamed output; assign named outputs in a body",
                         definition.signatures.front(), 0);
  }
  if (definition.expression.empty()) {
    codegen::check_text(definition.name, definition.body);
  } else {
    codegen::check_expression(definition.name, definition.expression);
  }
  if (!definition.identity.empty()) {
    if (signatures.front().inputs.size() != 2 || signatures.front().outputs.size() != 1) {
      throw SignatureError(definition.name + ": only a ufunc of two inputs and one output has an identity",
                           definition.signatures.front(), 0);
    }
    codegen::check_expression(definition.name + ".identity", definition.identity);
  }
  codegen::UserText text{.name = definition.name,
                         .body = definition.expression.empty() ? definition.body : definition.expression};
  program::add_options(text, definition.compile);
  if (cupy) {
    codegen::check_text(definition.name + ".loop_prep", cupy->loop_prep);
    codegen::check_text(definition.name + ".after_loop", cupy->after_loop);
  } else if (signatures.front().named_outputs) {
    for (const auto& output : signatures.front().outputs) text.output_names.push_back(output.name);
    codegen::check_outputs(text, text.output_names, codegen::OutputForm::variable);
  }
  for (const auto& input : signatures.front().inputs) text.input_names.push_back(input.name);
  const std::vector<Diagnostic> suspicious = codegen::suspicious_code(text, program::single_names(signatures));
  auto made = std::make_shared<detail::UfuncImpl>(std::move(definition), std::move(signatures), nullptr, std::move(cupy));
  made->warnings().add(suspicious);
  return made;
}

std::shared_ptr<const detail::UfuncImpl> detail::make_ufunc(UfuncDefinition definition) {
  return make_ufunc(std::move(definition), nullptr);
}

Ufunc vectorize(UfuncDefinition definition) {
  return Ufunc(detail::make_ufunc(std::move(definition)));
}

Ufunc vectorize(std::string_view signature, std::string_view body) {
  UfuncDefinition definition;
  definition.signatures.emplace_back(signature);
  definition.body = std::string(body);
  return vectorize(std::move(definition));
}

Ufunc vectorize(std::string_view text) {
  return vectorize(parse_kernel(text));
}

UfuncDefinition parse_kernel(std::string_view text) {
  signature::KernelText kernel = signature::parse_kernel(text);
  UfuncDefinition definition;
  definition.name = std::move(kernel.name);
  definition.signatures.push_back(std::move(kernel.signature.text));
  (kernel.expression ? definition.expression : definition.body) = std::move(kernel.body);
  return definition;
}

Ufunc detail::vectorize_typed(DType result, std::span<const DType> types, std::span<const std::string_view> texts) {
  std::string text = std::string(name(result)) + "(";
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::string(name(types[i])) + " " + std::string(texts[i]);
  }
  return vectorize(text + ")", texts.back());
}

void detail::fail_empty(const UfuncImpl* /*type*/) {
  throw Because<TypeError>(Reason::empty, "this Ufunc is empty; make one with vectorize() or fuse()");
}

Resolution Ufunc::resolve_call(std::span<const Arg> args, const CallOptions* options) const {
  return ufunc::Call(*impl_, args, options != nullptr ? *options : kNoOptions).resolve();
}

int Ufunc::compile(std::string_view target) const {
  const std::vector<ufunc::Loop> loops = ufunc::fixed_loops(impl_->signatures());
  const auto compiler = backend::compiler_for(target);
  // A constant is a scalar; without a value it is an argument of the plain kernel.
  ufunc::LayoutClass layout;
  for (std::size_t k = 0; k < impl_->nin(); ++k) {
    if ((impl_->constants() >> k & 1U) != 0) layout.set_access(k, kinds::Access::scalar);
  }
  layout.reads_outputs = impl_->inout() != 0;
  // A raw operand is a row, as nothing says more.
  for (std::size_t i = 0; i < impl_->raw_count(); ++i) {
    layout.set_raw_axes(i, {.rank = 1, .packed = true});
  }
  for (ufunc::Loop loop : loops) {
    loop.place = impl_->place();
    loop.finds_races = impl_->finds_races();
    const kinds::KernelSpec spec = ufunc::specialize(loop, ufunc::dtypes_of(loop), layout, compiler->kind());
    program::build(impl_->request(loop, spec, compiler->kind()), *compiler);
  }
  return static_cast<int>(loops.size());
}

cache::Contents Ufunc::compiled_call(std::span<const Arg> args, const CallOptions* options) const {
  return ufunc::Call(*impl_, args, options != nullptr ? *options : kNoOptions).compiled();
}

std::vector<Diagnostic> Ufunc::warnings() const {
  return impl_->warnings().all();
}

const std::string& Ufunc::name() const {
  return impl_->name();
}
int Ufunc::nin() const {
  return static_cast<int>(impl_->nin());
}
int Ufunc::nout() const {
  return static_cast<int>(impl_->nout());
}
const std::string& Ufunc::identity() const {
  return impl_->definition().identity;
}
bool Ufunc::reorderable() const {
  return impl_->reorderable();
}

}  // namespace kiln
