// A whole generalized ufunc in one string.
#include <utility>

#include "kiln/gufunc.hpp"
#include "signature/layout.hpp"
#include "signature/signature.hpp"

namespace kiln {

GufuncDefinition parse_gufunc(std::string_view layout, std::string_view text) {
  signature::KernelText kernel = signature::parse_kernel(text, signature::parse_layout(layout));
  return {.name = std::move(kernel.name),
          .layout = std::string(layout),
          .signatures = {std::move(kernel.signature.text)},
          .body = std::move(kernel.body)};
}

}  // namespace kiln
