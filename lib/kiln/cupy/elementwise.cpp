// kiln::cupy::elementwise(): the texts of cupy.ElementwiseKernel as a ufunc.
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "cupy/parameters.hpp"
#include "kiln/cupy_elementwise.hpp"
#include "raw/cuda_options.hpp"
#include "ufunc/impl.hpp"

namespace kiln::cupy {

/// Names that bodies have of their own.
static constexpr std::array<std::string_view, 2> kTaken{"i", "_ind"};

Ufunc elementwise(ElementwiseDefinition definition) {
  if (definition.name.empty()) definition.name = "kernel";
  // Its canonical form, as which it is written.
  definition.compile.preamble += std::exchange(definition.preamble, {});
  raw::add_cuda_options(definition.compile, std::exchange(definition.options, {}), definition.name);
  UfuncDefinition made{.name = definition.name, .body = definition.operation, .compile = definition.compile};
  made.signatures.push_back("(" +
                            parameters_of(definition.name, definition.out_params,
                                          {.before = "inout ", .taken = kTaken, .others = definition.in_params}) +
                            ")(" + parameters_of(definition.name, definition.in_params, {.taken = kTaken}) + ")");
  return Ufunc(kiln::detail::make_ufunc(std::move(made), std::make_shared<const ElementwiseDefinition>(std::move(definition))));
}

}  // namespace kiln::cupy
