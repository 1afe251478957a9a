// The nodes of parts: the largest subtrees that a range covers.
#include "reduce/partial.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

using kiln::reduce::Node;
using kiln::reduce::nodes_of;

namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

/// All subtrees of the balanced tree over [begin, end), by its definition.
void add_subtrees(std::int64_t begin, std::int64_t end, std::set<Range>& subtrees) {
  subtrees.insert({begin, end});
  if (end - begin < 2) return;
  std::int64_t half = 1;
  while (half * 2 < end - begin) half *= 2;
  add_subtrees(begin, begin + half, subtrees);
  add_subtrees(begin + half, end, subtrees);
}

}  // namespace

TEST_CASE("a range has the largest subtrees that lie within it, each once, in order") {
  for (std::int64_t size = 1; size <= 40; ++size) {
    std::set<Range> subtrees;
    add_subtrees(0, size, subtrees);
    for (std::int64_t begin = 0; begin <= size; ++begin) {
      for (std::int64_t end = begin; end <= size; ++end) {
        std::vector<Range> expected;
        for (const Range& tree : subtrees) {
          const auto inside = [&](const Range& other) { return begin <= other.first && other.second <= end; };
          const bool within_larger = std::ranges::any_of(subtrees, [&](const Range& other) {
            return other != tree && other.first <= tree.first && tree.second <= other.second && inside(other);
          });
          if (inside(tree) && !within_larger) expected.push_back(tree);
        }
        std::vector<Range> found;
        for (const Node& node : nodes_of(begin, end, size)) found.emplace_back(node.from, node.from + node.count(size));
        CAPTURE(size);
        CAPTURE(begin);
        CAPTURE(end);
        CHECK(found == expected);
      }
    }
  }
}

TEST_CASE("ranges of more elements than 32 bits number have few nodes") {
  constexpr std::int64_t kMost = INT64_MAX;
  CHECK(nodes_of(0, kMost, kMost).size() == 1);
  CHECK(nodes_of(1, kMost, kMost).size() == 63);
  CHECK(nodes_of(1, kMost - 1, kMost).size() <= 126);
  CHECK(nodes_of(std::int64_t{1} << 62, kMost, kMost).size() == 1);
}
