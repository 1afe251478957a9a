// One kernel of a manifest, whatever its kind: its canonical JSON, and the units that are compiled for it. A kind adds a row to
// the table in kinds.cpp, and brings a function that reads it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/definition.hpp"
#include "manifest/node.hpp"
#include "program/program.hpp"

namespace kiln::manifest {

/// What is compiled once for each target: what a call loads there, and after it what calls of the loop with other sizes may
/// load.
struct Unit {
  std::string kernel;
  std::string signature;
  std::string where;
  bool on_cpu = true;  ///< CPUs run it
  std::function<std::vector<program::Request>(DeviceKind)> requests;
};

struct Entry {
  Json json;  ///< members that have their default left out, lists in the order given
  std::vector<Unit> units;
};

struct Kind {
  std::string_view name;
  /// `folder` is what include_dirs are relative to. Throws CacheError, located.
  Entry (*read)(const Node& node, const std::string& folder);
  /// Makes a function of a definition alone. Throws CacheError, located.
  AnyFunction (*define)(const Node& node);
};

/// The kind of an element of "kernels".
[[nodiscard]] const Kind& kind_of(const Node& node);

}  // namespace kiln::manifest
