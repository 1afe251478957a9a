// Sources in CUDA's language: each kernel is a raw kernel whose body calls it.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "kiln/cupy_raw.hpp"
#include "kiln/error.hpp"
#include "raw/cuda_options.hpp"
#include "raw/impl.hpp"
#include "raw/module_constants.hpp"
#include "signature/kernel_signature.hpp"
#include "source/cuda_kernels.hpp"

namespace kiln::cupy {
namespace detail {

class RawModuleImpl {
 public:
  RawModuleImpl(const std::string& name, std::string code, const std::vector<std::string>& options, CompileOptions compile)
      : name_(name), compile_(std::move(compile)), source_(name + ".functions", code) {
    if (!compile_.functions.empty()) {
      throw SignatureError(name + ": .compile.functions stands beside .code; write them in one text", compile_.functions, 0);
    }
    raw::add_cuda_options(compile_, options, name);
    compile_.functions = std::move(code);
    values_ = std::make_shared<raw::ModuleConstants>(source_.constants());
    if (source_.kernels().empty())
      throw TypeError(name +
                      ": the code defines no kernel; write one like extern \"C\" __global__ void scale(float* x, int n) { … }");
  }

  [[nodiscard]] const codegen::CudaSource& source() const noexcept { return source_; }
  [[nodiscard]] Constant constant(std::string_view name) const {
    const std::vector<std::string>& names = values_->names();
    if (std::ranges::find(names, name) != names.end()) return Constant(std::string(name), values_);
    std::string known;
    for (const std::string& each : names) known += (known.empty() ? ": " : ", ") + each;
    throw TypeError(
        fmt::format("{}: \"{}\" is no variable whose values the host gives; such are __constant__ variables without an "
                    "initializer, neither const nor static{}",
                    name_, name, known));
  }

  [[nodiscard]] const codegen::CudaKernel& find(std::string_view expression) const {
    const codegen::CudaKernel* const found = source_.find(expression);
    if (found == nullptr) {
      throw TypeError(fmt::format("{}: \"{}\" is none of the kernels in the code: {}", name_, expression, source_.names()));
    }
    const std::size_t given = codegen::template_arguments(expression).size();
    if (found->is_template && given == 0) {
      throw TypeError(fmt::format("{}: the kernel \"{}\" is a template; give its arguments, as in \"{}<float>\"", name_,
                                  found->name, found->name));
    }
    if (!found->is_template && given > 0)
      throw TypeError(fmt::format("{}: \"{}\": the kernel \"{}\" is no template", name_, expression, found->name));
    return *found;
  }

  [[nodiscard]] Function function(std::string_view expression) const {
    const codegen::CudaKernel& kernel = find(expression);
    std::string signature = source_.signature_of(kernel, expression);
    std::string arguments;
    for (const signature::KernelParameter& each : signature::parse_raw(signature).parameters)
      arguments += (arguments.empty() ? "" : ", ") + each.name;
    const std::size_t last = kernel.name.rfind(':');
    const std::size_t open = expression.find('<');
    const std::string types = open == std::string_view::npos ? "" : std::string(expression.substr(open));
    RawKernelDefinition definition{
        .name = last == std::string::npos ? kernel.name : kernel.name.substr(last + 1),
        .signature = std::move(signature),
        .body = fmt::format("::kiln::cuda::call<::kiln::user::{}{}>({});", kernel.name, types, arguments),
        .compile = compile_};
    definition.compile.functions = source_.text_for(kernel, std::move(definition.compile.functions));
    return Function(RawKernel(kiln::detail::make_kernel_of_source(std::move(definition), values_)));
  }

 private:
  std::string name_;
  CompileOptions compile_;
  codegen::CudaSource source_;
  std::shared_ptr<raw::ModuleConstants> values_;
};

}  // namespace detail

const detail::RawModuleImpl& RawModule::impl() const {
  if (impl_ == nullptr) throw TypeError("this RawModule is empty; make one with cupy::raw_module()");
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
  const std::string name = source.name.empty() ? "raw_kernel" : codegen::name_of_expression(source.name);
  return detail::RawModuleImpl(name, std::move(source.code), source.options, std::move(source.compile)).function(source.name);
}

RawModule raw_module(RawModuleSource source) {
  if (source.backend != "nvrtc" && source.backend != "nvcc") {
    throw SignatureError("raw_module: .backend is \"" + source.backend + "\"; CuPy has \"nvrtc\" and \"nvcc\"", source.backend,
                         0);
  }
  const auto impl = std::make_shared<const detail::RawModuleImpl>("raw_module", std::move(source.code), source.options,
                                                                  std::move(source.compile));
  for (const std::string& expression : source.name_expressions) static_cast<void>(impl->find(expression));
  return RawModule(impl);
}

}  // namespace kiln::cupy
