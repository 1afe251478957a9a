// Making generalized ufuncs, and the calls of a Gufunc handle.
#include <utility>

#include "gufunc/call.hpp"
#include "gufunc/usual_call.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace {

const GufuncOptions kNoOptions{};

}  // namespace

Gufunc guvectorize(GufuncDefinition definition) {
  return Gufunc(std::make_shared<const detail::GufuncImpl>(std::move(definition)));
}

Gufunc guvectorize(std::string_view layout, std::string_view signature, std::string_view body) {
  GufuncDefinition definition;
  definition.layout = std::string(layout);
  definition.signatures.emplace_back(signature);
  definition.body = std::string(body);
  return guvectorize(std::move(definition));
}

Gufunc guvectorize(std::string_view layout, std::string_view text) {
  return guvectorize(parse_gufunc(layout, text));
}

void detail::fail_empty(const GufuncImpl* /*type*/) {
  throw Because<TypeError>(Reason::empty, "this Gufunc is empty; make one with guvectorize()");
}

GufuncResolution Gufunc::resolve_call(std::span<const Arg> args, const GufuncOptions* options) const {
  return gufunc::Call(*impl_, args, options != nullptr ? *options : kNoOptions).resolve();
}

GufuncResolution Gufunc::resolve(std::span<const Shape> shapes, const GufuncOptions& options) const {
  std::vector<Arg> args;
  const signature::TypeSignature& first = impl_->signatures().front();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    DType dtype = DType::float64;
    if (i < first.inputs.size()) {
      const signature::Type& type = first.inputs[i].type;
      if (type.dtype) {
        dtype = *type.dtype;
      } else if (const auto& choices = first.variables[type.variable].choices; !choices.empty()) {
        dtype = choices.front();
      }
    }
    detail::checked_size(shapes[i], static_cast<std::int64_t>(itemsize(dtype)));
    const Strides strides = detail::packed_strides(shapes[i], static_cast<std::int64_t>(itemsize(dtype)), Order::c);
    args.emplace_back(call::in_no_memory(shapes[i], strides, dtype, i, Device::cpu(), true));
  }
  return gufunc::Call(*impl_, args, options).resolve();
}

int Gufunc::compile(std::string_view target) const {
  const std::vector<ufunc::Loop> loops = ufunc::fixed_loops(impl_->signatures());
  const auto compiler = backend::compiler_for(target);
  for (const ufunc::Loop& loop : loops) {
    program::build(gufunc::plan(*impl_, gufunc::usual_call(*impl_, loop), compiler->kind(), true).requests.front(), *compiler);
  }
  return static_cast<int>(loops.size());
}

cache::Contents Gufunc::compiled_call(std::span<const Arg> args, const GufuncOptions* options) const {
  return gufunc::Call(*impl_, args, options != nullptr ? *options : kNoOptions).compiled();
}

std::vector<Diagnostic> Gufunc::warnings() const {
  return impl_->warnings().all();
}

const std::string& Gufunc::name() const {
  return impl_->name();
}
const std::string& Gufunc::layout() const {
  return impl_->layout().text;
}
int Gufunc::nin() const {
  return static_cast<int>(impl_->nin());
}
int Gufunc::nout() const {
  return static_cast<int>(impl_->nout());
}

}  // namespace kiln
