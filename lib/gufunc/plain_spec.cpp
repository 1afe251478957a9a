#include "gufunc/plain_spec.hpp"

#include "backend/kernel_abi.hpp"
#include "gufunc/tuning.hpp"

namespace kiln::gufunc {

codegen::GufuncSpec plain_spec(const detail::GufuncImpl& gufunc, const ufunc::Loop& loop) {
  codegen::GufuncSpec spec;
  const signature::Layout& layout = gufunc.layout();
  for (const signature::CoreDimension& dimension : layout.dimensions) {
    spec.dimensions.push_back({.name = dimension.size ? "" : dimension.name, .size = dimension.size});
  }
  for (std::size_t k = 0; k < layout.operands(); ++k) {
    const bool input = k < gufunc.nin();
    const DType dtype = input ? loop.inputs[k] : loop.outputs[k - gufunc.nin()];
    (input ? spec.inputs : spec.outputs)
        .push_back({.element = {dtype, dtype},
                    .dimensions = layout.of(k),
                    .unit = static_cast<int>(layout.of(k).size()) - 1,
                    .packed = true,
                    .as_view = gufunc.as_view(k)});
  }
  for (const Each& each : gufunc.each()) spec.each.push_back({each.name, each.dimension});
  if (gufunc.group().teams) {
    spec.team = gufunc.group().lanes > 0 ? gufunc.group().lanes : static_cast<int>(backend::kGpuBlock);
    spec.team_bytes = static_cast<int>(tuning::kTeamBytes);
  }
  return spec;
}

}  // namespace kiln::gufunc
