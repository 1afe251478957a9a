// What a body with .group asks of the memory that its lanes share, as far as its text tells.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "kernel/gufunc/spec.hpp"
#include "source/user_text.hpp"

namespace kiln::kinds {

/// The values of names in the counts of shared<T>(count): sizes of core dimensions, and "lanes".
using NamedSizes = std::function<std::optional<std::int64_t>(std::string_view name)>;

/// Bytes of all shared<T>(count) in the body, each rounded up to 16: types are those of kiln, counts are sums and products of
/// whole numbers and names. Nothing where a type or a count is anything else, a count overflows, a call stands in braces or may
/// run more than once, or the body declares the names, macros or other texts of the user's may do the sharing: no more than is
/// counted may ever be shared. A count below 0 comes back as it is. Pure.
[[nodiscard]] std::optional<std::int64_t> team_bytes(const codegen::UserText& text, const NamedSizes& sizes);

}  // namespace kiln::kinds
