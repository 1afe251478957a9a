// The names of the forms.
#pragma once

#include <string_view>
#include <vector>

#include "kiln/inspect.hpp"

namespace kiln::inspect {

[[nodiscard]] std::string_view name(Form form) noexcept;
/// "source, ptx, asm".
[[nodiscard]] std::string listed(const std::vector<Form>& forms);

}  // namespace kiln::inspect
