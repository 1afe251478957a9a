// The balanced tree over the numbers of elements. Pure.
#include <algorithm>
#include <bit>

#include "reduce/partial.hpp"

namespace kiln::reduce {

std::int64_t Node::count(std::int64_t size) const noexcept {
  const std::int64_t left = size - from;
  return level < 63 ? std::min(std::int64_t{1} << level, left) : left;
}

namespace {

/// Level of the node of all elements.
int root_of(std::int64_t size) {
  return size <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1)));
}

/// Level of the largest node that begins at an element and does not go beyond `end`.
int level_at(std::int64_t from, std::int64_t end, std::int64_t size) {
  const int aligned = from == 0 ? root_of(size) : std::countr_zero(static_cast<std::uint64_t>(from));
  int level = std::min(aligned, root_of(size));
  while (level > 0 && from + Node{from, level}.count(size) > end) --level;
  return level;
}

bool are_pair(const Node& left, const Node& right) noexcept {
  return left.level == right.level && ((left.from >> left.level) & 1) == 0 &&
         (left.from >> left.level) + 1 == right.from >> left.level;
}

/// A node without a partner is the node above.
void raise(Node& node, std::int64_t size) noexcept {
  const int root = root_of(size);
  while (node.level < root && ((node.from >> node.level) & 1) == 0 && node.from + (std::int64_t{1} << node.level) >= size) {
    ++node.level;
  }
}

}  // namespace

std::vector<Node> nodes_of(std::int64_t begin, std::int64_t end, std::int64_t size) {
  std::vector<Node> nodes;
  for (std::int64_t at = begin; at < end;) {
    nodes.push_back({at, level_at(at, end, size)});
    raise(nodes.back(), size);
    at += nodes.back().count(size);
  }
  return nodes;
}

void add_node(std::vector<Node>& nodes, const Node& node, std::int64_t size, base::FunctionRef<void(std::size_t)> join) {
  nodes.push_back(node);
  raise(nodes.back(), size);
  while (nodes.size() > 1 && are_pair(nodes[nodes.size() - 2], nodes.back())) {
    join(nodes.size() - 2);
    nodes.pop_back();
    ++nodes.back().level;
    raise(nodes.back(), size);
  }
}

}  // namespace kiln::reduce
