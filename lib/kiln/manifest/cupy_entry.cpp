#include "manifest/cupy_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kiln/cupy_elementwise.hpp"
#include "kiln/cupy_reduction.hpp"
#include "kiln/error.hpp"
#include "manifest/kernel_entry.hpp"
#include "manifest/reduction_entry.hpp"
#include "manifest/ufunc_entry.hpp"
#include "raw/cuda_module.hpp"
#include "raw/impl.hpp"

namespace kiln::manifest {
namespace {

using cupy::detail::RawModuleImpl;

Made<RawModuleImpl> read_module(const Node& node, const std::string& folder, Others uses) {
  check_members<raw::CudaDefinition>(node, {"kind"}, uses);
  raw::CudaDefinition definition;
  read_members(node, definition);
  return node.locate(
      [&] { return make_located(node, node, std::move(definition), "code", folder, cupy::detail::make_module); });
}

/// `place` is where the kernel is named, in the definition `node`.
std::shared_ptr<const detail::RawKernelImpl> kernel_of(const Node& node, const Node& place, const RawModuleImpl& module,
                                                       const std::string& expression) {
  try {
    return place.locate([&] { return module.function(expression).kernel().impl(); });
  } catch (const CompileError& error) {
    fail_text(node, module.find(expression).name, "code", error);
  }
}

/// The kernels that a source has without being asked for more: those that are no templates, and the instances that it names.
std::vector<std::string> names_of(const Node& node, const RawModuleImpl& module) {
  const raw::CudaDefinition& definition = module.definition();
  if (!definition.name.empty()) return {definition.name};
  std::vector<std::string> names;
  for (const codegen::CudaKernel& kernel : module.source().kernels()) {
    if (!kernel.is_template) names.push_back(kernel.name);
  }
  for (const std::string& expression : definition.name_expressions) {
    if (module.find(expression).is_template && std::ranges::find(names, expression) == names.end()) names.push_back(expression);
  }
  if (names.empty()) {
    node.fail("the code has templates alone: " + module.source().names() +
              "; name the instances to compile in \"name_expressions\"");
  }
  return names;
}

void add_usual(const Node& node, const RawModuleImpl& module, const std::string& expression, Entry& entry) {
  const auto impl = kernel_of(node, node, module, expression);
  try {
    add_usual_units(node, impl, entry);
  } catch (const TypeError&) {
    node.fail(
        fmt::format("nothing says which dtypes the kernel \"{}\" takes: its signature is {}; write \"calls\": "
                    "[{{\"kernel\": \"{}\", \"types\": {{…}}, \"launch\": \"blocks\"}}]",
                    expression, impl->signature().text, expression));
  }
}

}  // namespace

Made<detail::UfuncImpl> read_cupy_elementwise_definition(const Node& node, const std::string& folder, Others uses) {
  check_members<cupy::ElementwiseDefinition>(node, {"kind"}, uses);
  cupy::ElementwiseDefinition definition;
  read_members(node, definition);
  return make_located(node, node, std::move(definition), "operation", folder,
                      [](cupy::ElementwiseDefinition whole) { return cupy::elementwise(std::move(whole)).impl(); });
}

Entry read_cupy_elementwise(const Node& node, const std::string& folder) {
  return entry_of_calls(node, read_cupy_elementwise_definition(node, folder, {"types", "loops", "calls"}));
}

Made<detail::ReductionImpl> read_cupy_reduction_definition(const Node& node, const std::string& folder, Others uses) {
  check_members<cupy::ReductionDefinition>(node, {"kind"}, uses);
  cupy::ReductionDefinition definition;
  read_members(node, definition);
  return make_located(node, node, std::move(definition), "reduce_expr", folder,
                      [](cupy::ReductionDefinition whole) { return cupy::reduction(std::move(whole)).impl(); });
}

Entry read_cupy_reduction(const Node& node, const std::string& folder) {
  return entry_of_calls(node, read_cupy_reduction_definition(node, folder, {"types", "loops", "calls"}));
}

Entry read_cupy_raw(const Node& node, const std::string& folder) {
  const Made<RawModuleImpl> made = read_module(node, folder, {"calls"});
  const RawModuleImpl& module = *made.impl;
  Entry entry{made.json, {}};
  if (const auto calls = node.find("calls")) {
    read_calls(node, *calls, {}, "one of each kernel", entry.json, [&](const Node& each) {
      if (!module.definition().name.empty())
        return read_kernel_call(each, kernel_of(node, each, module, module.definition().name), {}, entry);
      const Node kernel = each.at("kernel");
      const std::string expression = kernel.word();
      Json json = read_kernel_call(each, kernel_of(node, kernel, module, expression), {"kernel"}, entry);
      json["kernel"] = expression;
      return json;
    });
    return entry;
  }
  for (const std::string& expression : names_of(node, module)) add_usual(node, module, expression, entry);
  return entry;
}

AnyFunction define_cupy_raw(const Node& node) {
  const Made<RawModuleImpl> made = read_module(node, {}, {});
  const std::vector<std::string> names = names_of(node, *made.impl);
  if (names.size() > 1) {
    node.fail("the code has several kernels: " + made.impl->source().names() + "; say with \"name\" which one is meant");
  }
  return RawKernel(kernel_of(node, node, *made.impl, names.front()));
}

}  // namespace kiln::manifest
