// Sources in CUDA's language: each kernel is a raw kernel whose body calls it.
#include "raw/cuda_module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kiln/error.hpp"
#include "raw/cuda_options.hpp"
#include "raw/impl.hpp"
#include "signature/kernel_signature.hpp"
#include "source/text_error.hpp"
#include "types/reason.hpp"

namespace kiln::cupy {
namespace detail {
namespace {

raw::CudaDefinition canonical(const std::string& name, raw::CudaDefinition definition) {
  if (!definition.compile.functions.empty()) {
    throw SignatureError(name + ": .compile.functions stands beside .code; write them in one text",
                         definition.compile.functions, 0);
  }
  raw::add_cuda_options(definition.compile, std::exchange(definition.options, {}), name);
  return definition;
}

}  // namespace

RawModuleImpl::RawModuleImpl(const std::string& name, raw::CudaDefinition definition)
    : name_(name),
      definition_(std::make_shared<const raw::CudaDefinition>(canonical(name, std::move(definition)))),
      source_(name + ".functions", definition_->code),
      values_(std::make_shared<raw::ModuleConstants>(source_.constants())) {
  if (source_.kernels().empty()) {
    throw TypeError(name +
                    ": the code defines no kernel; write one like extern \"C\" __global__ void scale(float* x, int n) { … }");
  }
}

void RawModuleImpl::check_variables() const {
  try {
    source_.check_variables(definition_->code, definition_->name_expressions);
  } catch (const codegen::ScanError& error) {
    throw codegen::text_error(name_ + ".functions", definition_->code, error);
  }
}

Constant RawModuleImpl::constant(std::string_view name) const {
  return constant_of(name_, name, values_);
}

const codegen::CudaKernel& RawModuleImpl::find(std::string_view expression) const {
  const codegen::CudaKernel* const found = source_.find(expression);
  if (found == nullptr) {
    throw TypeError(fmt::format("{}: \"{}\" is none of the kernels in the code: {}", name_, expression, source_.names()));
  }
  const std::size_t given = codegen::template_arguments(expression).size();
  const std::size_t last = expression.find_last_not_of(" \t");
  if (expression.find('<') != std::string_view::npos && expression[last] != '>') {
    throw TypeError(fmt::format("{}: \"{}\": the brackets of the arguments do not close; write it as \"{}<float>\"", name_,
                                expression, found->name));
  }
  if (found->is_template && given == 0) {
    throw TypeError(fmt::format("{}: the kernel \"{}\" is a template; give its arguments, as in \"{}<float>\"", name_,
                                found->name, found->name));
  }
  if (!found->is_template && given > 0)
    throw TypeError(fmt::format("{}: \"{}\": the kernel \"{}\" is no template", name_, expression, found->name));
  return *found;
}

Function RawModuleImpl::function(std::string_view expression) const {
  const codegen::CudaKernel& kernel = find(expression);
  std::string signature = source_.signature_of(kernel, expression);
  std::string arguments;
  for (const signature::KernelParameter& each : signature::parse_raw(signature).parameters)
    arguments += (arguments.empty() ? "" : ", ") + each.name;
  const std::size_t last = kernel.name.rfind(':');
  const std::size_t open = expression.find('<');
  const std::string types = open == std::string_view::npos ? "" : std::string(expression.substr(open));
  RawKernelDefinition definition{.name = last == std::string::npos ? kernel.name : kernel.name.substr(last + 1),
                                 .signature = std::move(signature),
                                 .body = fmt::format("{}::kiln::user::{}{}>({});", raw::kCall, kernel.name, types, arguments),
                                 .compile = definition_->compile};
  definition.compile.functions = source_.text_for(kernel, definition_->code);
  return Function(RawKernel(
      kiln::detail::make_kernel_of_source(std::move(definition), {.definition = definition_,
                                                                  .expression = std::string(expression),
                                                                  .structures = source_.structures_of(kernel, expression),
                                                                  .values = values_})));
}

Constant constant_of(const std::string& what, std::string_view name, const std::shared_ptr<raw::ModuleConstants>& values) {
  const std::vector<std::string>& names = values->names();
  if (std::ranges::find(names, name) != names.end()) return Constant(std::string(name), values);
  std::string known;
  for (const std::string& each : names) known += (known.empty() ? ": " : ", ") + each;
  throw TypeError(
      fmt::format("{}: \"{}\" is no variable whose values the host gives; such are __constant__ variables without an "
                  "initializer, neither const nor static{}",
                  what, name, known));
}

std::shared_ptr<const RawModuleImpl> make_module(raw::CudaDefinition definition) {
  if (definition.backend != "nvrtc" && definition.backend != "nvcc") {
    throw SignatureError("raw_module: .backend is \"" + definition.backend + "\"; CuPy has \"nvrtc\" and \"nvcc\"",
                         definition.backend, 0);
  }
  const std::vector<std::string> expressions = definition.name_expressions;
  const std::string one = definition.name;
  const std::string shown = one.empty() ? "raw_module" : codegen::name_of_expression(one);
  auto made = std::make_shared<const RawModuleImpl>(shown, std::move(definition));
  if (one.empty()) made->check_variables();
  for (const std::string& expression : expressions) static_cast<void>(made->find(expression));
  if (!one.empty()) static_cast<void>(made->find(one));
  return made;
}

}  // namespace detail

const detail::RawModuleImpl& RawModule::impl() const {
  if (impl_ == nullptr) throw Because<TypeError>(Reason::empty, "this RawModule is empty; make one with cupy::raw_module()");
  return *impl_;
}

Function RawModule::get_function(std::string_view name) const {
  return impl().function(name);
}

Constant RawModule::get_global(std::string_view name) const {
  return impl().constant(name);
}

void Constant::set(const Array& values) const {
  const Array host = values.copy_to_host();
  const auto* const begin = static_cast<const std::byte*>(host.data());
  values_->set(name_, {begin, begin + host.nbytes()});
}

std::vector<std::string> RawModule::names() const {
  std::vector<std::string> names;
  for (const codegen::CudaKernel& kernel : impl().source().kernels()) names.push_back(kernel.name);
  return names;
}

Function raw_kernel(RawKernelSource source) {
  if (source.name.empty()) {
    // Lists the kernels that there are.
    return detail::RawModuleImpl(
               "raw_kernel",
               {.code = std::move(source.code), .options = std::move(source.options), .compile = std::move(source.compile)})
        .function("");
  }
  const std::string name = source.name;
  return detail::make_module({.code = std::move(source.code),
                              .options = std::move(source.options),
                              .name = std::move(source.name),
                              .compile = std::move(source.compile)})
      ->function(name);
}

RawModule raw_module(RawModuleSource source) {
  return RawModule(detail::make_module({.code = std::move(source.code),
                                        .options = std::move(source.options),
                                        .name_expressions = std::move(source.name_expressions),
                                        .backend = std::move(source.backend),
                                        .compile = std::move(source.compile)}));
}

}  // namespace kiln::cupy
