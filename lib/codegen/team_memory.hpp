// What a body with .group asks of the memory that its lanes share, as far as its text tells.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// The values of names in the counts of shared<T>(count): sizes of core dimensions, and "lanes".
using NamedSizes = std::function<std::optional<std::int64_t>(std::string_view name)>;

/// Bytes of all shared<T>(count) in the body, each rounded up to 16: counts are sums and products of whole numbers and names.
/// Nothing where a count is anything else, or overflows. Pure.
[[nodiscard]] std::optional<std::int64_t> team_bytes(const UserText& text, const NamedSizes& sizes);

}  // namespace kiln::codegen
