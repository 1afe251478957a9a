// The known word that a misspelled one most likely means.
#pragma once

#include <span>
#include <string_view>

namespace kiln::base {

/// Three slips at most, and fewer than half of the known word's letters; case does not count. Empty where no word is near.
[[nodiscard]] std::string_view nearest(std::string_view unknown, std::span<const std::string_view> known);

}  // namespace kiln::base
