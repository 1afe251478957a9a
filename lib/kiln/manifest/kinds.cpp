#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "manifest/entry.hpp"
#include "manifest/gufunc_entry.hpp"
#include "manifest/kernel_entry.hpp"
#include "manifest/reduction_entry.hpp"
#include "manifest/ufunc_entry.hpp"

namespace kiln::manifest {
namespace {

constexpr std::array kKinds{Kind{"ufunc", read_ufunc}, Kind{"gufunc", read_gufunc}, Kind{"reduction", read_reduction},
                            Kind{"kernel", read_kernel}};

}  // namespace

std::span<const Kind> kinds() noexcept {
  return kKinds;
}

Entry read_entry(const Node& node, const std::string& folder) {
  // A kernel in one string is a ufunc, or with a layout a generalized one.
  if (!node.has("kind") && node.has("kernel")) return node.has("layout") ? read_gufunc(node, folder) : read_ufunc(node, folder);
  const Node kind = node.at("kind");
  const std::string name = kind.word();
  const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& each) { return each.name == name; });
  if (found != kKinds.end()) return found->read(node, folder);
  std::string names;
  for (const Kind& each : kKinds) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", each.name);
  kind.fail(fmt::format("unknown kind \"{}\"; the kinds are {}", name, names));
}

}  // namespace kiln::manifest
