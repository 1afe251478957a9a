// Which device-side headers a kernel needs. Every header costs compile time, so a kernel includes what its text names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/integer_divisions.hpp"
#include "codegen/spec.hpp"

namespace kiln::codegen {

/// Names as in #include, in an order in which they can be included. All that fit the target if the text includes files of its
/// own: nobody knows what those use. `divisions` are those that are defined. Pure.
std::vector<std::string> needed_headers(const UserText& text, const KernelSpec& spec, DeviceKind target,
                                        const IntegerDivisions& divisions = {});

/// Whether it is a function of numbers that bodies may call, or a constant.
bool is_function(std::string_view name);

}  // namespace kiln::codegen
