#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "manifest/cupy_entry.hpp"
#include "manifest/entry.hpp"
#include "manifest/gufunc_entry.hpp"
#include "manifest/kernel_entry.hpp"
#include "manifest/reduction_entry.hpp"
#include "manifest/ufunc_entry.hpp"

namespace kiln::manifest {
namespace {

template <class Handle, auto read>
AnyFunction define(const Node& node) {
  return Handle(read(node, {}, {}).impl);
}

constexpr std::array kKinds{Kind{"ufunc", read_ufunc, define<Ufunc, read_ufunc_definition>},
                            Kind{"gufunc", read_gufunc, define<Gufunc, read_gufunc_definition>},
                            Kind{"reduction", read_reduction, define<Reduction, read_reduction_definition>},
                            Kind{"kernel", read_kernel, define<RawKernel, read_kernel_definition>},
                            Kind{"cupy.elementwise", read_cupy_elementwise, define<Ufunc, read_cupy_elementwise_definition>},
                            Kind{"cupy.reduction", read_cupy_reduction, define<Reduction, read_cupy_reduction_definition>},
                            Kind{"cupy.raw", read_cupy_raw, define_cupy_raw}};

}  // namespace

const Kind& kind_of(const Node& node) {
  // A kernel in one string is a ufunc, or with a layout a generalized one.
  if (!node.has("kind") && node.has("kernel")) return kKinds[node.has("layout") ? 1 : 0];
  const Node kind = node.at("kind");
  const std::string name = kind.word();
  const auto* const found = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& each) { return each.name == name; });
  if (found != kKinds.end()) return *found;
  std::string names;
  for (const Kind& each : kKinds) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", each.name);
  kind.fail(fmt::format("unknown kind \"{}\"; the kinds are {}", name, names));
}

}  // namespace kiln::manifest
