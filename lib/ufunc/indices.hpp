// Whether indices are in range. Pure, over memory that the host can read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "array/rep.hpp"

namespace kiln::ufunc {

struct BadIndex {
  Shape position;    ///< in the array of indices
  std::string text;  ///< its digits
};

/// The first element, in C order, that is not in [-extent, extent). `indices` are integers.
[[nodiscard]] std::optional<BadIndex> find_bad_index(const detail::ArrayRep& indices, std::int64_t extent);

}  // namespace kiln::ufunc
