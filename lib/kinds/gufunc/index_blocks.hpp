// How a CPU kernel cuts the last indices of .each into vectors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kinds/spec.hpp"

namespace kiln::kinds {

/// Indices from which on a CPU computes several at once.
inline constexpr std::int64_t kFewestLanes = 9;

/// Whether computing an index twice is as good as once, as far as the text tells: an element of an output is assigned before it
/// is read. `constants`: names that stand for one number as long as the body assigns nothing to them. Pure.
[[nodiscard]] bool may_run_twice(const codegen::UserText& text, const std::vector<std::string>& constants);

/// So many neighbouring indices from `begin` on, at once.
struct IndexBlock {
  int lanes;
  std::int64_t begin;
};
/// Blocks that cover `count` indices; `twice`: whether they may overlap. Pure.
[[nodiscard]] std::vector<IndexBlock> blocks_of(std::int64_t count, bool twice);

/// Statements that compute indices begin<e> … end<e> - 1 by "several<lanes>(<arguments>)" and "one(<arguments>)", in which the
/// index is e<e>. `size`: their number, where the kernel knows it and takes all of them.
[[nodiscard]] std::string index_loops(std::size_t e, const std::optional<std::int64_t>& size, bool twice,
                                      const std::string& arguments);

}  // namespace kiln::kinds
