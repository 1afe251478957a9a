// How a GPU's elementwise kernel goes over elements.
#pragma once

#include <cstdint>

namespace kiln::kinds {

/// GPU. Numbers are those of ElementwiseSpec::width.
enum class Walk : std::uint8_t {
  packs,   ///< a thread takes packs of neighbours, each one access of every contiguous operand, which is aligned to them
  peeled,  ///< the same behind some first elements, up to which no operand is aligned; of one dimension
  strips,  ///< 32 lanes take neighbours of a row, and each so many elements, 32 apart: rows begin and end anywhere
};

/// What the first element of each pack is aligned to, where its access is one, or accesses of 16 bytes.
constexpr std::uintptr_t pack_alignment(std::int64_t width, std::int64_t itemsize) noexcept {
  return static_cast<std::uintptr_t>(width * itemsize < 16 ? width * itemsize : 16);
}

}  // namespace kiln::kinds
