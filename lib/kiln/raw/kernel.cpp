// The calls of a RawKernel handle.
#include "kiln/kernel.hpp"

#include <utility>

#include "call/stoppable.hpp"
#include "compiler/compiler.hpp"
#include "kiln/error.hpp"
#include "raw/call.hpp"
#include "raw/impl.hpp"
#include "types/reason.hpp"

namespace kiln {

RawKernel kernel(RawKernelDefinition definition) {
  return RawKernel(detail::make_raw_kernel(std::move(definition)));
}

void detail::fail_empty(const RawKernelImpl* /*type*/) {
  throw Because<TypeError>(Reason::empty, "this RawKernel is empty; make one with kernel()");
}

void RawKernel::launch(const LaunchOptions& options, std::span<const Arg> args) const {
  call::stoppable(impl_->name(), "", options,
                  [&](const backend::StopRequest* stop) { raw::Call(*impl_, options, args, stop).run(); });
}

Resolution RawKernel::resolve(const LaunchOptions& options, std::span<const Arg> args) const {
  return raw::Call(*impl_, options, args).resolve();
}

cache::Contents RawKernel::compiled(const LaunchOptions& options, std::span<const Arg> args) const {
  return raw::Call(*impl_, options, args).compiled();
}

int RawKernel::compile(std::string_view target) const {
  const std::vector<raw::Binding> bindings = impl_->fixed_bindings();
  const auto compiler = backend::compiler_for(target);
  for (const raw::Binding& binding : bindings) {
    program::build(impl_->request(binding, impl_->plain().constants, {.form = impl_->usual_form()}, compiler->kind()),
                   *compiler);
  }
  return static_cast<int>(bindings.size());
}

std::vector<Diagnostic> RawKernel::warnings() const {
  return impl_->warnings().all();
}

const std::string& RawKernel::name() const {
  return impl_->name();
}

const std::string& RawKernel::signature() const {
  return impl_->signature().text;
}

}  // namespace kiln
