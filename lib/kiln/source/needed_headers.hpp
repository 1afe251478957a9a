// Which device-side headers a user's text needs. Every header costs compile time, so a kernel includes what its text names.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source/user_text.hpp"

namespace kiln::codegen {

/// Names as in #include, in an order in which they can be included, for a text beside operands of these dtypes. `divides`:
/// divisions of integers are defined. `included`: what the texts include, as resolve_includes() gives it. Where a text pastes
/// tokens together, every name that its words make up counts. Pure.
std::vector<std::string> needed_headers(const UserText& text, std::span<const DType> dtypes, bool divides,
                                        const std::map<std::string, std::string>& included = {});

/// Whether it is a function of numbers that bodies may call, or a constant.
bool is_function(std::string_view name);

}  // namespace kiln::codegen
