// Colours for numbers from 0 to 1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kiln::detail {

/// Red, green and blue of 256 numbers, the first for 0, the last for 1.
using Colormap = std::array<std::array<std::uint8_t, 3>, 256>;

[[nodiscard]] std::vector<std::string_view> names_of_colormaps();
/// TypeError for a name that there is not. "" is "gray".
[[nodiscard]] Colormap colormap_of(std::string_view name);

}  // namespace kiln::detail
