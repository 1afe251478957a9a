// What of a call of Ufunc::at decides its kernel on a GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/table.hpp"
#include "kiln/dtype.hpp"

namespace kiln::kinds {

/// What a GPU's kernel takes; the caller folds more into one.
inline constexpr std::size_t kMaxScatterIndices = 8;

struct ScatterLayout {
  std::array<DType, kMaxScatterIndices> indices = {};  ///< of each array of indices; the first dtype behind them
  std::uint8_t arrays = 0;    ///< of indices; 0: the kernel for any layout, of which the rest says nothing
  std::uint8_t rank = 0;      ///< merged dimensions of the positions
  std::uint8_t row_rank = 0;  ///< merged dimensions of a row; 0: it is one element
  bool wide_index = false;    ///< 2³¹ elements or bytes, or more
  bool bins = false;          ///< each block changes a copy of the target's memory first

  [[nodiscard]] bool any() const noexcept { return arrays == 0; }
  friend bool operator==(const ScatterLayout&, const ScatterLayout&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept {
    base::KeyHash hash;
    for (const DType dtype : indices) hash.add(static_cast<std::uint64_t>(dtype));
    return hash
        .add(std::uint64_t{arrays} << 24 | std::uint64_t{rank} << 16 | std::uint64_t{row_rank} << 8 |
             static_cast<std::uint64_t>(wide_index) << 1 | static_cast<std::uint64_t>(bins))
        .value();
  }
};

}  // namespace kiln::kinds
