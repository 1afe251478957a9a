// A typed graph as the texts of one ordinary definition: a device function for each ufunc and loop, and a body that calls them.
#pragma once

#include <span>
#include <string>

#include "fusion/typing.hpp"

namespace kiln::fusion {

struct Names {
  const std::string& name;  ///< the fused ufunc's
  std::span<const std::string> inputs;
  std::span<const std::string> outputs;
};

struct Text {
  std::string functions;  ///< each ufunc's own texts in a namespace of their own, under #line with its name
  std::string body;       ///< returns the one output, or assigns several by name
};

/// One ufunc for one loop: the function kiln_part_N::kiln_body, which takes and gives what its body does.
struct Part {
  const detail::UfuncImpl& ufunc;
  const ufunc::Loop& loop;
  bool rounds = true;  ///< kinds::Operation::rounds
};
/// The functions of these parts, whose ufuncs are the steps of the graph. `name` is the whole's. Pure.
[[nodiscard]] std::string write_parts(const Graph& graph, std::span<const Part> parts, const std::string& name);

/// Pure.
[[nodiscard]] Text write(const Graph& graph, const Typing& typing, const Names& names);

}  // namespace kiln::fusion
