// Whether indices are in range. Pure, over memory that the host can read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array/rep.hpp"

namespace kiln::ufunc {

struct BadIndex {
  Shape position;    ///< in the array of indices
  std::string text;  ///< its digits
};

/// The first element, in C order, that is not in [-extent, extent). `indices` are integers.
[[nodiscard]] std::optional<BadIndex> find_bad_index(const detail::ArrayRep& indices, std::int64_t extent);

/// The bytes from the target's first element to where each position's indices lead, in C order over `shape`, to which the
/// arrays of indices broadcast. They are in range.
[[nodiscard]] std::vector<std::int64_t> target_offsets(std::span<const Array> indices, const Shape& shape,
                                                       const detail::ArrayRep& target);

/// Positions by where they lead: those that meet in one target together, in their order, and where each target begins among
/// them, and the end.
struct Collisions {
  std::vector<std::int64_t> order;
  std::vector<std::int64_t> starts;
};
[[nodiscard]] Collisions collisions_of(const std::vector<std::int64_t>& offsets);

}  // namespace kiln::ufunc
