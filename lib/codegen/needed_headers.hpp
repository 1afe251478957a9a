// Which device-side headers a kernel needs. Every header costs compile time, so a kernel includes what its text names.
#pragma once

#include <string>
#include <vector>

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// Names as in #include, in an order in which they can be included. All that fit the target if the text includes files of its
/// own: nobody knows what those use. Pure.
std::vector<std::string> needed_headers(const UserText& text, const ElementwiseSpec& spec, DeviceKind target);

/// Whether the n-dimensional form of the GPU's loop is needed.
bool needs_nd(const ElementwiseSpec& spec);

}  // namespace kiln::codegen
