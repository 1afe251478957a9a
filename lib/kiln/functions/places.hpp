// Indices that users give, checked and brought into range.
#pragma once

#include "kiln/array.hpp"
#include "kiln/indexing.hpp"

namespace kiln::functions {

/// Returns the indices as int64 or an unsigned dtype below 64 bits, in the range of an axis of that extent. Negative ones of
/// IndexMode::raise stay, and count from the end. Throws TypeError, which begins with `what`, unless they are integers, and
/// ShapeError for one that is out of range.
[[nodiscard]] Array checked_places(const char* what, const Array& indices, std::int64_t extent, IndexMode mode);

}  // namespace kiln::functions
