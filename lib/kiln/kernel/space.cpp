#include "kernel/space.hpp"

#include <algorithm>
#include <cstring>

#include "kernel/divisor.hpp"

namespace kiln::kinds {

std::vector<std::byte> space_of(const SpaceRequest& request) {
  std::vector<std::byte> space;
  const auto put = [&space](auto value) {
    const std::size_t at = space.size();
    space.resize(at + sizeof(value));
    std::memcpy(space.data() + at, &value, sizeof(value));
  };
  const std::span<const std::int64_t> extents = request.extents;
  const std::size_t rank = std::max(extents.size(), static_cast<std::size_t>(request.rank));
  const std::size_t added = rank - extents.size();
  const auto extent = [&](std::size_t d) {
    if (d < added) return std::int64_t{1};
    return d + 1 == rank ? extents[d - added] / request.width : extents[d - added];
  };
  if (request.wide_index) {
    for (std::size_t d = 0; d < rank; ++d) put(static_cast<std::uint64_t>(extent(d)));
  } else {
    // Nothing is divided by an extent of 0, and there is no magic number for it.
    const auto divisor = [&](std::size_t d) { return divisor_of(extent(d) == 0 ? 1U : static_cast<std::uint32_t>(extent(d))); };
    for (std::size_t d = 0; d < rank; ++d) put(static_cast<std::uint32_t>(extent(d)));
    for (std::size_t d = 0; d < rank; ++d) put(divisor(d).magic);
    for (std::size_t d = 0; d < rank; ++d) put(divisor(d).shift);
    if (rank % 2 != 0) put(std::uint32_t{0});  // the strides are 8-byte aligned
  }
  for (std::size_t k = 0; k < request.operands; ++k) {
    for (std::size_t d = 0; d < rank; ++d) put(d < added ? std::int64_t{0} : request.stride(k, d - added));
  }
  return space;
}

}  // namespace kiln::kinds
