// kiln::cupy::elementwise(): the texts of cupy.ElementwiseKernel as a ufunc.
#include <memory>
#include <utility>

#include "cupy/parameters.hpp"
#include "kiln/cupy_elementwise.hpp"
#include "raw/cuda_options.hpp"
#include "ufunc/impl.hpp"

namespace kiln::cupy {

Ufunc elementwise(ElementwiseDefinition definition) {
  if (definition.name.empty()) definition.name = "kernel";
  // Its canonical form, as which it is written.
  definition.compile.preamble += std::exchange(definition.preamble, {});
  raw::add_cuda_options(definition.compile, std::exchange(definition.options, {}), definition.name);
  UfuncDefinition made{.name = definition.name, .body = definition.operation, .compile = definition.compile};
  made.signatures.push_back("(" + parameters_of(definition.name, definition.out_params, "inout ") + ")(" +
                            parameters_of(definition.name, definition.in_params) + ")");
  return Ufunc(kiln::detail::make_ufunc(std::move(made), std::make_shared<const ElementwiseDefinition>(std::move(definition))));
}

}  // namespace kiln::cupy
