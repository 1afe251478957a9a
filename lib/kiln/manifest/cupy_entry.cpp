#include "manifest/cupy_entry.hpp"

#include <utility>

#include "kiln/cupy_elementwise.hpp"
#include "manifest/ufunc_entry.hpp"

namespace kiln::manifest {

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

}  // namespace kiln::manifest
