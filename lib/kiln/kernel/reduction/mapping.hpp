// How the threads of a GPU share a reduction.
#pragma once

#include <cstdint>
#include <string_view>

namespace kiln::kinds {

enum class Mapping : std::uint8_t {
  thread,   ///< each its own output, from the first element to the last
  warp,     ///< a warp for an output
  block,    ///< a block for an output, or for a part of one
  columns,  ///< neighbours in memory for each thread of a block, whose rows of threads share the reduced elements
};

/// "thread", "warp", "block", "columns".
[[nodiscard]] std::string_view mapping_name(Mapping mapping) noexcept;

}  // namespace kiln::kinds
