// Functions of kiln's headers that bodies may not call: KILN_REFUSED (kernels-src/core/portable.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kiln::codegen {

/// The reason that a header has for a function, where `text` is NVRTC's error that it is deleted: NVRTC shows none. Pure.
[[nodiscard]] std::optional<std::string> reason_of_refusal(std::string_view text);

}  // namespace kiln::codegen
