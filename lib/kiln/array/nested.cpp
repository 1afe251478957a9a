#include "kiln/nested.hpp"

#include <string>

#include "array/rep.hpp"
#include "kiln/error.hpp"

namespace kiln::detail {

void fail_ragged(std::size_t depth, std::int64_t expected, std::size_t count) {
  throw ShapeError("cannot make an array from ragged lists: one at depth " + std::to_string(depth) + " has " +
                   std::to_string(count) + " elements, the first one there has " + std::to_string(expected) +
                   "; give all lists of a depth the same length");
}

void check_count(const char* what, const Shape& extents, const Shape& shape) {
  if (checked_size(shape) == checked_size(extents)) return;
  throw ShapeError(std::string(what) + ": shape " + to_string(shape) + " has another number of elements than the memory, " +
                   std::to_string(checked_size(extents)));
}

}  // namespace kiln::detail
